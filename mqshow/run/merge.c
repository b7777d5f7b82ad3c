// SPDX-License-Identifier: BSD-3-Clause
// "mqshow merge": documents put together, and the verdict about all of them.
#include "mqshow/run/merge.h"

#include "mqshow/process/confine.h"
#include "mqshow/base/draft.h"
#include "mqshow/html/html.h"
#include "mqshow/report/document.h"
#include "mqshow/run/document_print.h"
#include "mqshow/text/print.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/screen.h"
#include "mqshow/verdict/export.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: mqshow merge [OPTION]... FILE...\n"
    "Put documents that \"mqshow --json\" printed together, and judge who waits for whom.\n"
    "FILE - is standard input.\n"
    "\n"
    "      --json             print the whole document with its verdict\n"
    "      --dot FILE         write who waits for whom as a graph for Graphviz\n"
    "      --csv FILE         write all pending operations as a table\n"
    "      --html FILE        write a page for a browser: the verdict, a graph, all queues\n"
    "  -a, --all              leave nothing out, and show every process\n"
    "      --color WHEN       auto, always or never\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 all was read, 1 something could not be read, 2 wrong usage.\n";

struct merge {
    bool json, all;
    const char *color;            // "auto", ...
    const char *html, *dot, *csv; // NULL: not to be written
};

static int
wrong_usage(void)
{
    fputs("Try 'mqshow merge --help'.\n", stderr);
    return EXIT_USAGE;
}

/** Writes the page. @return false after it printed why that cannot be */
static bool
write_page(const char *path, const struct document *document, const struct verdict *verdict)
{
    char *problem = path != NULL ? html_write(document, verdict, path) : NULL;
    bool written = problem == NULL;
    if (problem != NULL)
        diag("%s", problem);
    free(problem);
    return written;
}

/** Writes a file. @return false after it printed why that cannot be */
static bool
write_file(const char *path, const struct verdict *verdict,
           void (*write)(const struct verdict *verdict, FILE *out))
{
    if (path == NULL)
        return true;
    FILE *out = fopen(path, "we");
    if (out != NULL)
        write(verdict, out);
    bool written = out != NULL && fflush(out) == 0 && !ferror(out);
    int error = errno;
    if (out != NULL && fclose(out) != 0 && written) {
        error = errno;
        written = false;
    }
    if (!written)
        diag("cannot write %s: %s", path, strerror(error));
    return written;
}

static bool
wants_color(const struct merge *merge)
{
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(merge->color, "auto") != 0)
        return strcmp(merge->color, "always") == 0;
    return isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0');
}

static void
print_messages(const struct document *document, FILE *out)
{
    for (size_t i = 0; i < document->messages.count; i++)
        fprintf(out, "note: %s\n", document->messages.items[i]);
}

/** Prints every process with all that is pending. */
static void
print_processes(FILE *out, const struct document *document, struct style style)
{
    char *last = NULL;
    for (size_t i = 0; i < document->count; i++) {
        fputc('\n', out);
        print_process(out, &document->reports[i], i, style, &last);
        print_notes(out, &document->reports[i]);
    }
    free(last);
}

/** Prints the verdict and the notes, no more than a screen has room for unless all is asked for. */
static void
print_judged(const struct merge *merge, const struct document *document,
             const struct verdict *verdict)
{
    struct draft judged, noted;
    struct screen screen = screen_of(stdout);
    bool color = wants_color(merge);
    FILE *out = draft_open(&judged);
    verdict_print(verdict, out, (struct verdict_style){color, merge->all, true});
    if (merge->all)
        print_processes(out, document,
                        (struct style){.color = color,
                                       .all = true,
                                       .numbered = verdict->job.by_index && document->count > 1});
    print_messages(document, draft_open(&noted));
    char *text = draft_close(&judged), *notes = draft_close(&noted);
    size_t rows = screen.rows - 1, for_notes = screen_rows(&screen, notes);
    for_notes = for_notes < rows / 2 ? for_notes : rows / 2;
    screen_print(&screen, stdout, text, merge->all ? SIZE_MAX : rows - for_notes);
    screen_print(&screen, stdout, notes, merge->all ? SIZE_MAX : for_notes);
    free(text);
    free(notes);
}

/** Prints and writes what was asked for. */
static bool
print(const struct merge *merge, const struct document *document)
{
    const struct document_form form = {.flags = JSON_INDENT(1) | JSON_ENSURE_ASCII};
    struct verdict verdict;
    verdict_init(&verdict, document);
    bool written = write_file(merge->dot, &verdict, export_dot);
    written &= write_file(merge->csv, &verdict, export_csv);
    if (merge->json)
        document_print(stdout, document, &verdict, &form);
    else
        print_judged(merge, document, &verdict);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        diag("cannot write the output: %s", strerror(errno));
        written = false;
    }
    written &= write_page(merge->html, document, &verdict);
    verdict_deinit(&verdict);
    return written;
}

static int
run(const struct merge *merge, char **files, int count)
{
    struct document *document = document_create(0);
    bool good = true;
    if (merge->html == NULL) // which has a program draw
        confine(merge->dot != NULL || merge->csv != NULL, false);
    for (int i = 0; i < count; i++) {
        char *problem = document_add_file(document, files[i]);
        if (problem != NULL)
            diag("%s", problem);
        good &= problem == NULL;
        free(problem);
    }
    labels_set(document);
    good &= print(merge, document);
    document_destroy(document);
    return good ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}

static bool
is_color(const char *text)
{
    return strcmp(text, "auto") == 0 || strcmp(text, "always") == 0 || strcmp(text, "never") == 0;
}

/** Takes an option. @return whether it makes sense */
static bool
set_option(struct merge *merge, int option, const char *text)
{
    switch (option) {
    case 'j':
        merge->json = true;
        return true;
    case 'a':
        merge->all = true;
        return true;
    case 'm':
        merge->html = text;
        return true;
    case 'd':
        merge->dot = text;
        return true;
    case 's':
        merge->csv = text;
        return true;
    case 'c':
        merge->color = text;
        return is_color(text);
    default:
        return false;
    }
}

int
merge_main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"json", no_argument, NULL, 'j'},       {"all", no_argument, NULL, 'a'},
        {"html", required_argument, NULL, 'm'}, {"dot", required_argument, NULL, 'd'},
        {"csv", required_argument, NULL, 's'},  {"color", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},       {.name = NULL}};
    struct merge merge = {.color = "auto"};
    for (int got; (got = getopt_long(argc, argv, "ah", longs, NULL)) != -1;) {
        if (got == 'h')
            return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? EXIT_ALL_SHOWN
                                                                    : EXIT_SOMETHING_MISSING;
        if (!set_option(&merge, got, optarg))
            return wrong_usage();
    }
    if (optind == argc) {
        diag("nothing to merge: name files, or - for standard input");
        return wrong_usage();
    }
    return run(&merge, argv + optind, argc - optind);
}

// SPDX-License-Identifier: BSD-3-Clause
// "mqshow merge": documents put together, and the verdict about all of them.
#include "mqshow/run/merge.h"

#include "mqshow/process/confine.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/options.h"
#include "mqshow/report/document.h"
#include "mqshow/run/document_print.h"
#include "mqshow/text/print.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/screen.h"
#include "mqshow/verdict/export.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: mqshow merge [OPTION]... FILE...\n"
    "Merge files of \"mqshow --save\" or \"mqshow --json\" and find out who waits for whom.\n"
    "FILE - is standard input.\n"
    "\n"
    "      --json             print the whole document with its verdict\n"
    "      --tree[=line]      one tree of all stacks, and who is elsewhere\n"
    "      --dot FILE         write the wait-for graph, or the tree, for Graphviz\n"
    "      --csv FILE         write all pending operations as a table\n"
    "      --html FILE        write a page for a browser: verdict, graph, queues\n"
    "  -a, --all              show every process and operation\n"
    "      --color WHEN       auto, always or never\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 everything read, 1 something could not be read, 2 wrong usage.\n";

static const struct option_row known[] = {
    FLAG("json", '\0', json),
    FLAG("all", 'a', all),
    TEXT("html", '\0', html),
    TEXT("dot", '\0', dot),
    TEXT("csv", '\0', csv),
    OPTION("color", required_argument, '\0', options_set_color),
    OPTION("tree", optional_argument, '\0', options_set_tree),
};

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
print_judged(const struct options *options, const struct document *document,
             const struct verdict *verdict)
{
    struct draft judged, noted;
    struct screen screen = screen_of(stdout);
    bool color = options_want_color(options, stdout);
    FILE *out = draft_open(&judged);
    verdict_print(verdict, out, (struct verdict_style){color, options->all, true});
    if (options->all)
        print_processes(out, document,
                        (struct style){.color = color,
                                       .all = true,
                                       .numbered = verdict->job.by_index && document->count > 1});
    print_messages(document, draft_open(&noted));
    char *text = draft_close(&judged), *notes = draft_close(&noted);
    size_t rows = screen.rows - 1, for_notes = screen_rows(&screen, notes);
    for_notes = for_notes < rows / 2 ? for_notes : rows / 2;
    screen_print(&screen, stdout, text, options->all ? SIZE_MAX : rows - for_notes);
    screen_print(&screen, stdout, notes, options->all ? SIZE_MAX : for_notes);
    free(text);
    free(notes);
}

/** Prints and writes what was asked for. */
static bool
print(const struct options *options, const struct document *document)
{
    const struct document_form form = {.flags = JSON_INDENT(1) | JSON_ENSURE_ASCII,
                                       .tree = options->tree};
    struct verdict verdict;
    verdict_init(&verdict, document);
    bool written = document_write_file(options->csv, &verdict, export_csv);
    if (options->json)
        document_print(stdout, document, &verdict, &form);
    else if (options->tree != TREE_NONE)
        document_print_tree(stdout, document, &verdict, options);
    else
        print_judged(options, document, &verdict);
    written &= output_is_written(stdout);
    written &= document_write_files(document, &verdict, options);
    verdict_deinit(&verdict);
    return written;
}

static int
run(const struct options *options, char **files, int count)
{
    struct document *document = document_create(0);
    bool good = true;
    if (options->html == NULL) // which has a program draw
        confine(options->dot != NULL || options->csv != NULL, false);
    confine_memory(1);
    for (int i = 0; i < count; i++) {
        char *problem = document_add_file(document, files[i]);
        if (problem != NULL)
            diag("%s", problem);
        good &= problem == NULL;
        free(problem);
    }
    labels_set(document);
    good &= print(options, document);
    document_destroy(document);
    return good ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}

int
merge_main(int argc, char **argv)
{
    static const struct command command = {"mqshow merge", usage, known,
                                           sizeof known / sizeof *known};
    struct options options = {.color = COLOR_AUTO};
    options_read(&options, &command, argc, argv);
    if (optind == argc) {
        diag("nothing to merge: give files, or - for standard input");
        options_exit();
    }
    return run(&options, argv + optind, argc - optind);
}

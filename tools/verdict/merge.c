// SPDX-License-Identifier: BSD-3-Clause
// "mqshow merge": documents put together, and the verdict about all of them.
#include "tools/verdict/merge.h"

#include "tools/html/html.h"
#include "tools/say.h"
#include "tools/verdict/document.h"
#include "tools/verdict/verdict.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: mqshow merge [OPTION]... FILE...\n"
    "Put documents that \"mqshow --json\" printed together, and judge who waits for whom.\n"
    "FILE - is standard input.\n"
    "\n"
    "      --json             print the whole document with its verdict\n"
    "      --html FILE        write a page for a browser: the verdict, a graph, all queues\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 all was read, 1 something could not be read, 2 wrong usage.\n";

struct merge {
    bool json;
    const char *html; // NULL: no page
};

static int
wrong_usage(void)
{
    fputs("Try 'mqshow merge --help'.\n", stderr);
    return EXIT_USAGE;
}

/** Writes the page. @return false after it told the user why that cannot be */
static bool
write_page(const char *path, const json_t *document)
{
    char *problem = html_write(document, path);
    bool written = problem == NULL;
    if (problem != NULL)
        say("%s", problem);
    free(problem);
    return written;
}

/** Prints the document, which gets its verdict where that is needed. */
static bool
print(const struct merge *merge, json_t *document)
{
    struct verdict verdict;
    verdict_init(&verdict, document);
    if (merge->json || merge->html != NULL)
        json_object_set_new(document, "verdict", verdict_json(&verdict));
    if (merge->json) {
        json_dumpf(document, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
        fputc('\n', stdout);
    } else {
        printf("%s\n", verdict.text);
    }
    verdict_deinit(&verdict);
    return fflush(stdout) == 0 && !ferror(stdout);
}

static int
run(const struct merge *merge, char **files, int count)
{
    json_t *document = document_create();
    int code = EXIT_ALL_SHOWN;
    for (int i = 0; i < count; i++) {
        char *problem = document_add(document, files[i]);
        if (problem != NULL) {
            say("%s", problem);
            code = EXIT_SOMETHING_MISSING;
        }
        free(problem);
    }
    if (!print(merge, document)) {
        say("cannot write the output: %s", strerror(errno));
        code = EXIT_SOMETHING_MISSING;
    }
    if (merge->html != NULL && !write_page(merge->html, document))
        code = EXIT_SOMETHING_MISSING;
    json_decref(document);
    return code;
}

int
merge_main(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'},
                                          {"html", required_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {.name = NULL}};
    struct merge merge = {.json = false};
    for (int got; (got = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
        switch (got) {
        case 'j':
            merge.json = true;
            break;
        case 'm':
            merge.html = optarg;
            break;
        case 'h':
            return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? EXIT_ALL_SHOWN
                                                                    : EXIT_SOMETHING_MISSING;
        default:
            return wrong_usage();
        }
    }
    if (optind == argc) {
        say("nothing to merge: name files, or - for standard input");
        return wrong_usage();
    }
    return run(&merge, argv + optind, argc - optind);
}

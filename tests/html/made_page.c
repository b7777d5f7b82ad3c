// SPDX-License-Identifier: BSD-3-Clause
// Makes the page of a document on standard input.
//
// Usage: made_page FILE [no-verdict]
#include "mqshow/html/html.h"
#include "mqshow/report/document.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/verdict.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    struct document *document = document_create(0);
    struct verdict verdict;
    char *error = argc > 1 ? document_add_file(document, "-") : NULL;
    labels_set(document);
    document->samples = 3;
    document->seconds = 1.5;
    verdict_init(&verdict, document);
    if (error == NULL && argc > 1)
        error = html_write(document, argc > 2 ? NULL : &verdict, TREE_NONE, argv[1]);
    if (error != NULL)
        fprintf(stderr, "made_page: %s\n", error);
    verdict_deinit(&verdict);
    document_destroy(document);
    int status = error == NULL && argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
    free(error);
    return status;
}

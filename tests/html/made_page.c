// SPDX-License-Identifier: BSD-3-Clause
// Makes the page of a document on standard input.
#include "tools/html/html.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    json_error_t wrong;
    json_t *document = json_loadf(stdin, JSON_ALLOW_NUL, &wrong);
    if (argc != 2 || document == NULL) {
        fprintf(stderr, "Usage: made_page FILE <DOCUMENT\n%s\n",
                document == NULL ? wrong.text : "");
        return EXIT_FAILURE;
    }
    char *error = html_write(document, argv[1]);
    if (error != NULL)
        fprintf(stderr, "made_page: %s\n", error);
    json_decref(document);
    return error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

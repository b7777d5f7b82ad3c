// SPDX-License-Identifier: BSD-3-Clause
// Printing documents "mqs-ompd/1", and whether that was possible.
#ifndef MQSHOW_RUN_DOCUMENT_PRINT_H
#define MQSHOW_RUN_DOCUMENT_PRINT_H

#include "mqshow/base/json_out.h"
#include "mqshow/report/document.h"

struct verdict;

/** How a document is printed. */
struct document_form {
    size_t flags; // as of json_out_begin()
    bool narrow;  // without communicators that were not asked for
    void (*more)(struct json_out *json, const void *context); // writes more members; NULL: none
    const void *context;
};

/** Prints a document and a new line. @param verdict NULL: none */
void document_print(FILE *out, const struct document *document, const struct verdict *verdict,
                    const struct document_form *form);

/** Writes a page for a browser. @return false after it printed why that cannot be; true without a
 * path */
bool document_write_page(const struct document *document, const struct verdict *verdict,
                         const char *path);

/** Saves a document with all that it has, as "mqshow FILE" opens it. @return likewise */
bool document_save(struct document *document, const struct verdict *verdict, const char *path);

/** Whether all that was printed was written; reports it when not. */
bool output_is_written(FILE *out);

#endif

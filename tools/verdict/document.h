// SPDX-License-Identifier: BSD-3-Clause
// Reading documents "mqs-ompd/1" and putting several together.
#ifndef TOOLS_VERDICT_DOCUMENT_H
#define TOOLS_VERDICT_DOCUMENT_H

#include <jansson.h>

/** A document without processes. */
json_t *document_create(void);

/** Adds the processes and messages of a file to a document.
 *
 * A process that is there already, by its host and pid, is replaced, and a message says so.
 * @param path "-": standard input
 * @return NULL, or what is wrong with the file, to free(); the document is then unchanged
 */
char *document_add(json_t *document, const char *path);

#endif

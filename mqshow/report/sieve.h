// SPDX-License-Identifier: BSD-3-Clause
// Reading a document that may have very many operations.
//
// As a tree an operation takes thirty times the memory of its record. So processes are taken out of
// the text before it is parsed, and operations out of these; each is parsed by itself. What judges
// the document is left out, because nobody reads it. All that is parsed is so by jansson.
#ifndef MQSHOW_REPORT_SIEVE_H
#define MQSHOW_REPORT_SIEVE_H

#include "mqshow/report/document.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/** Reads the processes of a file.
 * @param left     bytes that may come; those that did are subtracted
 * @param document gets the processes
 * @return the rest, in which processes are empty objects, to json_decref(); NULL: it is no JSON, or
 * there were too many bytes: `left` is 0 then
 */
json_t *sieve_load(FILE *file, uint64_t *left, struct document *document, json_error_t *error);

#endif

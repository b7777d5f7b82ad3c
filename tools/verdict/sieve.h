// SPDX-License-Identifier: BSD-3-Clause
// Reading a document that may have very many operations.
//
// As a tree an operation takes thirty times the memory of its record. So operations are taken out
// of the text before it is parsed, and each is parsed by itself; what judges the document is left
// out, because nobody reads it. All that is parsed is so by jansson.
#ifndef TOOLS_VERDICT_SIEVE_H
#define TOOLS_VERDICT_SIEVE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/** Reads the document of a file, whose queues are packed then.
 * @param left bytes that may come; those that did are subtracted
 * @return NULL: it is no JSON, or there were too many bytes: `left` is 0 then
 */
json_t *sieve_load(FILE *file, uint64_t *left, json_error_t *error);

#endif

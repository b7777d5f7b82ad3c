// SPDX-License-Identifier: BSD-3-Clause
// What the verdict says of operations, by their places.
#ifndef TOOLS_HTML_MARKS_H
#define TOOLS_HTML_MARKS_H

#include <jansson.h>
#include <stdbool.h>

/** A document for its page, which shares its parts with the given one.
 *
 * The verdict names operations by their communicators, requests and buffers, which differ from rank
 * to rank. The page has places instead, in a new member "marks": for each process, for each of its
 * communicators, { "blocked": [3], "unmatched": ["0-0", "3-4"], "misses": [[3, 7]] }. Operations
 * are counted over receives, unexpected messages and sends; the third one would match but for what
 * "unmatched" of the verdict has at place 7. Only what almost matches stands there any more.
 *
 * @param by_index ranks of the verdict are places in "processes"
 */
json_t *marks_add(const json_t *document, bool by_index);

#endif

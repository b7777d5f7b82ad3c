// SPDX-License-Identifier: BSD-3-Clause
// What the verdict has on operations, by their places.
#ifndef MQSHOW_HTML_ANNOTATIONS_H
#define MQSHOW_HTML_ANNOTATIONS_H

#include "mqshow/base/json_out.h"
#include "mqshow/verdict/verdict.h"

/** Writes, for each process, for each of its communicators: null, or { "blocked": [3], "unmatched":
 * ["0-0", "3-4"], "misses": [[3, 7]] }.
 *
 * The verdict names operations by their communicators, requests and buffers, which differ from rank
 * to rank; the page has places instead. Operations are counted over receives, unexpected messages
 * and sends; the third one would match but for what is at place 7 of those that others nearly
 * match.
 */
void annotations_write(struct json_out *json, const struct verdict *verdict);

#endif

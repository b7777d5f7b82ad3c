// SPDX-License-Identifier: BSD-3-Clause
// JSON inside a page.
#ifndef TOOLS_HTML_EMBED_H
#define TOOLS_HTML_EMBED_H

#include <jansson.h>
#include <stdio.h>

/** Writes a value so that no text in it can end the element around it, and JavaScript reads it as
 * it is: whole numbers that it would round are texts. Members "group" and "remote_group" are
 * written once as runs, ["0-3", 7], and where they are the same as an earlier one, as its number,
 * from 0.
 */
void embed_json(FILE *out, const json_t *value);

#endif

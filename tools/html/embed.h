// SPDX-License-Identifier: BSD-3-Clause
// JSON inside a page.
#ifndef TOOLS_HTML_EMBED_H
#define TOOLS_HTML_EMBED_H

#include <jansson.h>
#include <stdio.h>

/** Writes what the page shows of a value so that no text in it can end the element around it, and
 * JavaScript reads it as it is: whole numbers that it would round are texts.
 *
 * Ranks have much in common, so each distinct value is written once: as a JSON list of all of them,
 * each behind those that it is made of, the last one being the whole. Numbers in it are places
 * in this list:
 *
 *   7, "MPI_INT", true, null     themselves
 *   [-1, 0, 1]                   a list, [7, "MPI_INT"]
 *   [5, 0, 1]                    an object, whose members have the names in the list at place 5
 *
 * Members that members.h does not have are left out. "group" and "remote_group" become runs,
 * ["0-3", 7].
 */
void embed_json(FILE *out, const json_t *value);

#endif

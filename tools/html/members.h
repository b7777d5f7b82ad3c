// SPDX-License-Identifier: BSD-3-Clause
// The members of a document that its page shows.
#ifndef TOOLS_HTML_MEMBERS_H
#define TOOLS_HTML_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>

/** Whether the page's script reads this member of an object. An address is of use only where there
 * is neither a name nor a module: modules lie elsewhere in each rank, and stacks that are equal
 * would all differ.
 */
bool members_has(const json_t *object, const char *name);

#endif

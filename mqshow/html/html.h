// SPDX-License-Identifier: BSD-3-Clause
// A document "mqs-ompd/1" as one page for a browser that needs nothing else.
#ifndef MQSHOW_HTML_HTML_H
#define MQSHOW_HTML_HTML_H

#include "mqshow/base/options.h"

struct document;
struct verdict;

/** Writes the page: the verdict, the graph of who waits for whom, all that is pending, and
 * the tree of stacks.
 *
 * The document may come from anybody. Its texts cannot get out of where they are written, and the
 * page's Content-Security-Policy lets nothing run, nor be fetched, but the page's own script and
 * style.
 * @param verdict about it; NULL: there is none
 * @param tree    what distinguishes frames in the tree of stacks; TREE_NONE: as TREE_FUNCTIONS
 * @return NULL, or why it is not written, for free()
 */
char *html_write(const struct document *document, const struct verdict *verdict,
                 enum tree_detail tree, const char *path);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The tree for people: no more than a screen, however large the job is.
#ifndef MQSHOW_TREE_TEXT_H
#define MQSHOW_TREE_TEXT_H

#include "mqshow/base/screen.h"
#include "mqshow/tree/tree.h"

#include <stdio.h>

/** Prints who is elsewhere than the many, and the tree, of which the branches with most threads are
 * shown where there is not room for all.
 * @param screen NULL: all is shown, each frame in a line */
void tree_print(const struct tree *tree, FILE *out, const struct screen *screen, bool color);

#endif

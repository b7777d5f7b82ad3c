// SPDX-License-Identifier: BSD-3-Clause
// Ranks that follow each other.
#ifndef TOOLS_HTML_RUN_H
#define TOOLS_HTML_RUN_H

#include <jansson.h>
#include <stdbool.h>

/** Ranks from `first` to `last`. */
struct run {
    json_int_t first, last;
};

/** Reads an item of a list of ranks: a number, -1 for a process of another job, or the text
 * "first-last".
 * @return whether it is one, within the ranks that MPI can have
 */
bool run_read(const json_t *item, struct run *ret);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Parts of the comparison of looks.
#ifndef TOOLS_LOOKS_PARTS_H
#define TOOLS_LOOKS_PARTS_H

#include "tools/looks.h"

/** Whether two objects have the same values of some members, or lack them both. @param keys up to
 * NULL */
bool looks_equal_members(const json_t *a, const json_t *b, const char *const *keys);

/** An object of an array by some of its members. @param hint where it probably is */
json_t *looks_find(const json_t *array, const json_t *object, const char *const *keys, size_t hint);

enum look_result {
    LOOK_SAME,
    LOOK_UNSURE, // one of them could not see what the other one shows
    LOOK_MOVED,
};

/** Compares the threads of a process and marks them. */
enum look_result
looks_compare_threads(const json_t *before, json_t *after, struct look_changes *changes);

#endif

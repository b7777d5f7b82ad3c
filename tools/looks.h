// SPDX-License-Identifier: BSD-3-Clause
// Several looks at the same processes: what moved from one to the next.
//
// Works on what the looks are printed as, the processes of documents "mqs-ompd/1".
#ifndef TOOLS_LOOKS_H
#define TOOLS_LOOKS_H

#include "tools/operations.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** An operation that is not in both looks. */
struct look_change {
    const json_t *process, *communicator; // borrowed from the documents
    int op_class;                         // of its queue
    uint32_t number;                      // in its queue
    bool is_new;                          // else it was there before
};

/** What changed at some processes. */
struct look_changes {
    struct look_change *items; // by process, in the order of the later look's processes
    size_t count, capacity;
    size_t unmoved, moved;                 // operations that are in both looks: as before, or not
    size_t threads_unmoved, threads_moved; // threads that are in both looks
};

/** Compares all processes of two documents, and marks what is in both of them with the member
 * "moved": operations, which move when their states or messages change, and threads, which move
 * when they are in another MPI call or got there otherwise. A thread outside of MPI moves when any
 * of its frames does. Processes that are in one document only have moved, and all their operations
 * are new, or gone.
 * @param after   gets the marks. Both must live as long as the changes
 * @param settled whether to set the member "settled" of each process of `after`: whether all its
 * operations and all its threads are as before. It is left out where the looks differ, but one of
 * them could not read what the other one has
 * @return whether all is as before
 */
bool
looks_compare_all(const json_t *before, json_t *after, bool settled, struct look_changes *changes);

/** The operation of a change, to json_decref(). */
json_t *looks_operation(const struct look_change *change);

void look_changes_deinit(struct look_changes *changes);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Several samples of the same processes: what changed from one to the next.
#ifndef MQSHOW_REPORT_CHANGES_H
#define MQSHOW_REPORT_CHANGES_H

#include "mqshow/report/document.h"

/** An operation that is not in both samples. */
struct change {
    const struct report *report; // these are of the documents
    const struct communicator *comm;
    int op_class;    // of its queue
    uint32_t number; // in its queue
    bool is_new;     // else it was there before
};

/** What changed at some processes. */
struct changes {
    struct change *items; // by process, in the order of the later sample's processes
    size_t count, capacity;
    size_t unmoved, moved;                 // operations that are in both samples: as before, or not
    size_t threads_unmoved, threads_moved; // threads that are in both samples
};

/** Compares all processes of two documents, and sets what is in both of them as `moved` or not:
 * operations, which move when their states or messages change, and threads, which move when they
 * are in another MPI call or got there otherwise. A thread outside of MPI moves when any of its
 * frames does. Processes that are in one document only have moved, and all their operations are
 * new, or gone.
 *
 * Sets `settled` of each process of `after`: whether all its operations, and all its threads that
 * may call MPI, are as before. It is not known where the samples differ, but one of them could not
 * read what the other one has.
 * @param after gets the marks. Both must live as long as the changes
 */
void changes_find(const struct document *before, struct document *after, struct changes *changes);

/** The operation of a change. */
const struct operation *change_operation(const struct change *change);

void changes_deinit(struct changes *changes);

#endif

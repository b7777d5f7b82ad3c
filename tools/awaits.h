// SPDX-License-Identifier: BSD-3-Clause
// Which pending operations a thread waits for, as its stack tells.
#ifndef TOOLS_AWAITS_H
#define TOOLS_AWAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct report;
struct thread;
struct threads;

/** A request that a thread may wait for. */
struct candidate {
    uint64_t request; // address of the object
    uint64_t slot;    // where on the stack it was found; 0: in a register
    int op_class;     // mqs_op_class of its queue
    bool certain;     // the request itself names the waiting thread, or lies in its call
};

struct awaits {
    struct candidate *items;
    size_t count, capacity;
    const char *told_of; // the call whose arguments name them; NULL: found on the stack
    bool others;         // the arguments name other ones, too, or may
    bool needs_any;      // any one of them will do
    bool certain;        // no other ones, and none too many
};

/** Finds the parts of the threads' stacks that are MPI's, and the frames that called it. */
void awaits_find_parts(struct threads *threads);

/** Looks for the requests of the queues that were found on these parts. The process must stand
 * still, its stacks have been followed and its queues been read.
 */
void awaits_gather(struct report *report, const struct image *image);

/** Drops what cannot be meant, when the call that a thread is in is known. */
void awaits_tell(struct threads *threads);

#endif

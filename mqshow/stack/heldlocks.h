// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP locks that a frame of the program's code holds, as its instructions prove.
//
// A lock is held where every way to the frame's call has taken it and none has released it since.
// Where the code passes an address on that something still has, the lock is known too.
#ifndef MQSHOW_STACK_HELDLOCKS_H
#define MQSHOW_STACK_HELDLOCKS_H

#include "mqshow/base/omp_calls.h"
#include "mqshow/stack/leads.h"
#include "mqshow/stack/value_flow.h"

#include <stddef.h>
#include <stdint.h>

struct image;
struct thread;

struct held_lock {
    enum omp_wait_kind kind;
    uint64_t object; // its address; 0: constructs of this kind have one lock
};

enum { HELD_MAX = FLOW_MARKS };

/** A search for locks. */
struct heldlocks {
    const struct image *image;
    struct leads releases; // functions that may release one
};

/** @param image must live as long; heldlocks_deinit() is needed */
void heldlocks_init(struct heldlocks *locks, const struct image *image);

/** Finds the locks of a frame; none where its code cannot be followed.
 * @param number of the frame
 * @return how many there are
 */
size_t heldlocks_find(struct heldlocks *locks, const struct thread *thread, size_t number,
                      struct held_lock ret[HELD_MAX]);

void heldlocks_deinit(struct heldlocks *locks);

#endif

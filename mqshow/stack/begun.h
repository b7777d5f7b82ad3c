// SPDX-License-Identifier: BSD-3-Clause
// The calls that have begun nonblocking collectives, as the code of their callers proves.
//
// No MPI library keeps which call a request is of. But a program that waits for a request mostly
// waits in the function that has begun it, or in one that this calls: its code passes an address to
// the call, and where the handle of the request lies there now, that call has put it there. A place
// that two ways to the wait have given to different calls is nobody's, and so is one that another
// function may have used since.
#ifndef MQSHOW_STACK_BEGUN_H
#define MQSHOW_STACK_BEGUN_H

#include "mqshow/stack/leads.h"
#include "mqshow/stack/value_flow.h"

struct thread;

/** A call that has put the handle of a request somewhere. */
struct begun_call {
    const char *name; // "MPI_Ibcast", as long as the search lives
    bool persistent;  // it has not begun a collective, but made a request for it
    uint64_t address; // of the handle
    uint64_t after;   // address to return to
};

/** A search for these calls. */
struct begun {
    const struct image *image;
    struct leads begins; // functions that may begin one
    struct begun_site *sites;
    size_t count, capacity;
};

/** @param image must live as long; begun_deinit() is needed */
void begun_init(struct begun *begun, const struct image *image);

/** Finds the calls that the function of a frame has made, and after which nothing else may have put
 * something in their place, as far as the frames from that one inwards tell. None are found where
 * code cannot be followed.
 * @param number of the frame
 * @return how many there are
 */
size_t begun_find(struct begun *begun, const struct thread *thread, size_t number,
                  struct begun_call ret[FLOW_MARKS]);

void begun_deinit(struct begun *begun);

#endif

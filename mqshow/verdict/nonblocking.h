// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives: which processes have begun each, and whom it waits for in each of them.
//
// One process may have begun what another has not; and where all have, it goes on by itself, in
// whatever call of MPI they are. So it waits for those who have not begun it, as far as the
// messages that are awaited lead to them. Where all have begun it and yet it awaits messages alone
// that have not come, it goes on when one of their senders does: they may be in another collective.
#ifndef MQSHOW_VERDICT_NONBLOCKING_H
#define MQSHOW_VERDICT_NONBLOCKING_H

#include "mqshow/verdict/job_index.h"

/** A nonblocking collective in one process, which has begun it. */
struct nonblocking {
    uint32_t comm; // of an intercommunicator, the side with the lower number
    int64_t sequence;
    uint32_t process, member;
    const struct nonblocking_record *record;
    uint32_t node;     // in the graph
    uint32_t part;     // likewise: it, or its process, may send
    uint32_t distance; // messages between it and somebody who has not begun it; FAR
    bool unknown;      // whom it waits for
};

struct nonblockings {
    struct nonblocking *items; // by comm, sequence, process
    uint32_t *by_request;      // numbers of those that have a request, by process and request
    size_t count, capacity, n_requests;
};

struct waits;

/** Finds them all, and adds them to the graph. */
void nonblockings_init(struct nonblockings *all, struct waits *waits);
void nonblockings_deinit(struct nonblockings *all);

/** Whether it can only go on by a message that has not come, though all have begun it. */
bool nonblocking_is_unmatched(const struct nonblocking *item);

/** The one with a request of a process; NULL: there is none. */
const struct nonblocking *
nonblocking_of_request(const struct nonblockings *all, uint32_t process, uint64_t request);

/** The processes that one waits for since they have not begun it, as far as they are looked for.
 * @param ret room for NONBLOCKING_TARGETS */
size_t nonblocking_targets(const struct waits *waits, const struct nonblocking *of, uint32_t *ret);

enum { NONBLOCKING_TARGETS = 64 };

#endif

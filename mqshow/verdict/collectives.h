// SPDX-License-Identifier: BSD-3-Clause
// Which members of a communicator are in which collective call, and which are not.
#ifndef MQSHOW_VERDICT_COLLECTIVES_H
#define MQSHOW_VERDICT_COLLECTIVES_H

#include "mqshow/base/strbuf.h"
#include "mqshow/verdict/thread_activity.h"

/** A process in a collective. */
struct entry {
    uint32_t comm; // of an intercommunicator, the side with the lower number
    int32_t kind;  // in `kinds`
    uint32_t process;
    int32_t thread; // in the call; NOBODY: none is known to be, only the queues tell of it
    const struct collective_record *active; // what the queues say of it; NULL: nothing
    bool certain;                           // the communicator is known
};

/** A collective that some members of a communicator are in. Members are those of both sides. */
struct collective {
    const char *name; // in the queues: "barrier"
    uint32_t comm;
    int32_t kind;
    uint32_t first, count;  // entries
    uint32_t node;          // in the graph
    uint32_t *in, *missing; // processes: those in it, rising; members that are not
    size_t n_in, n_missing;
    size_t n_members;   // that were read
    int64_t not_seen;   // members that were not read
    bool certain : 1;   // its communicator
    bool has_calls : 1; // threads are seen in the call, not only its traffic in the queues
    bool has_all : 1;   // all members are in it, as far as is known
    bool one_sided : 1; // not all wait for all, as in MPI_Bcast
    bool sure : 1;      // those that are missing have not been in it: else some may have left
};

struct collectives {
    const struct job_index *job;
    struct entry *entries; // by communicator, kind, process
    struct collective *items;
    size_t n_entries, entries_capacity, count, capacity;
    struct intern kinds;
    uint32_t *in; // of all
};

void collectives_init(struct collectives *collectives, const struct job_index *job,
                      const struct thread_activity *activities);
void collectives_deinit(struct collectives *collectives);

/** Whether some are known to be missing, on a communicator that is known. */
bool collective_lacks_members(const struct collective *item);

/** Appends its name as that of a call: "MPI_Barrier". */
void collective_add_call(struct strbuf *words, const struct collective *item);

/** The first entry of a process in a collective; NULL: it is not in it. */
const struct entry *collectives_entry(const struct collectives *collectives,
                                      const struct collective *item, uint32_t process);

/** The processes that one in a collective waits for by its queues, as far as they are known, which
 * are others than those that are not in it: some of these may have left it.
 * @param ret room for AWAITED_MAX processes
 * @return their number; 0: not known
 */
size_t collectives_awaited(const struct collectives *collectives, const struct entry *entry,
                           uint32_t *ret);

enum { AWAITED_MAX = 64 };

/** The first of all that are on the same communicator; the others stand behind it. */
const struct collective *
collectives_of_comm(const struct collectives *collectives, const struct collective *item);

#endif

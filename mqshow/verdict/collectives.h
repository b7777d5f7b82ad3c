// SPDX-License-Identifier: BSD-3-Clause
// Which members of a communicator are in which collective call, and which are not.
#ifndef MQSHOW_VERDICT_COLLECTIVES_H
#define MQSHOW_VERDICT_COLLECTIVES_H

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

/** A collective that some members of a communicator are in. */
struct collective {
    uint32_t comm;
    int32_t kind;
    uint32_t first, count; // entries
    uint32_t node;         // in the graph
    size_t n_missing;      // members that are not in it
};

struct collectives {
    const struct job_index *job;
    struct entry *entries; // by communicator, kind, process
    struct collective *items;
    size_t n_entries, entries_capacity, count, capacity;
    struct intern kinds;
};

void collectives_init(struct collectives *collectives, const struct job_index *job,
                      const struct thread_activity *activities);
void collectives_deinit(struct collectives *collectives);

const char *collectives_name(const struct collectives *collectives, const struct collective *item);

/** Its name as that of a call, to free(): "MPI_Barrier". */
char *collectives_call(const struct collectives *collectives, const struct collective *item);

/** Whether threads are seen in the call, not only its traffic in the queues. */
bool collectives_has_calls(const struct collectives *collectives, const struct collective *item);

/** Whether all members are in it, as far as is known. */
bool collectives_has_all(const struct collectives *collectives, const struct collective *item);

/** Whether its communicator is certain. */
bool collectives_is_certain(const struct collectives *collectives, const struct collective *item);

/** The processes in a collective, each once, rising, to free(). */
uint32_t *collectives_processes(const struct collectives *collectives,
                                const struct collective *item, size_t *ret_count);

/** The processes that one in a collective waits for by its queues, as far as they are known, which
 * are others than those that are not in it: some of these may have left it.
 * @param ret room for `max` processes
 * @return their number; 0: not known
 */
size_t collectives_awaited(const struct collectives *collectives, const struct entry *entry,
                           uint32_t *ret, size_t max);

enum { AWAITED_MAX = 64 };

/** Whether that is known of all that are in it: only these are missing then. */
bool
collectives_knows_awaited(const struct collectives *collectives, const struct collective *item);

/** The first of all that are on the same communicator; the others stand behind it. */
const struct collective *
collectives_of_comm(const struct collectives *collectives, const struct collective *item);

/** Members of the communicator that are not in this collective, both sides of it, to free(). */
uint32_t *collectives_missing(const struct collectives *collectives, const struct collective *item,
                              size_t *ret_count);

/** Whether not all wait for all in a collective, as in MPI_Bcast. */
bool collectives_is_one_sided(const struct collectives *collectives, const struct collective *item);

/** Whether those that collectives_missing() lists have not been in it: else some may have left. */
bool collectives_is_sure(const struct collectives *collectives, const struct collective *item);

/** Number of members that were read, both sides of it. */
size_t collectives_members(const struct collectives *collectives, const struct collective *item);

/** Number of members that were not read. */
int64_t collectives_not_seen(const struct collectives *collectives, const struct collective *item);

#endif

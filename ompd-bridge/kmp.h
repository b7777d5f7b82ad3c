// SPDX-License-Identifier: BSD-3-Clause
// LLVM's OpenMP runtime in a process: its layouts, its array of threads, its teams.
#ifndef OMPD_BRIDGE_KMP_H
#define OMPD_BRIDGE_KMP_H

#include "ompd-bridge/nptl.h"
#include "ompd-bridge/published.h"

enum {
    KMP_THREADS_MAX = 1 << 17, // places in the array of threads
    KMP_LEVELS_MAX = 1 << 10,  // nested regions
};

/** A runtime in a process. */
struct kmp {
    struct inferior *inf;
    struct published table;
    struct nptl nptl;
    bool has_nptl;     // false: OS thread ids cannot be told
    taddr variable;    // address of the pointer to the array of threads
    taddr threads;     // the array: pointers, NULL where there is no thread
    uint32_t capacity; // places in the array
    bool tracking;     // the runtime was started with OMP_DEBUG=enabled
};

/** One thread of the runtime, as its record says; nothing is concluded yet. */
struct kmp_thread {
    taddr addr;    // of its kmp_info_t
    taddr pthread; // 0: it has not started yet
    taddr team;    // 0: it waits in the pool
    int32_t num;   // in its team
};

struct kmp_team {
    taddr addr;
    taddr threads; // array of pointers to kmp_info_t
    taddr parent;  // 0: none
    int64_t size;
    int64_t level;
    int64_t active_level;
};

/** Whether the process has loaded this runtime; looks up one symbol.
 * @return STATUS_ABSENT when it has not
 */
CHECKED enum status kmp_detect(struct inferior *inf);

/** Finds the tables and the array of threads.
 * @return STATUS_ABSENT when the runtime has not started, or publishes nothing that could be read;
 * STATUS_CORRUPT, STATUS_UNREADABLE; the trail says it for the user
 */
CHECKED enum status kmp_find(struct inferior *inf, struct kmp *ret);

/** Reads again what changes while the process runs. @return as kmp_find() */
CHECKED enum status kmp_refresh(struct kmp *kmp);

/** Reads the thread in place `index` of the array.
 * @return STATUS_ABSENT for an empty place; STATUS_CORRUPT when what is there cannot be a thread;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret);

/** Reads a team. @return STATUS_CORRUPT when its numbers make no sense; STATUS_UNREADABLE */
CHECKED enum status kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret);

/** Address of the thread with this number in a team. */
CHECKED enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret);

/** Whether the thread is at work in the team that its record names.
 *
 * Threads that wait between regions keep the record of the team they were in last. The team is over
 * when its master is neither in it nor in a region that is nested in it.
 * @return STATUS_OK and `ret` is set; STATUS_CORRUPT when team and thread contradict each other;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread,
                                const struct kmp_team *team, bool *ret);

#endif

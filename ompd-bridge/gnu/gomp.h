// SPDX-License-Identifier: BSD-3-Clause
// GNU's OpenMP runtime in a process: its threads, and which of them are in which region.
//
// The runtime has no list of its threads; the C library has, and each of its threads has a record
// of the runtime's, mostly empty for threads that do not use OpenMP. A thread that waits between
// regions keeps its last team in its record, although that may be gone. So only what begins with a
// thread of number 0 is believed: that thread has made the team that it is in, and leaves it last.
#ifndef OMPD_BRIDGE_GNU_GOMP_H
#define OMPD_BRIDGE_GNU_GOMP_H

#include "ompd-bridge/diagnostics.h"
#include "ompd-bridge/gnu/gomp_decode.h"
#include "ompd-bridge/nptl.h"
#include "target/view.h"

enum {
    GOMP_TEAM_MAX = NPTL_THREADS_MAX, // threads
    GOMP_LEVELS_MAX = 1 << 10,
    GOMP_ANCESTORS_MAX = 1 << 14, // of a task
};

/** Values of the runtime's enum gomp_task_kind. */
enum gomp_task_kind { GOMP_IMPLICIT, GOMP_UNDEFERRED, GOMP_WAITING, GOMP_TIED, GOMP_KINDS = 6 };

/** A place in a region; the runtime's struct gomp_team_state. */
struct gomp_place {
    taddr team; // 0: in no parallel region
    uint32_t num;
    uint32_t level;
    uint32_t active_level;
};

struct gomp_thread {
    taddr addr; // of its record; 0: it is invalid, and is left out
    taddr pthread;
    struct gomp_place place;
    taddr task; // 0: the runtime keeps none
    taddr pool; // 0: none, or not known
    bool idle;  // waits between regions; place and task are from before
};

/** A thread in a region; those with number 0 are also in the enclosing ones, as who they are there.
 */
struct gomp_member {
    taddr team;
    uint32_t num;
    uint32_t depth; // 0: the region in which the thread is at work; 1: the one that encloses it
    const struct gomp_thread *thread;
};

struct gomp_team {
    taddr addr;
    uint32_t size;
    uint32_t level;
    uint32_t active_level;
    struct gomp_place prev; // of the thread that made it
};

/** The runtime in a process. */
struct gomp {
    struct inferior *inf;
    struct diagnostics *diagnostics; // for threads that are left out
    struct gomp_facts facts;
    struct layout layout;
    struct nptl nptl;
    struct nptl_heads heads;
    taddr tls;                   // added to a pthread_t gives the record of the thread
    struct gomp_thread *threads; // in the order in which they were made
    unsigned n_threads, room_threads;
    struct gomp_member *members;
    unsigned n_members, room_members;
    uint32_t *order; // the members by team, then number
    unsigned n_ordered, room_order;
    enum status broken;  // STATUS_OK, or why not all threads were found
    bool lacks_threads;  // some were left out: they may be the masters of others
    bool learned;        // the member below was searched for
    taddr implicit_task; // offset of that array in struct gomp_team; 0: not known
};

/** Finds the layouts and variables.
 * @return as gomp_decode(); STATUS_ABSENT when neither debug information nor the code tells what is
 * needed most, STATUS_MISMATCH when they contradict each other; the trail says it for the user
 */
CHECKED enum status
gomp_find(struct inferior *inf, struct diagnostics *diagnostics, struct gomp *ret);

/** Finds the threads, as they are now. Those that make no sense are left out with a note.
 * @return STATUS_UNUSED when no thread has used OpenMP; STATUS_NOMEM and others
 */
CHECKED enum status gomp_refresh(struct gomp *gomp);

/** Frees what it holds; also after a failed gomp_find() or gomp_refresh(). */
void gomp_deinit(struct gomp *gomp);

/** The thread with this pthread_t; NULL when it does not use OpenMP. */
const struct gomp_thread *gomp_find_thread(const struct gomp *gomp, taddr pthread);

/** The thread with this number in a team; NULL when there is none. */
const struct gomp_member *gomp_find_member(const struct gomp *gomp, taddr team, uint32_t num);

/** Reads a team. @return STATUS_CORRUPT when its numbers make no sense; STATUS_UNREADABLE */
CHECKED enum status gomp_read_team(const struct gomp *gomp, taddr addr, struct gomp_team *ret);

/** Reads one field of a struct at `addr`.
 * @return STATUS_UNSUPPORTED when its place is not known; STATUS_UNREADABLE; STATUS_CORRUPT for an
 * address where no struct can be
 */
CHECKED enum status
gomp_read_field(const struct gomp *gomp, taddr addr, unsigned field, uint64_t *ret);

/** The implicit task from which a task descends, or which it is.
 * @return STATUS_ABSENT when an ancestor is gone already; STATUS_UNSUPPORTED, STATUS_CORRUPT,
 * STATUS_UNREADABLE
 */
CHECKED enum status gomp_implicit_ancestor(const struct gomp *gomp, taddr task, taddr *ret);

/** Kind of a task. @return as gomp_read_field(); STATUS_CORRUPT when there is no such kind */
CHECKED enum status gomp_task_kind(const struct gomp *gomp, taddr task, enum gomp_task_kind *ret);

/** The task that a member executes in its region.
 * @param ret 0: the initial task, of which the runtime keeps no record
 * @return as gomp_implicit_ancestor()
 */
CHECKED enum status
gomp_member_task(const struct gomp *gomp, const struct gomp_member *member, taddr *ret);

/** The implicit task of a member.
 * @return STATUS_ABSENT when it is not known; as gomp_task_kind()
 */
CHECKED enum status
gomp_member_implicit_task(struct gomp *gomp, const struct gomp_member *member, taddr *ret);

#endif

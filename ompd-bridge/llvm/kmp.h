// SPDX-License-Identifier: BSD-3-Clause
// LLVM's OpenMP runtime in a process: its layouts, its array of threads, its teams.
#ifndef OMPD_BRIDGE_LLVM_KMP_H
#define OMPD_BRIDGE_LLVM_KMP_H

#include "ompd-bridge/nptl.h"
#include "ompd-bridge/llvm/published.h"

enum {
    KMP_THREADS_MAX = 1 << 17, // places in the array of threads
    KMP_LEVELS_MAX = 1 << 10,  // nested regions
};

/** A runtime in a process. */
struct kmp {
    struct inferior *inf;
    struct published table;
    const char *release; // "14"; "" when it is unknown and read all the same
    struct nptl nptl;
    bool has_nptl;        // false: OS thread ids are not known
    taddr variable;       // address of the pointer to the array of threads
    taddr threads;        // the array: pointers, NULL where there is no thread
    taddr named_capacity; // address of the variable that has it; 0: it has no name
    uint32_t capacity;    // places in the array
};

/** One thread of the runtime: the contents of its record. */
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
    taddr nested;  // its ompt_serialized_team_info: the first of the lightweight teams; 0: none
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
 * STATUS_UNSUPPORTED when its release is unknown; STATUS_CORRUPT, STATUS_UNREADABLE; the trail says
 * it for the user
 */
CHECKED enum status kmp_find(struct inferior *inf, struct kmp *ret);

/** Reads whether the runtime was started with OMP_DEBUG=enabled. */
CHECKED enum status kmp_read_tracking(const struct kmp *kmp, bool *ret);

/** Whether it is known to have been started so. */
bool kmp_is_tracking(const struct kmp *kmp);

/** Reads again what changes while the process runs. @return as kmp_find() */
CHECKED enum status kmp_refresh(struct kmp *kmp);

/** Reads the thread in place `index` of the array.
 * @return STATUS_ABSENT for an empty place; STATUS_CORRUPT when what is there cannot be a thread;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret);

/** The same for the thread whose kmp_info_t is at `addr`.
 * @param ret_index its place
 * @return STATUS_CORRUPT when no place of the array leads there
 */
CHECKED enum status
kmp_thread_at(const struct kmp *kmp, taddr addr, uint32_t *ret_index, struct kmp_thread *ret);

/** Address of a field of the struct at `base`. @param field an OFFSET_* */
taddr kmp_addr(const struct kmp *kmp, taddr base, enum published_entry field);

/** Reads a field of the struct at `base`, zero extended.
 * @param field an OFFSET_* whose kind is not INNER
 */
CHECKED enum status
kmp_get(const struct kmp *kmp, taddr base, enum published_entry field, uint64_t *ret);

/** Whether an address can be that of one of the runtime's objects. */
bool kmp_can_be_object(taddr addr);

/** Address of a field of a thread, team or task. @param field of the base struct */
taddr kmp_thread_field(const struct kmp *kmp, taddr thread, enum published_entry field);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The native reader of LLVM's OpenMP runtime: its state, and how it finds its objects again.
//
// A thread's object is the address of its kmp_info_t and its place in the array of threads; a
// region's that of its kmp_team_t and of the lightweight team that stands for it, 0 for the team
// itself (kmp.h); a task's that of its kmp_taskdata_t and of the lightweight team whose
// implicit task it is, 0 for the task itself.
#ifndef OMPD_BRIDGE_LLVM_LIBOMP_H
#define OMPD_BRIDGE_LLVM_LIBOMP_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/llvm/kmp.h"

struct backend_state {
    struct kmp kmp;
    struct diagnostics *diagnostics;
    struct kmp_seen seen;
    bool knows_threads;  // whether the array of threads has been found since the last refresh
    bool knows_tracking; // whether `tracking` has been found out since the last refresh
    bool tracking;       // the runtime keeps states
    bool tracks_by_wish; // because the user has asked it to
    uint32_t found;      // place of the thread that was asked for by its id the last time
    uint64_t found_id;   // that id
};

struct libomp_region {
    struct kmp_team team;
    taddr lwt;
    int64_t position; // regions between this one and the team's own
};

struct libomp_task {
    struct kmp_task task;
    struct libomp_region region;
};

/** Reads where the threads are, once after a refresh. Every question about threads begins with it.
 * @return as kmp_refresh() */
CHECKED enum status libomp_need_threads(struct backend_state *state);

/** Finds an object again. @return ompd_rc_stale_handle as far as memory shows that it has gone */
ompd_rc_t libomp_read_thread(struct backend_state *state, const struct omp_object *object,
                             struct kmp_thread *ret);
ompd_rc_t libomp_check_thread(struct backend_state *state, const struct omp_object *object);
ompd_rc_t libomp_read_region(struct backend_state *state, const struct omp_object *object,
                             struct libomp_region *ret);
ompd_rc_t libomp_read_task(struct backend_state *state, const struct omp_object *object,
                           struct libomp_task *ret);

/** The object of what is at an address; it is read, so that nothing else becomes an object. */
ompd_rc_t libomp_thread_object(struct backend_state *state, taddr thread, struct omp_object *ret);
ompd_rc_t
libomp_region_object(struct backend_state *state, taddr team, taddr lwt, struct omp_object *ret);
ompd_rc_t
libomp_task_object(struct backend_state *state, taddr task, taddr lwt, struct omp_object *ret);

/** Threads in the region: a lightweight team has one. */
int64_t libomp_region_size(const struct libomp_region *region);

/** Address of a field in OMPT's record of a task. */
taddr
libomp_task_info(const struct kmp *kmp, const struct libomp_task *task, enum published_entry field);

/** Where an OMPT tool's data of an object is. @return ompd_rc_bad_input when there is none of the
 * kind */
ompd_rc_t libomp_tool_data_at(struct backend_state *state, enum omp_kind kind,
                              const struct omp_object *object, taddr *ret);

// Questions of backend.h that others of the files ask or answer.
omp_step libomp_curr_parallel, libomp_curr_task;
ompd_rc_t libomp_task_counts(struct backend_state *state, const struct omp_object *object,
                             struct omp_task_counts *ret);
const struct omp_icv *libomp_icv(struct backend_state *state, unsigned number);

#endif

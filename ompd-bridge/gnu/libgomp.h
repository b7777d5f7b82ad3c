// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the reader of GNU's runtime.
//
// Objects: a thread is {its record, its pthread_t}. A region is {its team, 0}, or {pthread_t, 1}
// for the initial region of the thread with that pthread_t, of which the runtime keeps no record. A
// task is {its record, its region}, where the region is the team or the pthread_t; the record is 0
// for an initial task that has none.
#ifndef OMPD_BRIDGE_GNU_LIBGOMP_H
#define OMPD_BRIDGE_GNU_LIBGOMP_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/gnu/gomp.h"

struct backend_state {
    struct gomp gomp;
};

/** The code of OMPD for a status. */
ompd_rc_t libgomp_rc(enum status status);

/** The team of a region; an initial region is a team of one. @return ompd_rc_stale_handle when it
 * has gone */
ompd_rc_t
libgomp_team(struct backend_state *state, const struct omp_object *region, struct gomp_team *ret);

/** The thread behind an object. @return ompd_rc_stale_handle when it has gone */
ompd_rc_t libgomp_thread(struct backend_state *state, const struct omp_object *thread,
                         const struct gomp_thread **ret);

/** Kind of a task; one without a record is an initial task.
 * @return ompd_rc_stale_handle when its region has gone */
ompd_rc_t
libgomp_kind(struct backend_state *state, const struct omp_object *task, enum gomp_task_kind *ret);

/** The initial region of a thread. */
struct omp_object libgomp_initial(const struct gomp_thread *thread);

// Members of the contract.
omp_step libgomp_enclosing_parallel, libgomp_task_parallel, libgomp_curr_task,
    libgomp_generating_task, libgomp_scheduling_task;
ompd_rc_t libgomp_task_in_parallel(struct backend_state *state, const struct omp_object *parallel,
                                   int num, struct omp_object *ret);
ompd_rc_t
libgomp_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret);
ompd_rc_t libgomp_task_flags(struct backend_state *state, const struct omp_object *task,
                             struct omp_task_flags *ret);
const struct omp_icv *libgomp_icv(struct backend_state *state, unsigned number);

#endif

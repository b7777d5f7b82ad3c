// SPDX-License-Identifier: BSD-3-Clause
// The native reader of LLVM's OpenMP runtime: its state, and how it finds its objects again.
//
// A thread's object is the address of its kmp_info_t and its place in the array of threads; a
// region's that of its kmp_team_t and of the lightweight team that stands for it, 0 for the team
// itself (kmp_team.h); a task's that of its kmp_taskdata_t and of the lightweight team whose
// implicit task it is, 0 for the task itself.
#ifndef OMPD_BRIDGE_LIBOMP_H
#define OMPD_BRIDGE_LIBOMP_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/code.h"
#include "ompd-bridge/kmp_task.h"

struct backend_state {
    struct kmp kmp;
    struct notes *notes;
    bool knows_tracking; // whether `tracking` has been found out since the last refresh
    bool tracking;       // see libomp_tracks()
    uint32_t found;      // place of the thread that was asked for by its id the last time
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

/** Whether the runtime keeps states up to date; may look at all threads, once after a refresh. */
bool libomp_tracks(struct backend_state *state);

/** Says it when it is the object itself that was not found again. */
ompd_rc_t libomp_stale(enum status status);

/** Finds an object again. @return ompd_rc_stale_handle as far as memory tells that it has gone */
ompd_rc_t libomp_read_thread(struct backend_state *state, const struct omp_object *object,
                             struct kmp_thread *ret);
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

/** Where OMPT's record of a task is, an ompt_task_info_t. */
taddr libomp_task_info(const struct kmp *kmp, const struct libomp_task *task);

// The questions of backend.h.

ompd_rc_t libomp_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                             struct omp_object *ret);
ompd_rc_t libomp_thread_id(struct backend_state *state, const struct omp_object *object,
                           struct omp_thread_id *ret);
ompd_rc_t libomp_thread_state(struct backend_state *state, const struct omp_object *object,
                              ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id);
omp_step libomp_curr_parallel, libomp_curr_task;
omp_step libomp_enclosing_parallel;
ompd_rc_t libomp_thread_in_parallel(struct backend_state *state, const struct omp_object *object,
                                    int num, struct omp_object *ret);
ompd_rc_t libomp_task_in_parallel(struct backend_state *state, const struct omp_object *object,
                                  int num, struct omp_object *ret);
omp_step libomp_task_parallel, libomp_generating_task, libomp_scheduling_task;
ompd_rc_t
libomp_task_function(struct backend_state *state, const struct omp_object *object, taddr *ret);
ompd_rc_t libomp_task_frame(struct backend_state *state, const struct omp_object *object,
                            ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter);
ompd_rc_t libomp_task_flags(struct backend_state *state, const struct omp_object *object,
                            struct omp_task_flags *ret);
ompd_rc_t libomp_tool_data(struct backend_state *state, enum omp_kind kind,
                           const struct omp_object *object, ompd_word_t *ret_value, taddr *ret_ptr);
const struct omp_icv *libomp_icv(struct backend_state *state, unsigned number);
ompd_rc_t libomp_icv_value(struct backend_state *state, const struct omp_object *object,
                           unsigned number, ompd_word_t *ret);
ompd_rc_t libomp_icv_text(struct backend_state *state, const struct omp_object *object,
                          unsigned number, size_t size, char *ret);

#endif

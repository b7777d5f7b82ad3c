// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library what it knows of a task, and what a tool has attached to things.
#include "ompd-bridge/library.h"

// What ompd_frame_info_t.frame_flag can hold.
enum { FRAME_FLAGS = 0x31 };

// Whether it is the implicit task of a region with one thread.
static ompd_rc_t
is_serialised(struct backend_state *state, const struct omp_object *task, bool *ret)
{
    struct omp_object region;
    ompd_word_t implicit, size = 0;
    ompd_rc_t rc = library_icv_named(state, task, "implicit-task-var", &implicit);
    if (rc == ompd_rc_ok && implicit)
        rc = library_task_parallel(state, task, &region);
    if (rc == ompd_rc_ok && implicit) {
        rc = library_icv_named(state, &region, "team-size-var", &size);
        library_release(state, OMP_PARALLEL, &region);
    }
    *ret = size == 1;
    return rc;
}

// The runtime keeps no function of serialised regions; libompd gives one of an earlier region.
ompd_rc_t
library_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    ompd_address_t function = {0};
    bool serialised;
    ompd_rc_t rc = is_serialised(state, task, &serialised);
    if (rc == ompd_rc_ok && serialised)
        return ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        rc = ASK(state, get_task_function, library_handle(task), &function);
    if (rc == ompd_rc_bad_input || (rc == ompd_rc_ok && function.address == 0))
        return ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        *ret = function.address;
    return rc;
}

ompd_rc_t
library_task_frame(struct backend_state *state, const struct omp_object *task,
                   ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    ompd_frame_info_t exit_frame = {0}, enter_frame = {0};
    if (!library_is_tracking(state))
        return ompd_rc_needs_state_tracking;
    ompd_rc_t rc = ASK(state, get_task_frame, library_handle(task), &exit_frame, &enter_frame);
    if (rc != ompd_rc_ok)
        return rc;
    // Most releases do not set the flags: 0 then, as said above.
    exit_frame.frame_flag &= FRAME_FLAGS;
    enter_frame.frame_flag &= FRAME_FLAGS;
    *ret_exit = exit_frame;
    *ret_enter = enter_frame;
    return ompd_rc_ok;
}

ompd_rc_t
library_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr)
{
    static const ompd_scope_t scopes[] = {[OMP_THREAD] = ompd_scope_thread,
                                          [OMP_PARALLEL] = ompd_scope_parallel,
                                          [OMP_TASK] = ompd_scope_task};
    ompd_word_t value;
    ompd_address_t ptr;
    if (kind == OMP_SPACE)
        return ompd_rc_unsupported;
    if (!library_is_tracking(state))
        return ompd_rc_unavailable;
    ompd_rc_t rc = ASK(state, get_tool_data, library_handle(object), scopes[kind], &value, &ptr);
    if (rc != ompd_rc_ok)
        return rc;
    *ret_value = value;
    *ret_ptr = ptr.address;
    return ompd_rc_ok;
}

// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library for what leads from one thread, region or task to another.
#include "ompd-bridge/library.h"

// What libraries say when they find a NULL pointer where the next thing would be: there is none.
static ompd_rc_t
none_is_unavailable(ompd_rc_t rc)
{
    return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

static ompd_rc_t
adopt_answer(struct backend_state *state, ompd_rc_t rc, enum omp_kind kind, void *handle,
             struct omp_object *ret)
{
    return rc == ompd_rc_ok ? library_adopt(state, kind, handle, ret) : none_is_unavailable(rc);
}

static ompd_rc_t
last_region(struct backend_state *state, const struct omp_object *thread, struct omp_object *ret)
{
    ompd_parallel_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_curr_parallel_handle, library_handle(thread), &handle);
    return adopt_answer(state, rc, OMP_PARALLEL, handle, ret);
}

ompd_rc_t
library_enclosing_parallel(struct backend_state *state, const struct omp_object *region,
                           struct omp_object *ret)
{
    ompd_parallel_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_enclosing_parallel_handle, library_handle(region), &handle);
    return adopt_answer(state, rc, OMP_PARALLEL, handle, ret);
}

// Whether `wanted` is `region` or encloses it. Releases `region`.
static ompd_rc_t
encloses(struct backend_state *state, const struct omp_object *wanted, struct omp_object region,
         bool *ret)
{
    ompd_rc_t rc = ompd_rc_ok;
    for (unsigned level = 0; rc == ompd_rc_ok && level <= KMP_LEVELS_MAX; level++) {
        struct omp_object outer;
        *ret = region.addr == wanted->addr;
        if (!*ret)
            rc = library_enclosing_parallel(state, &region, &outer);
        library_release(state, OMP_PARALLEL, &region);
        if (*ret || rc != ompd_rc_ok)
            return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
        region = outer;
    }
    library_release(state, OMP_PARALLEL, &region);
    return ompd_rc_error;
}

// A region is over for a thread when the region's master has left it.
static ompd_rc_t
is_in_region(struct backend_state *state, const struct omp_object *region, bool *ret)
{
    struct omp_object master, masters_region;
    ompd_rc_t rc = library_thread_in_parallel(state, region, 0, &master);
    if (rc != ompd_rc_ok)
        return ompd_rc_error;
    rc = last_region(state, &master, &masters_region);
    library_release(state, OMP_THREAD, &master);
    return rc == ompd_rc_ok ? encloses(state, region, masters_region, ret) : ompd_rc_error;
}

// A region that does not have the thread whose last region it is makes no sense.
static ompd_rc_t
has_member(struct backend_state *state, const struct omp_object *region,
           const struct omp_object *thread)
{
    struct omp_object member;
    ompd_word_t num;
    ompd_rc_t rc = library_icv_named(state, thread, "thread-num-var", &num);
    if (rc != ompd_rc_ok || num > KMP_THREADS_MAX)
        return ompd_rc_error;
    rc = library_thread_in_parallel(state, region, (int) num, &member);
    if (rc != ompd_rc_ok)
        return ompd_rc_error;
    bool same = member.addr == thread->addr;
    library_release(state, OMP_THREAD, &member);
    return same ? ompd_rc_ok : ompd_rc_error;
}

// libompd gives the last region of a thread, also while the thread waits for the next one.
ompd_rc_t
library_curr_parallel(struct backend_state *state, const struct omp_object *thread,
                      struct omp_object *ret)
{
    struct omp_object region;
    bool in_region = false;
    ompd_rc_t rc = last_region(state, thread, &region);
    if (rc != ompd_rc_ok)
        return rc;
    rc = has_member(state, &region, thread);
    if (rc == ompd_rc_ok)
        rc = is_in_region(state, &region, &in_region);
    if (rc == ompd_rc_ok && !in_region)
        rc = ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        *ret = region;
    else
        library_release(state, OMP_PARALLEL, &region);
    return rc;
}

ompd_rc_t
library_task_parallel(struct backend_state *state, const struct omp_object *task,
                      struct omp_object *ret)
{
    ompd_parallel_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_task_parallel_handle, library_handle(task), &handle);
    return adopt_answer(state, rc, OMP_PARALLEL, handle, ret);
}

// A thread that waits for its next region keeps its last task as well.
ompd_rc_t
library_curr_task(struct backend_state *state, const struct omp_object *thread,
                  struct omp_object *ret)
{
    ompd_task_handle_t *handle = NULL;
    struct omp_object region;
    ompd_rc_t rc = library_curr_parallel(state, thread, &region);
    if (rc != ompd_rc_ok)
        return rc;
    library_release(state, OMP_PARALLEL, &region);
    rc = ASK(state, get_curr_task_handle, library_handle(thread), &handle);
    return adopt_answer(state, rc, OMP_TASK, handle, ret);
}

ompd_rc_t
library_generating_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    ompd_task_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_generating_task_handle, library_handle(task), &handle);
    return adopt_answer(state, rc, OMP_TASK, handle, ret);
}

// Which task an explicit one interrupts is written down only when states are tracked. Implicit ones
// interrupt none.
ompd_rc_t
library_scheduling_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    ompd_task_handle_t *handle = NULL;
    ompd_word_t implicit;
    ompd_rc_t rc = library_icv_named(state, task, "implicit-task-var", &implicit);
    if (rc != ompd_rc_ok)
        return rc;
    if (implicit)
        return ompd_rc_unavailable;
    if (!library_is_tracking(state))
        return ompd_rc_needs_state_tracking;
    rc = ASK(state, get_scheduling_task_handle, library_handle(task), &handle);
    return adopt_answer(state, rc, OMP_TASK, handle, ret);
}

// libompd takes any number, and reads past the end of the team's arrays.
static ompd_rc_t
check_number(struct backend_state *state, const struct omp_object *region, int num)
{
    ompd_word_t size;
    ompd_rc_t rc = library_icv_named(state, region, "team-size-var", &size);
    if (rc != ompd_rc_ok)
        return rc;
    return num >= 0 && num < size ? ompd_rc_ok : ompd_rc_bad_input;
}

ompd_rc_t
library_thread_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                           struct omp_object *ret)
{
    ompd_thread_handle_t *handle = NULL;
    ompd_rc_t rc = check_number(state, region, num);
    if (rc != ompd_rc_ok)
        return rc;
    rc = ASK(state, get_thread_in_parallel, library_handle(region), num, &handle);
    return adopt_answer(state, rc, OMP_THREAD, handle, ret);
}

ompd_rc_t
library_task_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                         struct omp_object *ret)
{
    ompd_task_handle_t *handle = NULL;
    ompd_rc_t rc = check_number(state, region, num);
    if (rc != ompd_rc_ok)
        return rc;
    rc = ASK(state, get_task_in_parallel, library_handle(region), num, &handle);
    return adopt_answer(state, rc, OMP_TASK, handle, ret);
}

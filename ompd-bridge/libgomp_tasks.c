// SPDX-License-Identifier: BSD-3-Clause
// The native reader of GNU's OpenMP runtime: tasks.
#include "ompd-bridge/libgomp.h"

// The region of a task.
static struct omp_object
region_of(struct backend_state *state, const struct omp_object *task)
{
    bool initial = gomp_find_thread(&state->gomp, task->detail) != NULL;
    return (struct omp_object){task->detail, initial};
}

ompd_rc_t
libgomp_kind(struct backend_state *state, const struct omp_object *task, enum gomp_task_kind *ret)
{
    struct omp_object region = region_of(state, task);
    struct gomp_team team;
    ompd_rc_t rc = libgomp_team(state, &region, &team);
    if (rc != ompd_rc_ok)
        return rc;
    *ret = GOMP_IMPLICIT;
    if (task->addr == 0)
        return region.detail ? ompd_rc_ok : ompd_rc_stale_handle;
    return libgomp_rc(gomp_task_kind(&state->gomp, task->addr, ret));
}

ompd_rc_t
libgomp_task_parallel(struct backend_state *state, const struct omp_object *task,
                      struct omp_object *ret)
{
    enum gomp_task_kind kind;
    ompd_rc_t rc = libgomp_kind(state, task, &kind);
    if (rc == ompd_rc_ok)
        *ret = region_of(state, task);
    return rc;
}

ompd_rc_t
libgomp_curr_task(struct backend_state *state, const struct omp_object *object,
                  struct omp_object *ret)
{
    const struct gomp_thread *thread = NULL;
    ompd_rc_t rc = libgomp_thread(state, object, &thread);
    if (rc != ompd_rc_ok)
        return rc;
    if (thread->idle)
        return ompd_rc_unavailable;
    if (thread->place.team != 0 && thread->task == 0)
        return ompd_rc_error;
    taddr region = thread->place.team ? thread->place.team : thread->pthread;
    *ret = (struct omp_object){thread->task, region};
    return ompd_rc_ok;
}

// An implicit task's parent is the task that encountered the region: in the region around it.
static ompd_rc_t
parent_of_implicit(struct backend_state *state, const struct omp_object *task, taddr parent,
                   struct omp_object *ret)
{
    struct omp_object region = region_of(state, task), around;
    ompd_rc_t rc = libgomp_enclosing_parallel(state, &region, &around);
    if (rc != ompd_rc_ok)
        return rc;
    if (parent == 0 && around.detail == 0)
        return ompd_rc_error;
    *ret = (struct omp_object){parent, around.addr};
    return ompd_rc_ok;
}

ompd_rc_t
libgomp_generating_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    enum gomp_task_kind kind;
    uint64_t parent = 0;
    ompd_rc_t rc = libgomp_kind(state, task, &kind);
    if (rc == ompd_rc_ok && task->addr == 0)
        rc = ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        rc = libgomp_rc(gomp_read_field(&state->gomp, task->addr, F(gomp_task, parent), &parent));
    if (rc != ompd_rc_ok)
        return rc;
    if (kind == GOMP_IMPLICIT)
        return parent_of_implicit(state, task, parent, ret);
    // Of a task whose parent is complete the runtime forgets the parent. In the initial region the
    // initial task may have no record.
    if (parent == 0 && !region_of(state, task).detail)
        return ompd_rc_unavailable;
    *ret = (struct omp_object){parent, task->detail};
    return ompd_rc_ok;
}

// Whether an implicit task belongs to the thread that made its region.
static ompd_rc_t
check_is_masters(struct backend_state *state, const struct omp_object *task)
{
    struct omp_object region = region_of(state, task), masters;
    if (region.detail != 0)
        return ompd_rc_unavailable;
    ompd_rc_t rc = libgomp_task_in_parallel(state, &region, 0, &masters);
    if (rc == ompd_rc_ok && masters.addr != task->addr)
        rc = ompd_rc_unavailable;
    return rc;
}

// Where a deferred task is executed, the task that it interrupts is known to the stack only.
ompd_rc_t
libgomp_scheduling_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    enum gomp_task_kind kind;
    ompd_rc_t rc = libgomp_kind(state, task, &kind);
    if (rc == ompd_rc_ok && kind == GOMP_IMPLICIT)
        rc = check_is_masters(state, task);
    else if (rc == ompd_rc_ok && kind != GOMP_UNDEFERRED)
        rc = ompd_rc_unsupported;
    return rc == ompd_rc_ok ? libgomp_generating_task(state, task, ret) : rc;
}

// The initial task of a thread: what its outermost region's implicit tasks descend from.
static ompd_rc_t
initial_task(struct backend_state *state, taddr pthread, struct omp_object *ret)
{
    const struct gomp *gomp = &state->gomp;
    const struct gomp_thread *thread = gomp_find_thread(gomp, pthread);
    struct gomp_member member = {.thread = thread};
    taddr task = 0;
    for (unsigned i = 0; i < gomp->n_members; i++)
        if (gomp->members[i].thread == thread && gomp->members[i].depth >= member.depth)
            member.depth = gomp->members[i].depth + 1;
    enum status status = gomp_member_task(gomp, &member, &task);
    // Tasks outside of all regions are not deferred, so that their parents are there.
    if (status == STATUS_OK && task != 0)
        status = gomp_implicit_ancestor(gomp, task, &task);
    if (status == STATUS_ABSENT) {
        task = 0;
        status = STATUS_OK;
    }
    if (status == STATUS_OK)
        *ret = (struct omp_object){task, pthread};
    return libgomp_rc(status);
}

ompd_rc_t
libgomp_task_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                         struct omp_object *ret)
{
    struct gomp_team team;
    taddr task = 0;
    ompd_rc_t rc = libgomp_team(state, region, &team);
    if (rc != ompd_rc_ok)
        return rc;
    if (num < 0 || (uint32_t) num >= team.size)
        return ompd_rc_bad_input;
    if (region->detail != 0)
        return initial_task(state, region->addr, ret);
    const struct gomp_member *member = gomp_find_member(&state->gomp, region->addr, (uint32_t) num);
    if (!member)
        return ompd_rc_unsupported;
    rc = libgomp_rc(gomp_member_implicit_task(&state->gomp, member, &task));
    if (rc == ompd_rc_ok)
        *ret = (struct omp_object){task, region->addr};
    return rc;
}

// The function of a task that is not deferred is called and not kept.
ompd_rc_t
libgomp_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    enum gomp_task_kind kind;
    uint64_t function = 0;
    ompd_rc_t rc = libgomp_kind(state, task, &kind);
    if (rc != ompd_rc_ok)
        return rc;
    if (kind == GOMP_IMPLICIT || kind == GOMP_UNDEFERRED)
        return ompd_rc_unsupported;
    rc = libgomp_rc(gomp_read_field(&state->gomp, task->addr, F(gomp_task, fn), &function));
    if (rc == ompd_rc_ok && function == 0)
        rc = ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        *ret = function;
    return rc;
}

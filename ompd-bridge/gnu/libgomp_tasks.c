// SPDX-License-Identifier: BSD-3-Clause
// The native reader of GNU's OpenMP runtime: tasks, how they descend from each other, what they do.
#include "ompd-bridge/gnu/libgomp.h"

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
    RC_TRY(libgomp_team(state, &region, &team));
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
    RC_TRY(libgomp_kind(state, task, &kind));
    *ret = region_of(state, task);
    return ompd_rc_ok;
}

ompd_rc_t
libgomp_curr_task(struct backend_state *state, const struct omp_object *object,
                  struct omp_object *ret)
{
    const struct gomp_thread *thread = NULL;
    RC_TRY(libgomp_thread(state, object, &thread));
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
    RC_TRY(libgomp_enclosing_parallel(state, &region, &around));
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
    RC_TRY(libgomp_kind(state, task, &kind));
    if (task->addr == 0)
        return ompd_rc_unavailable;
    RC_TRY(libgomp_rc(gomp_read_field(&state->gomp, task->addr, F(gomp_task, parent), &parent)));
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
    RC_TRY(libgomp_task_in_parallel(state, &region, 0, &masters));
    return masters.addr == task->addr ? ompd_rc_ok : ompd_rc_unavailable;
}

// Where a deferred task is executed, the task that it interrupts is known to the stack only.
ompd_rc_t
libgomp_scheduling_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    enum gomp_task_kind kind;
    RC_TRY(libgomp_kind(state, task, &kind));
    if (kind == GOMP_IMPLICIT)
        RC_TRY(check_is_masters(state, task));
    else if (kind != GOMP_UNDEFERRED)
        return ompd_rc_unsupported;
    return libgomp_generating_task(state, task, ret);
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
    *ret = (struct omp_object){status == STATUS_ABSENT ? 0 : task, pthread};
    return status == STATUS_ABSENT ? ompd_rc_ok : libgomp_rc(status);
}

ompd_rc_t
libgomp_task_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                         struct omp_object *ret)
{
    struct gomp_team team;
    taddr task = 0;
    RC_TRY(libgomp_team(state, region, &team));
    if (num < 0 || (uint32_t) num >= team.size)
        return ompd_rc_bad_input;
    if (region->detail != 0)
        return initial_task(state, region->addr, ret);
    const struct gomp_member *member = gomp_find_member(&state->gomp, region->addr, (uint32_t) num);
    if (!member)
        return ompd_rc_unsupported;
    RC_TRY(libgomp_rc(gomp_member_implicit_task(&state->gomp, member, &task)));
    *ret = (struct omp_object){task, region->addr};
    return ompd_rc_ok;
}

// The function of a task that is not deferred is called and not kept.
ompd_rc_t
libgomp_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    enum gomp_task_kind kind;
    RC_TRY(libgomp_kind(state, task, &kind));
    if (kind == GOMP_IMPLICIT || kind == GOMP_UNDEFERRED)
        return ompd_rc_unsupported;
    RC_TRY(libgomp_rc(gomp_read_field(&state->gomp, task->addr, F(gomp_task, fn), ret)));
    return *ret ? ompd_rc_ok : ompd_rc_unavailable;
}

// Whether the flag in the struct that a task points to is set: the task waits; false when it points
// to none.
static enum status
waits(const struct gomp *gomp, taddr task, unsigned pointer, unsigned flag, bool *ret)
{
    uint64_t addr = 0, value = 0;
    TRY(gomp_read_field(gomp, task, pointer, &addr));
    if (addr != 0)
        TRY(gomp_read_field(gomp, addr, flag, &value));
    if (value > 1)
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "an OpenMP flag is invalid");
    *ret = value != 0;
    return STATUS_OK;
}

// Tasks share the taskgroup of the task that they descend from. At its end waits the one that has
// begun it: that no ancestor shares it with.
static enum status
waits_for_taskgroup(const struct gomp *gomp, taddr task, bool *ret)
{
    uint64_t group = 0, parent = task, other = 0;
    enum gomp_task_kind kind = GOMP_IMPLICIT;
    bool in_wait = false;
    TRY(waits(gomp, task, F(gomp_task, taskgroup), F(gomp_taskgroup, in_taskgroup_wait), &in_wait));
    TRY(gomp_read_field(gomp, task, F(gomp_task, taskgroup), &group));
    *ret = in_wait;
    for (unsigned i = 0; *ret && i < GOMP_ANCESTORS_MAX; i++) {
        TRY(gomp_task_kind(gomp, parent, &kind));
        if (kind == GOMP_IMPLICIT)
            return STATUS_OK;
        TRY(gomp_read_field(gomp, parent, F(gomp_task, parent), &parent));
        if (parent == 0)
            return STATUS_ABSENT;
        TRY(gomp_read_field(gomp, parent, F(gomp_task, taskgroup), &other));
        *ret = other != group;
    }
    return STATUS_OK;
}

static void
add_flag(struct omp_task_flags *flags, enum omp_task_flag flag, bool known, bool set)
{
    if (known)
        flags->known |= flag;
    if (known && set)
        flags->set |= flag;
}

ompd_rc_t
libgomp_task_flags(struct backend_state *state, const struct omp_object *task,
                   struct omp_task_flags *ret)
{
    const struct gomp *gomp = &state->gomp;
    struct omp_task_flags flags = {0, 0};
    enum gomp_task_kind kind;
    uint64_t final = 0;
    bool flag = false, known = true;
    RC_TRY(libgomp_kind(state, task, &kind));
    add_flag(&flags, OMP_TASK_IMPLICIT, true, kind == GOMP_IMPLICIT);
    add_flag(&flags, OMP_TASK_UNDEFERRED, true, kind == GOMP_UNDEFERRED);
    add_flag(&flags, OMP_TASK_STARTED, true, kind != GOMP_WAITING);
    // An initial task without a record is as omp_in_final() says, and has no tasks to wait for.
    if (task->addr != 0)
        known = gomp_read_field(gomp, task->addr, F(gomp_task, final_task), &final) == STATUS_OK;
    add_flag(&flags, OMP_TASK_FINAL, known, final != 0);
    if (task->addr != 0)
        known = waits(gomp, task->addr, F(gomp_task, taskwait), F(gomp_taskwait, in_taskwait),
                      &flag) == STATUS_OK;
    add_flag(&flags, OMP_TASK_IN_TASKWAIT, known, flag);
    if (task->addr != 0)
        known = waits_for_taskgroup(gomp, task->addr, &flag) == STATUS_OK;
    add_flag(&flags, OMP_TASK_IN_TASKGROUP_END, known, flag);
    *ret = flags;
    return ompd_rc_ok;
}

// SPDX-License-Identifier: BSD-3-Clause
// The native reader of GNU's OpenMP runtime: what a task and a thread do at the moment.
#include "ompd-bridge/libgomp.h"
#include "ompd-bridge/states.h"

// Whether the struct that a task points to says that the task waits; false when it points to none.
static enum status
waits(const struct gomp *gomp, taddr task, unsigned pointer, unsigned flag, bool *ret)
{
    uint64_t addr = 0, value = 0;
    TRY(gomp_read_field(gomp, task, pointer, &addr));
    if (addr != 0)
        TRY(gomp_read_field(gomp, addr, flag, &value));
    if (value > 1)
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "an OpenMP flag makes no sense");
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
    bool flag = false;
    ompd_rc_t rc = libgomp_kind(state, task, &kind);
    if (rc != ompd_rc_ok)
        return rc;
    add_flag(&flags, OMP_TASK_IMPLICIT, true, kind == GOMP_IMPLICIT);
    add_flag(&flags, OMP_TASK_UNDEFERRED, true, kind == GOMP_UNDEFERRED);
    add_flag(&flags, OMP_TASK_STARTED, true, kind != GOMP_WAITING);
    if (task->addr != 0) {
        bool known =
            gomp_read_field(gomp, task->addr, F(gomp_task, final_task), &final) == STATUS_OK;
        add_flag(&flags, OMP_TASK_FINAL, known, final != 0);
        known = waits(gomp, task->addr, F(gomp_task, taskwait), F(gomp_taskwait, in_taskwait),
                      &flag) == STATUS_OK;
        add_flag(&flags, OMP_TASK_IN_TASKWAIT, known, flag);
        known = waits_for_taskgroup(gomp, task->addr, &flag) == STATUS_OK;
        add_flag(&flags, OMP_TASK_IN_TASKGROUP_END, known, flag);
    }
    *ret = flags;
    return ompd_rc_ok;
}

// Nothing tells a thread that works from one that waits at a barrier or for a lock.
ompd_rc_t
libgomp_thread_state(struct backend_state *state, const struct omp_object *object,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    const struct gomp_thread *thread = NULL;
    struct omp_object task;
    struct omp_task_flags flags = {0, 0};
    ompd_rc_t rc = libgomp_thread(state, object, &thread);
    if (rc != ompd_rc_ok)
        return rc;
    ompd_word_t number = OMP_STATE_idle;
    if (!thread->idle) {
        rc = libgomp_curr_task(state, object, &task);
        if (rc == ompd_rc_ok)
            rc = libgomp_task_flags(state, &task, &flags);
        if (rc != ompd_rc_ok)
            return rc;
        if (flags.set & OMP_TASK_IN_TASKWAIT)
            number = OMP_STATE_wait_taskwait;
        else if (flags.set & OMP_TASK_IN_TASKGROUP_END)
            number = OMP_STATE_wait_taskgroup;
        else
            return ompd_rc_unsupported;
    }
    *ret_state = number;
    *ret_wait_id = 0;
    return ompd_rc_ok;
}

// Threads of the team that execute an explicit task now. The runtime's own counter leaves out those
// that execute one while they wait in a taskwait or taskgroup.
static ompd_rc_t
count_running(struct backend_state *state, taddr team, uint32_t size, int64_t *ret)
{
    int64_t running = 0;
    for (uint32_t i = 0; i < size; i++) {
        const struct gomp_member *member = gomp_find_member(&state->gomp, team, i);
        taddr task = 0;
        enum gomp_task_kind kind = GOMP_IMPLICIT;
        if (!member)
            continue;
        ompd_rc_t rc = libgomp_rc(gomp_member_task(&state->gomp, member, &task));
        if (rc == ompd_rc_ok && task != 0)
            rc = libgomp_rc(gomp_task_kind(&state->gomp, task, &kind));
        if (rc != ompd_rc_ok)
            return rc;
        running += kind != GOMP_IMPLICIT;
    }
    *ret = running;
    return ompd_rc_ok;
}

ompd_rc_t
libgomp_task_counts(struct backend_state *state, const struct omp_object *region,
                    struct omp_task_counts *ret)
{
    struct gomp_team team;
    struct omp_task_counts counts;
    uint64_t queued = 0, all = 0;
    ompd_rc_t rc = libgomp_team(state, region, &team);
    if (rc == ompd_rc_ok && region->detail != 0)
        rc = ompd_rc_unsupported;
    if (rc == ompd_rc_ok)
        rc = libgomp_rc(
            gomp_read_field(&state->gomp, team.addr, F(gomp_team, task_queued_count), &queued));
    if (rc == ompd_rc_ok)
        rc = libgomp_rc(gomp_read_field(&state->gomp, team.addr, F(gomp_team, task_count), &all));
    if (rc == ompd_rc_ok && queued > all)
        rc = ompd_rc_error;
    if (rc == ompd_rc_ok)
        rc = count_running(state, team.addr, team.size, &counts.running);
    if (rc != ompd_rc_ok)
        return rc;
    counts.queued = (int64_t) queued;
    *ret = counts;
    return ompd_rc_ok;
}

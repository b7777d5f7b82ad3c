// SPDX-License-Identifier: BSD-3-Clause
// Finds the threads, regions and tasks of the native reader again, makes objects of them, and finds
// what OMPT tools have attached to them.
#include "ompd-bridge/llvm/libomp.h"

#include <inttypes.h>

// It is the object itself that was not found again.
static ompd_rc_t
stale(enum status status)
{
    ompd_rc_t rc = rc_of(status);
    return rc == ompd_rc_error ? ompd_rc_stale_handle : rc;
}

enum status
libomp_need_threads(struct backend_state *state)
{
    if (state->knows_threads)
        return STATUS_OK;
    TRY(kmp_refresh(&state->kmp));
    state->knows_threads = true;
    return STATUS_OK;
}

static enum status
read_thread(struct backend_state *state, const struct omp_object *object, struct kmp_thread *ret)
{
    TRY(libomp_need_threads(state));
    if (object->detail >= state->kmp.capacity)
        return STATUS_ABSENT;
    TRY(kmp_read_thread(&state->kmp, (uint32_t) object->detail, ret));
    return ret->addr == object->addr ? STATUS_OK : STATUS_ABSENT;
}

static enum status
read_region(struct backend_state *state, taddr team, taddr lwt, struct libomp_region *ret)
{
    bool alive;
    ret->lwt = lwt;
    TRY(kmp_read_team(&state->kmp, team, &ret->team));
    TRY(kmp_lwt_position(&state->kmp, &ret->team, lwt, &ret->position));
    TRY(kmp_team_alive(&state->kmp, &ret->team, &alive));
    if (!alive)
        return trail_begin(&state->kmp.inf->trail, STATUS_ABSENT,
                           "the region of the OpenMP team at 0x%" PRIx64 " is over", team);
    return STATUS_OK;
}

// An implicit task is where its team has it, which shows all but what it keeps itself.
static enum status
read_in_team(struct backend_state *state, taddr addr, taddr team, struct libomp_task *ret)
{
    ret->task = (struct kmp_task){.addr = addr, .team = team, .is_implicit = true};
    ret->region = (struct libomp_region){.team = {.addr = team}};
    if (!kmp_has_nested(&state->kmp, team))
        TRY(read_region(state, team, 0, &ret->region));
    return kmp_check_implicit(&state->kmp, &ret->region.team, &ret->task);
}

// By the team that it had when it was asked for before.
static bool
read_seen(struct backend_state *state, taddr addr, struct libomp_task *ret)
{
    if (!state->kmp.seen || KMP_SEEN_AT(state->kmp.seen->tasks, addr)->from != addr)
        return false;
    taddr team = KMP_SEEN_AT(state->kmp.seen->tasks, addr)->to;
    return read_in_team(state, addr, team, ret) == STATUS_OK;
}

static void
note_task(const struct kmp *kmp, const struct kmp_task *task)
{
    if (kmp->seen && task->is_implicit) {
        KMP_SEEN_AT(kmp->seen->tasks, task->addr)->from = task->addr;
        KMP_SEEN_AT(kmp->seen->tasks, task->addr)->to = task->team;
    }
}

static enum status
read_task(struct backend_state *state, taddr addr, taddr lwt, struct libomp_task *ret)
{
    if (lwt == 0 && read_seen(state, addr, ret))
        return STATUS_OK;
    TRY(kmp_read_task(&state->kmp, addr, &ret->task));
    if (lwt != 0 && !ret->task.is_implicit)
        return trail_begin(&state->kmp.inf->trail, STATUS_CORRUPT,
                           "OpenMP task at 0x%" PRIx64 " is not implicit", addr);
    TRY(read_region(state, ret->task.team, lwt, &ret->region));
    TRY(kmp_check_implicit(&state->kmp, &ret->region.team, &ret->task));
    note_task(&state->kmp, &ret->task);
    return STATUS_OK;
}

ompd_rc_t
libomp_read_thread(struct backend_state *state, const struct omp_object *object,
                   struct kmp_thread *ret)
{
    return stale(read_thread(state, object, ret));
}

ompd_rc_t
libomp_check_thread(struct backend_state *state, const struct omp_object *object)
{
    struct kmp_thread thread;
    const struct kmp *kmp = &state->kmp;
    if (!kmp->seen)
        return libomp_read_thread(state, object, &thread);
    RC_TRY(stale(libomp_need_threads(state)));
    RC_TRY(stale(kmp_check_place(kmp, object->detail, object->addr)));
    return ompd_rc_ok;
}

ompd_rc_t
libomp_read_region(struct backend_state *state, const struct omp_object *object,
                   struct libomp_region *ret)
{
    return stale(read_region(state, object->addr, object->detail, ret));
}

ompd_rc_t
libomp_read_task(struct backend_state *state, const struct omp_object *object,
                 struct libomp_task *ret)
{
    return stale(read_task(state, object->addr, object->detail, ret));
}

ompd_rc_t
libomp_thread_object(struct backend_state *state, taddr thread, struct omp_object *ret)
{
    ret->addr = thread;
    RC_TRY(rc_of(libomp_need_threads(state)));
    return rc_of(kmp_thread_at(&state->kmp, thread, &ret->detail));
}

ompd_rc_t
libomp_region_object(struct backend_state *state, taddr team, taddr lwt, struct omp_object *ret)
{
    struct libomp_region unused;
    *ret = (struct omp_object){team, lwt};
    return rc_of(read_region(state, team, lwt, &unused));
}

ompd_rc_t
libomp_task_object(struct backend_state *state, taddr task, taddr lwt, struct omp_object *ret)
{
    struct libomp_task unused;
    *ret = (struct omp_object){task, lwt};
    return rc_of(read_task(state, task, lwt, &unused));
}

int64_t
libomp_region_size(const struct libomp_region *region)
{
    return region->lwt != 0 ? 1 : region->team.size;
}

// Address of a field in a record of OMPT's, which a task or team has as its `own`, but which stands
// in a lightweight team's `copy` when there is one.
static taddr
ompt_field(const struct kmp *kmp, taddr owner, enum published_entry own, taddr lwt,
           enum published_entry copy, enum published_entry field)
{
    if (lwt != 0)
        owner = kmp_addr(kmp, lwt, copy) - published_offset(&kmp->table, own);
    return kmp_addr(kmp, owner, field);
}

taddr
libomp_task_info(const struct kmp *kmp, const struct libomp_task *task, enum published_entry field)
{
    return ompt_field(kmp, task->task.addr, OFFSET_kmp_taskdata_t__ompt_task_info, task->region.lwt,
                      OFFSET_ompt_lw_taskteam_t__ompt_task_info, field);
}

ompd_rc_t
libomp_tool_data_at(struct backend_state *state, enum omp_kind kind,
                    const struct omp_object *object, taddr *ret)
{
    const struct kmp *kmp = &state->kmp;
    struct libomp_region region;
    struct libomp_task task;
    switch (kind) {
    case OMP_THREAD:
        RC_TRY(libomp_check_thread(state, object));
        *ret = kmp_addr(kmp, object->addr, OFFSET_ompt_thread_info_t__thread_data);
        return ompd_rc_ok;
    case OMP_PARALLEL:
        RC_TRY(libomp_read_region(state, object, &region));
        *ret = ompt_field(kmp, region.team.addr, OFFSET_kmp_base_team_t__ompt_team_info, region.lwt,
                          OFFSET_ompt_lw_taskteam_t__ompt_team_info,
                          OFFSET_ompt_team_info_t__parallel_data);
        return ompd_rc_ok;
    case OMP_TASK:
        RC_TRY(libomp_read_task(state, object, &task));
        *ret = libomp_task_info(kmp, &task, OFFSET_ompt_task_info_t__task_data);
        return ompd_rc_ok;
    default:
        return ompd_rc_bad_input;
    }
}

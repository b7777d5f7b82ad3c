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

static enum status
read_thread(struct backend_state *state, const struct omp_object *object, struct kmp_thread *ret)
{
    struct kmp_thread thread;
    if (object->detail >= state->kmp.capacity)
        return STATUS_ABSENT;
    TRY(kmp_read_thread(&state->kmp, (uint32_t) object->detail, &thread));
    if (thread.addr != object->addr)
        return STATUS_ABSENT;
    *ret = thread;
    return STATUS_OK;
}

static enum status
read_region(struct backend_state *state, taddr team, taddr lwt, struct libomp_region *ret)
{
    struct libomp_region region = {.lwt = lwt};
    bool alive;
    TRY(kmp_read_team(&state->kmp, team, &region.team));
    TRY(kmp_lwt_position(&state->kmp, &region.team, lwt, &region.position));
    TRY(kmp_team_alive(&state->kmp, &region.team, &alive));
    if (!alive)
        return trail_begin(&state->kmp.inf->trail, STATUS_ABSENT,
                           "the region of the OpenMP team at 0x%" PRIx64 " is over", team);
    *ret = region;
    return STATUS_OK;
}

static enum status
read_task(struct backend_state *state, taddr addr, taddr lwt, struct libomp_task *ret)
{
    struct libomp_task task;
    TRY(kmp_read_task(&state->kmp, addr, &task.task));
    if (lwt != 0 && !kmp_task_is_implicit(&state->kmp, &task.task))
        return trail_begin(&state->kmp.inf->trail, STATUS_CORRUPT,
                           "OpenMP task at 0x%" PRIx64 " is not implicit", addr);
    TRY(read_region(state, task.task.team, lwt, &task.region));
    TRY(kmp_check_implicit(&state->kmp, &task.region.team, &task.task));
    *ret = task;
    return STATUS_OK;
}

ompd_rc_t
libomp_read_thread(struct backend_state *state, const struct omp_object *object,
                   struct kmp_thread *ret)
{
    return stale(read_thread(state, object, ret));
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
    struct kmp_thread unused;
    uint32_t index;
    enum status status = kmp_thread_at(&state->kmp, thread, &index, &unused);
    if (status == STATUS_OK)
        *ret = (struct omp_object){thread, index};
    return rc_of(status);
}

ompd_rc_t
libomp_region_object(struct backend_state *state, taddr team, taddr lwt, struct omp_object *ret)
{
    struct libomp_region unused;
    enum status status = read_region(state, team, lwt, &unused);
    if (status == STATUS_OK)
        *ret = (struct omp_object){team, lwt};
    return rc_of(status);
}

ompd_rc_t
libomp_task_object(struct backend_state *state, taddr task, taddr lwt, struct omp_object *ret)
{
    struct libomp_task unused;
    enum status status = read_task(state, task, lwt, &unused);
    if (status == STATUS_OK)
        *ret = (struct omp_object){task, lwt};
    return rc_of(status);
}

int64_t
libomp_region_size(const struct libomp_region *region)
{
    return region->lwt != 0 ? 1 : region->team.size;
}

taddr
libomp_task_info(const struct kmp *kmp, const struct libomp_task *task)
{
    if (task->region.lwt != 0)
        return kmp_addr(kmp, task->region.lwt, OFFSET_ompt_lw_taskteam_t__ompt_task_info);
    return kmp_addr(kmp, task->task.addr, OFFSET_kmp_taskdata_t__ompt_task_info);
}

static ompd_rc_t
find_regions_data(struct backend_state *state, const struct omp_object *object, taddr *ret)
{
    const struct kmp *kmp = &state->kmp;
    struct libomp_region region;
    RC_TRY(libomp_read_region(state, object, &region));
    taddr info =
        region.lwt != 0
            ? kmp_addr(kmp, region.lwt, OFFSET_ompt_lw_taskteam_t__ompt_team_info)
            : kmp_team_field(kmp, region.team.addr, OFFSET_kmp_base_team_t__ompt_team_info);
    *ret = kmp_addr(kmp, info, OFFSET_ompt_team_info_t__parallel_data);
    return ompd_rc_ok;
}

ompd_rc_t
libomp_tool_data_at(struct backend_state *state, enum omp_kind kind,
                    const struct omp_object *object, taddr *ret)
{
    const struct kmp *kmp = &state->kmp;
    struct kmp_thread thread;
    struct libomp_task task;
    if (kind == OMP_PARALLEL)
        return find_regions_data(state, object, ret);
    if (kind == OMP_THREAD) {
        RC_TRY(libomp_read_thread(state, object, &thread));
        taddr info = kmp_thread_field(kmp, thread.addr, OFFSET_kmp_base_info_t__ompt_thread_info);
        *ret = kmp_addr(kmp, info, OFFSET_ompt_thread_info_t__thread_data);
        return ompd_rc_ok;
    }
    RC_TRY(kind == OMP_TASK ? libomp_read_task(state, object, &task) : ompd_rc_bad_input);
    *ret = kmp_addr(kmp, libomp_task_info(kmp, &task), OFFSET_ompt_task_info_t__task_data);
    return ompd_rc_ok;
}

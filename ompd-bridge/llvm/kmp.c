// SPDX-License-Identifier: BSD-3-Clause
// Threads, teams and tasks of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/llvm/kmp.h"

#include <inttypes.h>

enum { POINTER_ALIGN = 4 }; // bytes; the least that pointers of any data model have

bool
kmp_can_be_object(taddr addr)
{
    return addr >= 4096 && addr % POINTER_ALIGN == 0;
}

taddr
kmp_addr(const struct kmp *kmp, taddr base, enum published_entry field)
{
    return base + published_offset(&kmp->table, field);
}

enum status
kmp_get(const struct kmp *kmp, taddr base, enum published_entry field, uint64_t *ret)
{
    size_t width = (size_t) kmp->table.values[field + PUBLISHED_FIELDS];
    return inferior_read_uint(kmp->inf, kmp_addr(kmp, base, field), width, ret);
}

enum status
kmp_get_signed(const struct kmp *kmp, taddr base, enum published_entry field, int64_t *ret)
{
    uint64_t value;
    TRY(kmp_get(kmp, base, field, &value));
    *ret = kmp->table.values[field + PUBLISHED_FIELDS] == 1 ? (int8_t) value : (int32_t) value;
    return STATUS_OK;
}

// Why the thing at an address cannot be read.
static enum status
failed(const struct kmp *kmp, enum status status, const char *what, taddr addr)
{
    return trail_begin(&kmp->inf->trail, status, "%s at 0x%" PRIx64 ": %s", what, addr,
                       status_text((int) status));
}

// Behind its number in the team, a thread keeps its place in the array. Not published, but in the
// same place in all releases so far; it makes every thread count once.
static enum status
read_place(const struct kmp *kmp, taddr thread, uint64_t *ret)
{
    const struct published *t = &kmp->table;
    uint64_t behind = t->values[OFFSET_kmp_desc_base_t__ds_tid] + 4;
    if (behind + 4 > t->values[WIDTH_kmp_desc_t__ds])
        return STATUS_CORRUPT;
    taddr num = kmp_addr(kmp, thread, OFFSET_kmp_desc_base_t__ds_tid);
    return inferior_read_uint(kmp->inf, num + 4, 4, ret);
}

enum { IN_POOL = -2 }; // number of a thread that waits in the pool of Intel's runtime of 2026

static enum status
read_record(const struct kmp *kmp, uint32_t index, struct kmp_thread *thread)
{
    uint64_t place;
    int64_t num;
    TRY(read_place(kmp, thread->addr, &place));
    if (place != index)
        return STATUS_CORRUPT;
    TRY(kmp_get(kmp, thread->addr, OFFSET_kmp_base_info_t__th_team, &thread->team));
    TRY(kmp_get(kmp, thread->addr, OFFSET_kmp_desc_base_t__ds_thread, &thread->pthread));
    TRY(kmp_get_signed(kmp, thread->addr, OFFSET_kmp_desc_base_t__ds_tid, &num));
    thread->num = (int32_t) num;
    bool fits = (num >= 0 && num < KMP_THREADS_MAX) || (num == IN_POOL && thread->team == 0);
    return fits ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret)
{
    taddr place = kmp->threads + (taddr) index * kmp->inf->model.pointer_size;
    TRY(inferior_read_pointer(kmp->inf, place, &ret->addr));
    if (ret->addr == 0)
        return STATUS_ABSENT;
    enum status status = STATUS_CORRUPT;
    if (kmp_can_be_object(ret->addr))
        status = read_record(kmp, index, ret);
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status,
                           "OpenMP thread %" PRIu32 " at 0x%" PRIx64 ": %s", index, ret->addr,
                           status_text((int) status));
    return STATUS_OK;
}

enum status
kmp_thread_at(const struct kmp *kmp, taddr addr, uint64_t *ret_index)
{
    struct kmp_thread thread;
    enum status status = STATUS_CORRUPT;
    if (kmp_can_be_object(addr))
        status = read_place(kmp, addr, ret_index);
    if (status == STATUS_OK && *ret_index >= kmp->capacity)
        status = STATUS_CORRUPT;
    if (status == STATUS_OK)
        status = kmp_read_thread(kmp, (uint32_t) *ret_index, &thread);
    if (status == STATUS_ABSENT || (status == STATUS_OK && thread.addr != addr))
        status = STATUS_CORRUPT;
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP thread", addr);
}

static enum status
read_team_fields(const struct kmp *kmp, struct kmp_team *t)
{
    TRY(kmp_get(kmp, t->addr, OFFSET_kmp_base_team_t__t_threads, &t->threads));
    TRY(kmp_get(kmp, t->addr, OFFSET_kmp_base_team_t__t_parent, &t->parent));
    TRY(kmp_get(kmp, t->addr, OFFSET_kmp_base_team_t__ompt_serialized_team_info, &t->nested));
    TRY(kmp_get_signed(kmp, t->addr, OFFSET_kmp_base_team_t__t_nproc, &t->size));
    TRY(kmp_get_signed(kmp, t->addr, OFFSET_kmp_base_team_t__t_level, &t->level));
    TRY(kmp_get_signed(kmp, t->addr, OFFSET_kmp_base_team_t__t_active_level, &t->active_level));
    bool makes_sense = t->size >= 1 && t->size <= KMP_THREADS_MAX && t->level >= 0 &&
                       t->level <= KMP_LEVELS_MAX && t->active_level >= 0 &&
                       t->active_level <= t->level && kmp_can_be_object(t->threads);
    return makes_sense ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret)
{
    ret->addr = addr;
    enum status status = kmp_can_be_object(addr) ? read_team_fields(kmp, ret) : STATUS_CORRUPT;
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP team", addr);
}

// Levels grow from the outside in, so that no chain of teams is endless. A parallel construct
// within a teams construct can be on the level of the team around it, one step only.
enum status
kmp_read_parent(const struct kmp *kmp, const struct kmp_team *team, struct kmp_team *ret)
{
    TRY(kmp_read_team(kmp, team->parent, ret));
    if (ret->level > team->level || ret->addr == team->addr ||
        (ret->level == team->level && ret->parent == team->addr))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " is not around the one at 0x%" PRIx64,
                           ret->addr, team->addr);
    return STATUS_OK;
}

enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret)
{
    if (num < 0 || num >= team->size)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no thread %" PRId64, team->addr, num);
    taddr place = team->threads + (taddr) num * kmp->inf->model.pointer_size;
    return inferior_read_pointer(kmp->inf, place, ret);
}

// Whether the team `wanted` is the team at `addr` or one that encloses it.
static enum status
encloses(const struct kmp *kmp, taddr wanted, taddr addr, bool *ret)
{
    struct kmp_team team;
    for (unsigned level = 0; addr != 0 && addr != wanted && level <= KMP_LEVELS_MAX; level++) {
        TRY(kmp_read_team(kmp, addr, &team));
        addr = team.parent;
    }
    *ret = addr == wanted;
    return addr == 0 || addr == wanted ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_team_alive(const struct kmp *kmp, const struct kmp_team *team, bool *ret)
{
    taddr master, masters_team;
    TRY(kmp_team_member(kmp, team, 0, &master));
    if (!kmp_can_be_object(master))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no master", team->addr);
    TRY(kmp_get(kmp, master, OFFSET_kmp_base_info_t__th_team, &masters_team));
    return encloses(kmp, team->addr, masters_team, ret);
}

enum status
kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread, const struct kmp_team *team,
            bool *ret)
{
    taddr self;
    TRY(kmp_team_member(kmp, team, thread->num, &self));
    if (self != thread->addr)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " does not list its thread %" PRId32,
                           team->addr, thread->num);
    return kmp_team_alive(kmp, team, ret);
}

static enum status
bad_chain(const struct kmp *kmp, const struct kmp_team *team, enum status status)
{
    return failed(kmp, status, "serialised regions of the OpenMP team", team->addr);
}

// Each stands for one level between the team's own and that of the initial task.
enum status
kmp_lwt_position(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, int64_t *ret)
{
    taddr at = team->nested;
    int64_t position = lwt != 0;
    for (; lwt != 0 && at != lwt; position++) {
        if (at == 0)
            return bad_chain(kmp, team, STATUS_ABSENT);
        if (position >= team->level || !kmp_can_be_object(at))
            return bad_chain(kmp, team, STATUS_CORRUPT);
        enum status status = kmp_get(kmp, at, OFFSET_ompt_lw_taskteam_t__parent, &at);
        if (status != STATUS_OK)
            return bad_chain(kmp, team, status);
    }
    if (position > team->level || (lwt != 0 && !kmp_can_be_object(lwt)))
        return bad_chain(kmp, team, STATUS_CORRUPT);
    *ret = position;
    return STATUS_OK;
}

enum status
kmp_lwt_next(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, taddr *ret)
{
    int64_t own, nexts;
    taddr next = team->nested;
    TRY(kmp_lwt_position(kmp, team, lwt, &own));
    if (lwt != 0)
        TRY(kmp_get(kmp, lwt, OFFSET_ompt_lw_taskteam_t__parent, &next));
    if (next != 0) {
        TRY(kmp_lwt_position(kmp, team, next, &nexts));
        if (nexts != own + 1)
            return bad_chain(kmp, team, STATUS_CORRUPT);
    }
    *ret = next;
    return STATUS_OK;
}

static enum status
read_task_fields(const struct kmp *kmp, struct kmp_task *task)
{
    uint64_t flags;
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_flags, &flags));
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_team, &task->team));
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_parent, &task->parent));
    task->flags = (uint32_t) flags;
    if (kmp_task_is(kmp, task, FLAG_freed))
        return STATUS_ABSENT;
    return kmp_can_be_object(task->team) && task->parent != task->addr ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_read_task(const struct kmp *kmp, taddr addr, struct kmp_task *ret)
{
    ret->addr = addr;
    enum status status = kmp_can_be_object(addr) ? read_task_fields(kmp, ret) : STATUS_CORRUPT;
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP task", addr);
}

bool
kmp_task_is(const struct kmp *kmp, const struct kmp_task *task, enum published_entry flag)
{
    return (task->flags & kmp->table.values[flag]) != 0;
}

bool
kmp_task_is_implicit(const struct kmp *kmp, const struct kmp_task *task)
{
    return !kmp_task_is(kmp, task, FLAG_tasktype);
}

enum status
kmp_implicit_task(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret)
{
    taddr tasks;
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_implicit_task_taskdata, &tasks));
    *ret = tasks + (taddr) num * kmp->table.values[SIZEOF_kmp_taskdata_t];
    return STATUS_OK;
}

enum status
kmp_check_implicit(const struct kmp *kmp, const struct kmp_team *team, const struct kmp_task *task)
{
    taddr tasks;
    uint64_t size = kmp->table.values[SIZEOF_kmp_taskdata_t];
    if (!kmp_task_is_implicit(kmp, task))
        return STATUS_OK;
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_implicit_task_taskdata, &tasks));
    taddr distance = task->addr - tasks;
    if (task->addr < tasks || distance % size != 0 || distance / size >= (uint64_t) team->size)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP task at 0x%" PRIx64 " is not one of its team's", task->addr);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Threads, teams and tasks of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/llvm/kmp.h"

#include <inttypes.h>

enum {
    POINTER_ALIGN = 4, // bytes; the least that pointers of any data model have
    FETCH_MAX = 128,   // bytes of fields that are read together
};

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

void
kmp_fetch(const struct kmp *kmp, taddr base, enum published_entry first, enum published_entry last)
{
    const uint64_t *values = kmp->table.values;
    const uint64_t a = published_offset(&kmp->table, first),
                   b = published_offset(&kmp->table, last);
    const uint64_t start = a < b ? a : b, last_start = a < b ? b : a;
    const uint64_t end = last_start + values[(a < b ? last : first) + PUBLISHED_FIELDS];
    if (end - start <= FETCH_MAX)
        inferior_fetch(kmp->inf, base + start, (size_t) (end - start));
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
    kmp_fetch(kmp, thread->addr, OFFSET_kmp_desc_base_t__ds_thread,
              OFFSET_kmp_base_info_t__th_team);
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
kmp_read_record(const struct kmp *kmp, uint32_t index, taddr addr, struct kmp_thread *ret)
{
    enum status status = STATUS_CORRUPT;
    ret->addr = addr;
    if (kmp_can_be_object(addr))
        status = read_record(kmp, index, ret);
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status,
                           "OpenMP thread %" PRIu32 " at 0x%" PRIx64 ": %s", index, addr,
                           status_text((int) status));
    return STATUS_OK;
}

static enum status
read_array(const struct kmp *kmp, uint64_t index, taddr *ret)
{
    return inferior_read_pointer(kmp->inf, kmp->threads + index * kmp->inf->model.pointer_size,
                                 ret);
}

enum status
kmp_check_place(const struct kmp *kmp, uint64_t index, taddr addr)
{
    taddr there;
    if (index >= kmp->capacity)
        return STATUS_ABSENT;
    TRY(read_array(kmp, index, &there));
    return there == addr ? STATUS_OK : STATUS_ABSENT;
}

enum status
kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret)
{
    TRY(read_array(kmp, index, &ret->addr));
    return ret->addr == 0 ? STATUS_ABSENT : kmp_read_record(kmp, index, ret->addr, ret);
}

enum status
kmp_member_place(const struct kmp *kmp, taddr addr, uint64_t *ret_index)
{
    enum status status = STATUS_CORRUPT;
    if (kmp_can_be_object(addr))
        status = read_place(kmp, addr, ret_index);
    if (status == STATUS_OK && *ret_index >= KMP_THREADS_MAX)
        status = STATUS_CORRUPT;
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP thread", addr);
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

// A team of one keeps the function of a region before.
static enum status
read_executes(const struct kmp *kmp, struct kmp_team *team)
{
    uint64_t function = 0;
    if (kmp->seen)
        TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_pkfn, &function));
    team->executes = team->size > 1 && function != 0;
    return STATUS_OK;
}

static enum status
read_members(const struct kmp *kmp, const struct kmp_team *team, taddr *ret)
{
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_threads, ret));
    return kmp_can_be_object(*ret) ? STATUS_OK : STATUS_CORRUPT;
}

static enum status
read_level(const struct kmp *kmp, const struct kmp_team *team, int64_t *ret, int64_t *ret_active)
{
    TRY(kmp_get_signed(kmp, team->addr, OFFSET_kmp_base_team_t__t_level, ret));
    if (*ret < 0 || *ret > KMP_LEVELS_MAX)
        return STATUS_CORRUPT;
    if (!ret_active)
        return STATUS_OK;
    TRY(kmp_get_signed(kmp, team->addr, OFFSET_kmp_base_team_t__t_active_level, ret_active));
    return *ret_active >= 0 && *ret_active <= *ret ? STATUS_OK : STATUS_CORRUPT;
}

// What may not be needed is checked where it costs nothing.
static enum status
check_rest(const struct kmp *kmp, const struct kmp_team *team)
{
    taddr unused;
    int64_t level, active;
    if (kmp->seen)
        return STATUS_OK;
    TRY(read_members(kmp, team, &unused));
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_parent, &unused));
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__ompt_serialized_team_info, &unused));
    return read_level(kmp, team, &level, &active);
}

static enum status
read_team_fields(const struct kmp *kmp, struct kmp_team *t)
{
    kmp_fetch(kmp, t->addr, OFFSET_kmp_base_team_t__t_nproc, OFFSET_kmp_base_team_t__t_pkfn);
    TRY(kmp_get_signed(kmp, t->addr, OFFSET_kmp_base_team_t__t_nproc, &t->size));
    if (t->size < 1 || t->size > KMP_THREADS_MAX)
        return STATUS_CORRUPT;
    TRY(read_executes(kmp, t));
    return check_rest(kmp, t);
}

enum status
kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret)
{
    ret->addr = addr;
    enum status status = kmp_can_be_object(addr) ? read_team_fields(kmp, ret) : STATUS_CORRUPT;
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP team", addr);
}

enum status
kmp_team_level(const struct kmp *kmp, const struct kmp_team *team, int64_t *ret,
               int64_t *ret_active)
{
    enum status status = read_level(kmp, team, ret, ret_active);
    return status == STATUS_OK ? STATUS_OK : failed(kmp, status, "OpenMP team", team->addr);
}

static enum status
read_parent(const struct kmp *kmp, const struct kmp_team *team, taddr *ret)
{
    return kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_parent, ret);
}

// Keeps that a team is nested in another one, which does not show by itself that it executes.
static void
note_nested(const struct kmp *kmp, taddr parent, const struct kmp_team *team)
{
    if (kmp->seen && team->executes) {
        KMP_SEEN_AT(kmp->seen->teams, parent)->from = parent;
        KMP_SEEN_AT(kmp->seen->teams, parent)->to = team->addr;
    }
}

// Levels grow from the outside in, so that no chain of teams is endless. A parallel construct
// within a teams construct can be on the level of the team around it, one step only.
static enum status
check_parent(const struct kmp *kmp, const struct kmp_team *team, const struct kmp_team *parent)
{
    taddr parents = 0;
    int64_t level, outer;
    TRY(kmp_team_level(kmp, team, &level, NULL));
    TRY(kmp_team_level(kmp, parent, &outer, NULL));
    if (outer == level)
        TRY(read_parent(kmp, parent, &parents));
    if (outer <= level && parent->addr != team->addr && parents != team->addr)
        return STATUS_OK;
    return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                       "OpenMP team at 0x%" PRIx64 " is not around the one at 0x%" PRIx64,
                       parent->addr, team->addr);
}

enum status
kmp_read_parent(const struct kmp *kmp, const struct kmp_team *team, struct kmp_team *ret)
{
    taddr parent;
    TRY(read_parent(kmp, team, &parent));
    if (parent == 0)
        return STATUS_ABSENT;
    TRY(kmp_read_team(kmp, parent, ret));
    if (!ret->executes)
        note_nested(kmp, parent, team);
    return check_parent(kmp, team, ret);
}

enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret)
{
    if (num < 0 || num >= team->size)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no thread %" PRId64, team->addr, num);
    taddr members = 0;
    enum status status = read_members(kmp, team, &members);
    if (status != STATUS_OK)
        return failed(kmp, status, "OpenMP team", team->addr);
    taddr place = members + (taddr) num * kmp->inf->model.pointer_size;
    return inferior_read_pointer(kmp->inf, place, ret);
}

// Whether the team `wanted` is the team at `addr` or one that encloses it.
static enum status
encloses(const struct kmp *kmp, taddr wanted, taddr addr, bool *ret)
{
    struct kmp_team team = {.addr = 0};
    for (unsigned level = 0; addr != 0 && addr != wanted && level <= KMP_LEVELS_MAX; level++) {
        TRY(kmp_read_team(kmp, addr, &team));
        TRY(read_parent(kmp, &team, &addr));
    }
    *ret = addr == wanted;
    if (*ret)
        note_nested(kmp, wanted, &team);
    return addr == 0 || addr == wanted ? STATUS_OK : STATUS_CORRUPT;
}

// What a runtime that has ended leaves behind may make sense. Where pages are read, it has been
// looked for before the question.
static enum status
check_running(const struct kmp *kmp)
{
    taddr threads = 1;
    if (kmp->seen)
        TRY(inferior_read_pointer(kmp->inf, kmp->variable, &threads));
    return threads != 0 ? STATUS_OK
                        : trail_begin(&kmp->inf->trail, STATUS_CORRUPT, "OpenMP has ended");
}

static enum status
follow_master(const struct kmp *kmp, const struct kmp_team *team, bool *ret)
{
    taddr master, masters_team;
    TRY(check_running(kmp));
    TRY(kmp_team_member(kmp, team, 0, &master));
    if (!kmp_can_be_object(master))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no master", team->addr);
    TRY(kmp_get(kmp, master, OFFSET_kmp_base_info_t__th_team, &masters_team));
    return encloses(kmp, team->addr, masters_team, ret);
}

// Whether a team that executes its region is nested in this one: that which was when one was looked
// for.
bool
kmp_has_nested(const struct kmp *kmp, taddr team)
{
    struct kmp_team nested;
    taddr parent;
    if (!kmp->seen || KMP_SEEN_AT(kmp->seen->teams, team)->from != team)
        return false;
    return kmp_read_team(kmp, KMP_SEEN_AT(kmp->seen->teams, team)->to, &nested) == STATUS_OK &&
           nested.executes && read_parent(kmp, &nested, &parent) == STATUS_OK && parent == team;
}

enum status
kmp_team_alive(const struct kmp *kmp, const struct kmp_team *team, bool *ret)
{
    *ret = team->executes || kmp_has_nested(kmp, team->addr);
    return *ret ? STATUS_OK : follow_master(kmp, team, ret);
}

static enum status
check_member(const struct kmp *kmp, const struct kmp_thread *thread, const struct kmp_team *team)
{
    taddr self = thread->addr;
    // Where bytes count, it is enough that both are there and the one can be of the other.
    if (!kmp->seen || thread->num >= team->size)
        TRY(kmp_team_member(kmp, team, thread->num, &self));
    if (self == thread->addr)
        return STATUS_OK;
    return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                       "OpenMP team at 0x%" PRIx64 " does not list its thread %" PRId32, team->addr,
                       thread->num);
}

enum status
kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread, const struct kmp_team *team,
            bool *ret)
{
    TRY(check_member(kmp, thread, team));
    return kmp_team_alive(kmp, team, ret);
}

static enum status
bad_chain(const struct kmp *kmp, const struct kmp_team *team, enum status status)
{
    return failed(kmp, status, "serialised regions of the OpenMP team", team->addr);
}

// The first of its lightweight teams; 0: none.
static enum status
read_nested(const struct kmp *kmp, const struct kmp_team *team, taddr *ret)
{
    return kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__ompt_serialized_team_info, ret);
}

// Each stands for one level between the team's own and that of the initial task.
enum status
kmp_lwt_position(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, int64_t *ret)
{
    taddr at;
    int64_t position = 1, level;
    *ret = 0;
    if (lwt == 0)
        return STATUS_OK;
    TRY(kmp_team_level(kmp, team, &level, NULL));
    TRY(read_nested(kmp, team, &at));
    for (; at != lwt; position++) {
        if (at == 0)
            return bad_chain(kmp, team, STATUS_ABSENT);
        if (position >= level || !kmp_can_be_object(at))
            return bad_chain(kmp, team, STATUS_CORRUPT);
        enum status status = kmp_get(kmp, at, OFFSET_ompt_lw_taskteam_t__parent, &at);
        if (status != STATUS_OK)
            return bad_chain(kmp, team, status);
    }
    if (position > level || !kmp_can_be_object(lwt))
        return bad_chain(kmp, team, STATUS_CORRUPT);
    *ret = position;
    return STATUS_OK;
}

enum status
kmp_lwt_next(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, taddr *ret)
{
    int64_t own, nexts;
    taddr next;
    TRY(kmp_lwt_position(kmp, team, lwt, &own));
    if (lwt != 0)
        TRY(kmp_get(kmp, lwt, OFFSET_ompt_lw_taskteam_t__parent, &next));
    else
        TRY(read_nested(kmp, team, &next));
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
    kmp_fetch(kmp, task->addr, OFFSET_kmp_taskdata_t__td_flags, OFFSET_kmp_taskdata_t__td_parent);
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_flags, &flags));
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_team, &task->team));
    TRY(kmp_get(kmp, task->addr, OFFSET_kmp_taskdata_t__td_parent, &task->parent));
    task->flags = (uint32_t) flags;
    task->has_rest = true;
    // the published flag is that of explicit ones
    task->is_implicit = !kmp_task_is(kmp, task, FLAG_tasktype);
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

enum status
kmp_task_rest(const struct kmp *kmp, struct kmp_task *task)
{
    const struct kmp_task known = *task;
    if (task->has_rest)
        return STATUS_OK;
    TRY(kmp_read_task(kmp, known.addr, task));
    return task->team == known.team && task->is_implicit
               ? STATUS_OK
               : failed(kmp, STATUS_CORRUPT, "OpenMP task", task->addr);
}

bool
kmp_task_is(const struct kmp *kmp, const struct kmp_task *task, enum published_entry flag)
{
    return (task->flags & kmp->table.values[flag]) != 0;
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
    if (!task->is_implicit)
        return STATUS_OK;
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_implicit_task_taskdata, &tasks));
    taddr distance = task->addr - tasks;
    if (task->addr < tasks || distance % size != 0 ||
        (distance > 0 && distance / size >= (uint64_t) team->size))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP task at 0x%" PRIx64 " is not one of its team's", task->addr);
    return STATUS_OK;
}

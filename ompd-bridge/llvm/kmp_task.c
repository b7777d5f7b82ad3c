// SPDX-License-Identifier: BSD-3-Clause
// Tasks of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/llvm/kmp_task.h"

#include <inttypes.h>

static enum status
read_fields(const struct kmp *kmp, struct kmp_task *task)
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
    struct kmp_task task = {.addr = addr};
    enum status status = kmp_can_be_object(addr) ? read_fields(kmp, &task) : STATUS_CORRUPT;
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status, "OpenMP task at 0x%" PRIx64 ": %s", addr,
                           status_text((int) status));
    *ret = task;
    return STATUS_OK;
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

static enum status
read_implicit_tasks(const struct kmp *kmp, const struct kmp_team *team, taddr *ret)
{
    taddr base = kmp_addr(kmp, team->addr, OFFSET_kmp_team_p__t);
    return kmp_get(kmp, base, OFFSET_kmp_base_team_t__t_implicit_task_taskdata, ret);
}

enum status
kmp_implicit_task(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret)
{
    taddr tasks;
    TRY(read_implicit_tasks(kmp, team, &tasks));
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
    TRY(read_implicit_tasks(kmp, team, &tasks));
    taddr distance = task->addr - tasks;
    if (task->addr < tasks || distance % size != 0 || distance / size >= (uint64_t) team->size)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP task at 0x%" PRIx64 " is not one of its team's", task->addr);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Built-in layouts, and what the process must have to confirm one.
#include "ompd-bridge/llvm/builtin.h"

#include <stdio.h>
#include <string.h>

static const struct layout_of_release {
    enum published_maker maker;
    const char *name;
    uint64_t values[PUBLISHED_ENTRIES];
} layouts[] = {
// clang-format off
#define RELEASE(maker, name)              {MAKER_##maker, name, {
#define FIELD(type, field, offset, width) [OFFSET_##type##__##field] = offset, [WIDTH_##type##__##field] = width,
#define FLAG(flag, mask)                  [FLAG_##flag] = mask,
#define SIZE(name, bytes)                 [SIZEOF_##name] = bytes,
#define END()                             }},
#include "ompd-bridge/llvm/builtin.def"
#undef RELEASE
#undef FIELD
#undef FLAG
#undef SIZE
#undef END
    // clang-format on
};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]), POINTER = 8, THREADS_CHECKED = 64 };

bool
builtin_layout(const struct inferior *inf, unsigned number, struct published *ret)
{
    if (number >= LAYOUTS || inf->model.pointer_size != POINTER)
        return false;
    *ret = (struct published){.maker = layouts[number].maker, .builtin = layouts[number].name};
    memcpy(ret->values, layouts[number].values, sizeof(ret->values));
    return true;
}

void
builtin_list(enum published_maker maker, size_t size, char *ret)
{
    size_t used = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < LAYOUTS && used < size; i++)
        if (layouts[i].maker == maker)
            used += (size_t) snprintf(ret + used, size - used, "%s%s", used > 0 ? ", " : "",
                                      layouts[i].name);
}

// Control variables of a task, and what is between their least and greatest values.
static const struct {
    enum published_entry field;
    uint64_t least, most;
} ranges[] = {
    {OFFSET_kmp_internal_control_t__dynamic, 0, 1},
    {OFFSET_kmp_internal_control_t__nproc, 1, KMP_THREADS_MAX},
    {OFFSET_kmp_internal_control_t__thread_limit, 1, INT32_MAX},
    {OFFSET_kmp_internal_control_t__max_active_levels, 0, INT32_MAX},
    {OFFSET_kmp_internal_control_t__proc_bind, 0, 6},
};

static enum status
confirm_variables(const struct kmp *kmp, taddr task)
{
    uint64_t value;
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        TRY(kmp_get(kmp, task, ranges[i].field, &value));
        if (value < ranges[i].least || value > ranges[i].most)
            return STATUS_MISMATCH;
    }
    return STATUS_OK;
}

// A team of several is an active region, with a function.
static enum status
confirm_team(const struct kmp *kmp, const struct kmp_team *team)
{
    uint64_t function;
    int64_t level, active;
    TRY(kmp_get(kmp, team->addr, OFFSET_kmp_base_team_t__t_pkfn, &function));
    TRY(kmp_team_level(kmp, team, &level, &active));
    return team->size == 1 || (active >= 1 && function != 0) ? STATUS_OK : STATUS_MISMATCH;
}

static enum status
confirm_implicit(const struct kmp *kmp, const struct kmp_team *team, taddr addr)
{
    struct kmp_task task;
    TRY(kmp_read_task(kmp, addr, &task));
    TRY(confirm_variables(kmp, addr));
    bool fits = task.team == team->addr && task.is_implicit &&
                kmp_task_is(kmp, &task, FLAG_started) && !kmp_task_is(kmp, &task, FLAG_complete);
    return fits ? STATUS_OK : STATUS_MISMATCH;
}

static enum status
confirm_current(const struct kmp *kmp, const struct kmp_thread *thread, taddr implicit)
{
    struct kmp_task task;
    taddr current;
    TRY(kmp_get(kmp, thread->addr, OFFSET_kmp_base_info_t__th_current_task, &current));
    if (current == implicit)
        return STATUS_OK;
    TRY(kmp_read_task(kmp, current, &task));
    bool fits = !task.is_implicit && kmp_task_is(kmp, &task, FLAG_started);
    return fits ? confirm_variables(kmp, current) : STATUS_MISMATCH;
}

// A thread that waits in the pool says nothing, nor does one that has ended, or that was left in
// the parent by fork(): STATUS_ABSENT.
static enum status
confirm_thread(const struct kmp *kmp, const struct kmp_thread *thread)
{
    struct kmp_team team;
    taddr implicit;
    int64_t tid;
    bool inside = false;
    if (thread->team == 0)
        return STATUS_ABSENT;
    TRY(kmp_read_team(kmp, thread->team, &team));
    TRY(kmp_in_team(kmp, thread, &team, &inside));
    if (!inside)
        return STATUS_ABSENT;
    enum status status = nptl_tid(&kmp->nptl, kmp->inf, thread->pthread, &tid);
    if (status != STATUS_OK)
        return status == STATUS_ABSENT ? STATUS_ABSENT : STATUS_MISMATCH;
    TRY(confirm_team(kmp, &team));
    TRY(kmp_implicit_task(kmp, &team, thread->num, &implicit));
    TRY(confirm_implicit(kmp, &team, implicit));
    return confirm_current(kmp, thread, implicit);
}

enum status
builtin_confirm(const struct kmp *kmp)
{
    unsigned good = 0, bad = 0;
    for (uint32_t i = 0; i < kmp->capacity && good + bad < THREADS_CHECKED; i++) {
        struct kmp_thread thread;
        enum status status = kmp_read_thread(kmp, i, &thread);
        if (status == STATUS_OK)
            status = confirm_thread(kmp, &thread);
        good += status == STATUS_OK;
        bad += status != STATUS_OK && status != STATUS_ABSENT;
    }
    return good > bad ? STATUS_OK : STATUS_MISMATCH;
}

// SPDX-License-Identifier: BSD-3-Clause
// The tasks of GNU's runtime: their kinds and ancestors, and the implicit task of each thread.
#include "ompd-bridge/gnu/gomp.h"

#include <inttypes.h>

// Bytes of a task; 0: not known.
static taddr
task_size(const struct gomp *gomp)
{
    bool known = gomp->layout.structs[S(gomp_task)].origin == ORIGIN_DEBUG ||
                 gomp->facts.known[FACT_TASK_SIZE];
    return known ? gomp->layout.structs[S(gomp_task)].size : 0;
}

enum status
gomp_task_kind(const struct gomp *gomp, taddr task, enum gomp_task_kind *ret)
{
    uint64_t kind;
    TRY(gomp_read_field(gomp, task, F(gomp_task, kind), &kind));
    if (kind >= GOMP_KINDS)
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT,
                           "the OpenMP task at 0x%" PRIx64 " is invalid", task);
    *ret = (enum gomp_task_kind) kind;
    return STATUS_OK;
}

enum status
gomp_implicit_ancestor(const struct gomp *gomp, taddr task, taddr *ret)
{
    enum gomp_task_kind kind = GOMP_WAITING;
    for (unsigned i = 0; i < GOMP_ANCESTORS_MAX; i++) {
        if (task == 0)
            return trail_begin(&gomp->inf->trail, STATUS_ABSENT,
                               "an ancestor of the OpenMP task is complete");
        TRY(gomp_task_kind(gomp, task, &kind));
        if (kind == GOMP_IMPLICIT) {
            *ret = task;
            return STATUS_OK;
        }
        TRY(gomp_read_field(gomp, task, F(gomp_task, parent), &task));
    }
    return trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "an OpenMP task has too many ancestors");
}

// The task that encountered a region is the parent of all implicit tasks of that region.
enum status
gomp_member_task(const struct gomp *gomp, const struct gomp_member *member, taddr *ret)
{
    taddr task = member->thread->task;
    for (uint32_t i = 0; i < member->depth; i++) {
        TRY(gomp_implicit_ancestor(gomp, task, &task));
        TRY(gomp_read_field(gomp, task, F(gomp_task, parent), &task));
    }
    *ret = task;
    return STATUS_OK;
}

// The implicit task that a member's thread executes itself, as far as that can be told: tasks that
// were deferred may come from another thread.
static enum status
own_implicit_task(const struct gomp *gomp, const struct gomp_member *member, taddr *ret)
{
    taddr task;
    enum gomp_task_kind kind = GOMP_UNDEFERRED;
    TRY(gomp_member_task(gomp, member, &task));
    for (unsigned i = 0; task != 0 && i < GOMP_ANCESTORS_MAX; i++) {
        TRY(gomp_task_kind(gomp, task, &kind));
        if (kind != GOMP_UNDEFERRED)
            break;
        TRY(gomp_read_field(gomp, task, F(gomp_task, parent), &task));
    }
    if (task == 0 || kind != GOMP_IMPLICIT)
        return STATUS_ABSENT;
    *ret = task;
    return STATUS_OK;
}

// Where a team's array of implicit tasks begins, by one of its elements: close behind the last
// member of the team that is known, closer than an element is long. 0: not known.
static taddr
array_of(const struct gomp *gomp, taddr team, taddr task)
{
    const struct field_layout *last = &gomp->layout.fields[F(gomp_team, task_running_count)];
    taddr size = task_size(gomp);
    if (size == 0 || last->offset < 0)
        return 0;
    taddr end = (taddr) last->offset + last->width;
    if (task < team + end || task - team - end > size * GOMP_TEAM_MAX)
        return 0;
    return end + (task - team - end) % size;
}

// All threads must agree; otherwise nothing is learned.
static void
learn(struct gomp *gomp)
{
    taddr task;
    gomp->learned = true;
    for (unsigned i = 0; i < gomp->n_members; i++) {
        const struct gomp_member *member = &gomp->members[i];
        if (gomp_member_task(gomp, member, &task) != STATUS_OK ||
            gomp_implicit_ancestor(gomp, task, &task) != STATUS_OK)
            continue;
        taddr array = array_of(gomp, member->team, task);
        if (gomp->implicit_task != 0 && array != gomp->implicit_task)
            array = 0;
        gomp->implicit_task = array;
        if (array == 0)
            return;
    }
}

enum status
gomp_member_implicit_task(struct gomp *gomp, const struct gomp_member *member, taddr *ret)
{
    enum gomp_task_kind kind = GOMP_WAITING;
    enum status status = own_implicit_task(gomp, member, ret);
    if (status == STATUS_OK || status == STATUS_UNSUPPORTED)
        return status;
    if (!gomp->learned)
        learn(gomp);
    if (gomp->implicit_task == 0)
        return trail_begin(&gomp->inf->trail, STATUS_ABSENT,
                           "implicit and explicit task cannot be distinguished");
    taddr task = member->team + gomp->implicit_task + member->num * task_size(gomp);
    TRY(gomp_task_kind(gomp, task, &kind));
    if (kind != GOMP_IMPLICIT)
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT,
                           "the OpenMP task at 0x%" PRIx64 " is invalid", task);
    *ret = task;
    return STATUS_OK;
}

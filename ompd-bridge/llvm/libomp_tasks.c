// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks that wait in the queues of LLVM's runtime.
//
// A team's threads share a task team, which has a queue for each of them. The published table does
// not know these structs, so each is believed only where it confirms itself: a task team begins
// with locks that have their own addresses inside, a queue with the address of its thread.
#include "ompd-bridge/llvm/libomp.h"

#include <inttypes.h>

enum {
    LOCK_SIZE = 64,
    LOCK_SELF = 8, // its own address
    LOCKS = 2,     // of the team; the second one from release 15 on, with queues by priority
    // Behind a task team's pointer to its queues, which is NULL before the first task.
    TEAM_SIZE = 12,
    // Of a queue.
    QUEUE_SIZE = 192,
    QUEUE_ROOM = 136, // places, a power of two
    QUEUE_HEAD = 140,
    QUEUE_TAIL = 144,
    QUEUE_TASKS = 148,
    QUEUE_ROOM_MAX = 1 << 24,
};

static enum status
wrong(const struct kmp *kmp, const char *what, taddr addr)
{
    return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                       "%s of OpenMP tasks at 0x%" PRIx64 " is none", what, addr);
}

static enum status
count_locks(const struct kmp *kmp, taddr task_team, unsigned *ret)
{
    for (*ret = 0; *ret < LOCKS; (*ret)++) {
        taddr self, lock = task_team + *ret * LOCK_SIZE;
        TRY(inferior_read_pointer(kmp->inf, lock + LOCK_SELF, &self));
        if (self != lock)
            break;
    }
    return *ret > 0 ? STATUS_OK : wrong(kmp, "team", task_team);
}

// A task team that a thread of the team has; 0: none has any, so that nothing is queued. A thread
// that is in an inner region has that one's.
static enum status
find_task_team(const struct kmp *kmp, const struct kmp_team *team, taddr *ret)
{
    taddr offset =
        kmp->table.values[OFFSET_kmp_base_info_t__th_current_task] - kmp->inf->model.pointer_size;
    *ret = 0;
    for (int64_t i = 0; i < team->size && *ret == 0; i++) {
        taddr thread, in;
        TRY(kmp_team_member(kmp, team, i, &thread));
        TRY(kmp_get(kmp, thread, OFFSET_kmp_base_info_t__th_team, &in));
        if (in == team->addr)
            TRY(inferior_read_pointer(kmp->inf, thread + offset, ret));
    }
    return STATUS_OK;
}

static enum status
read_number(const struct kmp *kmp, taddr addr, int64_t *ret)
{
    uint64_t number = 0;
    TRY(inferior_read_uint(kmp->inf, addr, 4, &number));
    *ret = (int32_t) number;
    return STATUS_OK;
}

static enum status
count_in_queue(const struct kmp *kmp, taddr queue, taddr thread, int64_t *ret)
{
    taddr owner;
    int64_t room, head, tail;
    TRY(inferior_read_pointer(kmp->inf, queue, &owner));
    TRY(read_number(kmp, queue + QUEUE_ROOM, &room));
    TRY(read_number(kmp, queue + QUEUE_HEAD, &head));
    TRY(read_number(kmp, queue + QUEUE_TAIL, &tail));
    TRY(read_number(kmp, queue + QUEUE_TASKS, ret));
    bool fits = owner == thread && room >= 0 && room <= QUEUE_ROOM_MAX && *ret >= 0 && *ret <= room;
    bool agrees = room == 0 || ((tail - head - *ret) & (room - 1)) == 0;
    return fits && agrees ? STATUS_OK : wrong(kmp, "queue", queue);
}

// Forms of a task team. LLVM's have one or two locks, and a pointer for each, in front of the
// queues; where Intel's has them, it publishes.
static const struct form {
    uint64_t queues;   // offset of the pointer to the array of queues
    uint64_t priority; // of the number of tasks in queues by priority; 0: there are none
} forms[] = {{72, 0}, {144, 172}, {208, 128}};

static enum status
find_form(const struct kmp *kmp, taddr task_team, struct form *ret)
{
    unsigned locks;
    uint64_t queues = kmp->intel.queues;
    if (kmp->intel.release[0] == '\0') {
        TRY(count_locks(kmp, task_team, &locks));
        queues = locks * (LOCK_SIZE + kmp->inf->model.pointer_size);
    }
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (forms[i].queues == queues) {
            *ret = forms[i];
            return STATUS_OK;
        }
    return wrong(kmp, "team", task_team);
}

static enum status
count_queued(const struct kmp *kmp, const struct kmp_team *team, int64_t *ret)
{
    struct form form = {0, 0};
    taddr task_team, queues;
    int64_t size, count;
    *ret = 0;
    TRY(find_task_team(kmp, team, &task_team));
    if (task_team == 0)
        return STATUS_OK;
    TRY(find_form(kmp, task_team, &form));
    TRY(inferior_read_pointer(kmp->inf, task_team + form.queues, &queues));
    TRY(read_number(kmp, task_team + form.queues + TEAM_SIZE, &size));
    if (size != team->size)
        return wrong(kmp, "team", task_team);
    if (form.priority != 0)
        TRY(read_number(kmp, task_team + form.priority, ret));
    for (int64_t i = 0; i < size && queues != 0; i++) {
        taddr thread;
        TRY(kmp_team_member(kmp, team, i, &thread));
        TRY(count_in_queue(kmp, queues + (taddr) i * QUEUE_SIZE, thread, &count));
        *ret += count;
    }
    return STATUS_OK;
}

// Threads of the team that execute an explicit task of it now.
static enum status
count_running(const struct kmp *kmp, const struct kmp_team *team, int64_t *ret)
{
    *ret = 0;
    for (int64_t i = 0; i < team->size; i++) {
        taddr thread, current;
        struct kmp_task task;
        TRY(kmp_team_member(kmp, team, i, &thread));
        TRY(kmp_get(kmp, thread, OFFSET_kmp_base_info_t__th_current_task, &current));
        TRY(kmp_read_task(kmp, current, &task));
        *ret += task.team == team->addr && !task.is_implicit;
    }
    return STATUS_OK;
}

ompd_rc_t
libomp_task_counts(struct backend_state *state, const struct omp_object *object,
                   struct omp_task_counts *ret)
{
    struct libomp_region region;
    RC_TRY(libomp_read_region(state, object, &region));
    if (state->kmp.inf->model.pointer_size != 8 || region.lwt != 0)
        return ompd_rc_unsupported;
    RC_TRY(rc_of(count_queued(&state->kmp, &region.team, &ret->queued)));
    return rc_of(count_running(&state->kmp, &region.team, &ret->running));
}

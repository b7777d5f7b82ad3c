// SPDX-License-Identifier: BSD-3-Clause
// Makes the records of mqs_omp.h: asks the reader that answers about one thing of the snapshot.
#include "ompd-bridge/exports/session_records.h"
#include "ompd-bridge/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
omp_record_note(ompd_rc_t rc)
{
    switch (rc) {
    case ompd_rc_needs_state_tracking:
        return "needs OMP_DEBUG=enabled";
    case ompd_rc_device_read_error:
        return "unreadable";
    case ompd_rc_error:
    case ompd_rc_stale_handle:
        return "is invalid";
    default:
        return "";
    }
}

/** The record that is being made. */
struct making {
    const struct reader *reader;
    const struct omp_object *object;
    uint32_t *known;
    char *note;
};

// Takes down what an answer means: that a member is known, or why it is not.
static bool
take(const struct making *making, ompd_rc_t rc, uint32_t members)
{
    if (rc == ompd_rc_ok)
        *making->known |= members;
    else if (making->note[0] == '\0')
        snprintf(making->note, MQS_OMP_NOTE, "%s", omp_record_note(rc));
    return rc == ompd_rc_ok;
}

static void
take_icv(const struct making *making, const struct omp_object *object, ompd_scope_t scope,
         const char *name, uint32_t member, int64_t *ret)
{
    take(making, reader_icv(making->reader, object, scope, name, ret), member);
}

static void
take_team(const struct making *making, const struct omp_object *region, int64_t *size,
          int64_t *level, int64_t *active_level)
{
    take_icv(making, region, ompd_scope_parallel, "team-size-var", MQS_OMP_TEAM_SIZE, size);
    take_icv(making, region, ompd_scope_parallel, "levels-var", MQS_OMP_LEVEL, level);
    take_icv(making, region, ompd_scope_parallel, "active-levels-var", MQS_OMP_ACTIVE_LEVEL,
             active_level);
}

static void
take_link(const struct making *making, int32_t number, uint32_t member, int32_t *ret)
{
    *ret = number < 0 ? MQS_OMP_NONE : number;
    if (number != OMP_UNKNOWN)
        *making->known |= member;
}

static void
take_tool_data(const struct making *making, enum omp_kind kind, uint64_t *value, mqs_taddr_t *ptr)
{
    ompd_word_t word;
    taddr addr;
    if (READER_ASK(making->reader, tool_data, kind, making->object, &word, &addr) != ompd_rc_ok)
        return;
    *value = (uint64_t) word;
    *ptr = (mqs_taddr_t) addr;
    *making->known |= MQS_OMP_TOOL_DATA;
}

// Ids are made of what the reader goes by. An item begins with its object.
static void
print_id(const void *item, char *ret)
{
    const struct omp_object *object = item;
    if (object->detail == 0)
        snprintf(ret, MQS_OMP_ID, "%" PRIx64, object->addr);
    else
        snprintf(ret, MQS_OMP_ID, "%" PRIx64 ":%" PRIx64, object->addr, object->detail);
}

static void
set_state(mqs_omp_thread *ret, int64_t state)
{
    const char *name = omp_state_name(state);
    ret->state = state;
    snprintf(ret->state_name, sizeof(ret->state_name), "%s", name ? name : "");
}

static void
take_state(const struct making *making, mqs_omp_thread *ret)
{
    ompd_word_t state = 0;
    ompd_wait_id_t wait_id = 0;
    if (!take(making, READER_ASK(making->reader, thread_state, making->object, &state, &wait_id),
              MQS_OMP_STATE | MQS_OMP_WAIT_ID))
        return;
    ret->wait_id = wait_id;
    set_state(ret, state);
}

static void
take_thread_id(const struct making *making, mqs_omp_thread *ret)
{
    struct omp_thread_id id = {0};
    if (!take(making, READER_ASK(making->reader, thread_id, making->object, &id), 0))
        return;
    ret->pthread = (mqs_taddr_t) id.pthread;
    ret->tid = id.tid;
    *making->known |= (id.pthread ? MQS_OMP_PTHREAD : 0U) | (id.tid ? MQS_OMP_TID : 0U);
}

enum status
omp_record_thread(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_thread *ret)
{
    const struct snapshot_thread *thread = snapshot_thread(snapshot, number);
    const struct snapshot_region *region = snapshot_region(snapshot, thread->region);
    struct making making = {&snapshot->reader, &thread->object, &ret->known, ret->note};
    memset(ret, 0, sizeof(*ret));
    ret->number = (int32_t) number;
    print_id(thread, ret->id);
    take_link(&making, thread->region, MQS_OMP_REGION, &ret->region);
    take_link(&making, thread->task, MQS_OMP_TASK, &ret->task);
    take_thread_id(&making, ret);
    if (thread->region == OMP_NONE) {
        set_state(ret, OMP_STATE_idle);
        ret->known |= MQS_OMP_STATE;
        return STATUS_OK;
    }
    if (thread->region == OMP_UNKNOWN)
        snprintf(ret->note, sizeof(ret->note), "its team is invalid");
    take_state(&making, ret);
    take_tool_data(&making, OMP_THREAD, &ret->tool_value, &ret->tool_ptr);
    if (region) {
        take_icv(&making, making.object, ompd_scope_thread, "thread-num-var", MQS_OMP_THREAD_NUM,
                 &ret->thread_num);
        take_team(&making, &region->object, &ret->team_size, &ret->level, &ret->active_level);
    }
    return STATUS_OK;
}

// OMPD 5.x has no question for a region's function: it is that of its implicit tasks.
static void
take_region_function(const struct making *making, mqs_omp_region *ret)
{
    const struct reader *reader = making->reader;
    struct omp_object task;
    taddr function = 0;
    if (READER_ASK(reader, task_in_parallel, making->object, 0, &task) != ompd_rc_ok)
        return;
    if (take(making, READER_ASK(reader, task_function, &task, &function), MQS_OMP_FUNCTION))
        ret->function = (mqs_taddr_t) function;
    reader_release(reader, OMP_TASK, &task);
}

static void
take_counts(const struct making *making, mqs_omp_region *ret)
{
    struct omp_task_counts counts = {0};
    if (!take(making, READER_ASK(making->reader, task_counts, making->object, &counts),
              MQS_OMP_TASK_COUNTS))
        return;
    ret->tasks_queued = counts.queued;
    ret->tasks_running = counts.running;
}

enum status
omp_record_region(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_region *ret)
{
    const struct snapshot_region *region = snapshot_region(snapshot, number);
    struct making making = {&snapshot->reader, &region->object, &ret->known, ret->note};
    memset(ret, 0, sizeof(*ret));
    ret->number = (int32_t) number;
    print_id(region, ret->id);
    take_link(&making, region->parent, MQS_OMP_PARENT, &ret->parent);
    take_link(&making, region->primary, MQS_OMP_PRIMARY, &ret->primary);
    take_team(&making, making.object, &ret->team_size, &ret->level, &ret->active_level);
    take_region_function(&making, ret);
    take_counts(&making, ret);
    take_tool_data(&making, OMP_PARALLEL, &ret->tool_value, &ret->tool_ptr);
    return STATUS_OK;
}

static void
take_frames(const struct making *making, mqs_omp_task *ret)
{
    ompd_frame_info_t leave = {{0, 0}, 0}, enter = leave;
    if (!take(making, READER_ASK(making->reader, task_frame, making->object, &leave, &enter),
              MQS_OMP_FRAMES))
        return;
    ret->exit_frame = (mqs_taddr_t) leave.frame_address.address;
    ret->exit_flags = leave.frame_flag;
    ret->enter_frame = (mqs_taddr_t) enter.frame_address.address;
    ret->enter_flags = enter.frame_flag;
}

// The flags that OMPD's control variables hold, for a reader that has nothing better.
static void
take_icv_flags(const struct making *making, struct omp_task_flags *flags)
{
    static const struct {
        const char *name;
        unsigned flag;
    } icvs[] = {{"implicit-task-var", OMP_TASK_IMPLICIT}, {"final-task-var", OMP_TASK_FINAL}};
    for (size_t i = 0; i < sizeof(icvs) / sizeof(icvs[0]); i++) {
        ompd_word_t value;
        if (reader_icv(making->reader, making->object, ompd_scope_task, icvs[i].name, &value) !=
            ompd_rc_ok)
            continue;
        flags->known |= icvs[i].flag;
        flags->set |= value ? icvs[i].flag : 0;
    }
}

static void
take_flags(const struct making *making, const struct snapshot_task *task, mqs_omp_task *ret)
{
    struct omp_task_flags flags = {0};
    if (!making->reader->backend->task_flags)
        take_icv_flags(making, &flags);
    else if (!take(making, READER_ASK(making->reader, task_flags, making->object, &flags), 0))
        flags = (struct omp_task_flags){0};
    // The two enumerations have the same values up to CURRENT.
    ret->flags_known = flags.known;
    ret->flags = flags.set & flags.known;
    if (task->thread >= 0)
        ret->flags_known |= MQS_OMP_TASK_CURRENT;
    if (task->is_current)
        ret->flags |= MQS_OMP_TASK_CURRENT;
}

_Static_assert((int) MQS_OMP_TASK_IN_TASKGROUP_END == (int) OMP_TASK_IN_TASKGROUP_END &&
                   (int) MQS_OMP_TASK_IMPLICIT == (int) OMP_TASK_IMPLICIT &&
                   (int) MQS_OMP_TASK_COMPLETE == (int) OMP_TASK_COMPLETE,
               "flags of tasks are passed on");

enum status
omp_record_task(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_task *ret)
{
    const struct snapshot_task *task = snapshot_task(snapshot, number);
    struct making making = {&snapshot->reader, &task->object, &ret->known, ret->note};
    taddr function = 0;
    memset(ret, 0, sizeof(*ret));
    ret->number = (int32_t) number;
    print_id(task, ret->id);
    take_link(&making, task->region, MQS_OMP_REGION, &ret->region);
    take_link(&making, task->thread, MQS_OMP_THREAD, &ret->thread);
    take_link(&making, task->generating, MQS_OMP_GENERATING, &ret->generating);
    take_link(&making, task->scheduling, MQS_OMP_SCHEDULING, &ret->scheduling);
    take_flags(&making, task, ret);
    if (task->num >= 0) {
        ret->thread_num = task->num;
        ret->known |= MQS_OMP_THREAD_NUM;
    }
    if (take(&making, READER_ASK(making.reader, task_function, making.object, &function),
             MQS_OMP_FUNCTION))
        ret->function = (mqs_taddr_t) function;
    take_frames(&making, ret);
    take_tool_data(&making, OMP_TASK, &ret->tool_value, &ret->tool_ptr);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// The iterators over regions, tasks, control variables and display control variables.
#include "ompd-bridge/exports/session_state.h"

#include <stdio.h>
#include <string.h>

static void
clear(struct omp_session *omp, struct number_list *list)
{
    inferior_free(omp->inf, list->numbers);
    memset(list, 0, sizeof(*list));
}

void
omp_session_forget_lists(struct omp_session *omp)
{
    clear(omp, &omp->regions);
    clear(omp, &omp->tasks);
    omp->icvs.set_up = false;
    inferior_free(omp->inf, omp->control_vars.texts);
    memset(&omp->control_vars, 0, sizeof(omp->control_vars));
}

static enum status
no_memory(struct omp_session *omp)
{
    return trail_begin(&omp->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
}

static enum status
no_such(struct omp_session *omp, const char *what)
{
    return trail_begin(&omp->inf->trail, STATUS_MISUSE, "there is no such %s", what);
}

// Makes room for as many numbers as there can be.
static enum status
start_list(struct omp_session *omp, struct number_list *list, uint32_t room)
{
    clear(omp, list);
    list->numbers = inferior_alloc(omp->inf, (room + 1) * sizeof(*list->numbers));
    if (!list->numbers)
        return no_memory(omp);
    list->room = room;
    list->set_up = true;
    return STATUS_OK;
}

static void
put(struct number_list *list, int32_t number)
{
    if (list->count < list->room)
        list->numbers[list->count++] = number;
}

static enum status
next_number(struct omp_session *omp, struct number_list *list, const char *what, uint32_t *ret)
{
    if (!list->set_up)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the iterator over %s has not been set up", what);
    if (list->next >= list->count)
        return STATUS_END;
    *ret = (uint32_t) list->numbers[list->next++];
    return STATUS_OK;
}

// How deep a region is; a chain that never ends is cut.
static unsigned
depth_of(const struct omp_snapshot *snapshot, int32_t number)
{
    unsigned depth = 0;
    const struct snapshot_region *region = snapshot_region(snapshot, number);
    while (region && region->parent >= 0 && depth < SNAPSHOT_CHAIN_MAX) {
        region = snapshot_region(snapshot, region->parent);
        depth++;
    }
    return depth;
}

// Regions in the order of their depth, so that each enclosing one comes first.
static enum status
put_all_regions(struct omp_session *omp, const struct omp_snapshot *snapshot)
{
    unsigned deepest = 0;
    uint32_t count = snapshot->regions.count;
    unsigned *depths = inferior_alloc(omp->inf, (count + 1) * sizeof(*depths));
    if (!depths)
        return no_memory(omp);
    for (uint32_t i = 0; i < count; i++) {
        depths[i] = depth_of(snapshot, (int32_t) i);
        deepest = depths[i] > deepest ? depths[i] : deepest;
    }
    for (unsigned depth = 0; depth <= deepest; depth++)
        for (uint32_t i = 0; i < count; i++)
            if (depths[i] == depth)
                put(&omp->regions, (int32_t) i);
    inferior_free(omp->inf, depths);
    return STATUS_OK;
}

enum status
omp_session_setup_region_iterator(struct omp_session *omp, int thread)
{
    const struct omp_snapshot *snapshot = &omp->snapshot;
    TRY(omp_session_ensure_open(omp));
    const struct snapshot_thread *one = snapshot_thread(snapshot, thread);
    if (thread != MQS_OMP_ALL && !one)
        return no_such(omp, "thread");
    TRY(start_list(omp, &omp->regions, snapshot->regions.count));
    if (!one)
        return put_all_regions(omp, snapshot);
    for (int32_t i = one->region; i >= 0 && omp->regions.count < omp->regions.room;
         i = snapshot_region(snapshot, i)->parent)
        put(&omp->regions, i);
    return STATUS_OK;
}

enum status
omp_session_next_region(struct omp_session *omp, mqs_omp_region *ret)
{
    uint32_t number = 0;
    TRY(next_number(omp, &omp->regions, "regions", &number));
    return omp_record_region(&omp->snapshot, number, ret);
}

static void
put_chain(struct number_list *list, const struct omp_snapshot *snapshot, int32_t number, int which)
{
    for (; number >= 0 && list->count < list->room;) {
        const struct snapshot_task *task = snapshot_task(snapshot, number);
        put(list, number);
        number = which == MQS_OMP_GENERATING_OF ? task->generating : task->scheduling;
    }
}

static void
put_of_region(struct number_list *list, const struct omp_snapshot *snapshot, int32_t region)
{
    for (int implicit = 1; implicit >= 0; implicit--)
        for (uint32_t i = 0; i < snapshot->tasks.count; i++) {
            const struct snapshot_task *task = snapshot_task(snapshot, i);
            if (task->region == region && (task->num >= 0) == implicit)
                put(list, (int32_t) i);
        }
}

enum status
omp_session_setup_task_iterator(struct omp_session *omp, int which, int number)
{
    const struct omp_snapshot *snapshot = &omp->snapshot;
    TRY(omp_session_ensure_open(omp));
    const struct snapshot_thread *thread = snapshot_thread(snapshot, number);
    bool of_thread = which == MQS_OMP_GENERATING_OF || which == MQS_OMP_SCHEDULING_OF;
    if (of_thread && !thread)
        return no_such(omp, "thread");
    if (which == MQS_OMP_TASKS_OF_REGION && !snapshot_region(snapshot, number))
        return no_such(omp, "region");
    if (which < MQS_OMP_ALL_TASKS || which > MQS_OMP_TASKS_OF_REGION)
        return no_such(omp, "kind of list");
    TRY(start_list(omp, &omp->tasks, snapshot->tasks.count));
    if (of_thread)
        put_chain(&omp->tasks, snapshot, thread->task, which);
    else if (which == MQS_OMP_TASKS_OF_REGION)
        put_of_region(&omp->tasks, snapshot, number);
    else
        for (uint32_t i = 0; i < snapshot->tasks.count; i++)
            put(&omp->tasks, (int32_t) i);
    return STATUS_OK;
}

enum status
omp_session_next_task(struct omp_session *omp, mqs_omp_task *ret)
{
    uint32_t number = 0;
    TRY(next_number(omp, &omp->tasks, "tasks", &number));
    return omp_record_task(&omp->snapshot, number, ret);
}

// The object of a scope's thread, region or task.
static const struct omp_object *
find_object(const struct omp_snapshot *snapshot, int scope, int number)
{
    static const struct omp_object none;
    const void *item = NULL; // begins with its object
    if (scope == MQS_OMP_OF_PROCESS)
        return &none;
    if (scope == MQS_OMP_OF_THREAD)
        item = snapshot_thread(snapshot, number);
    else if (scope == MQS_OMP_OF_REGION)
        item = snapshot_region(snapshot, number);
    else if (scope == MQS_OMP_OF_TASK)
        item = snapshot_task(snapshot, number);
    return item;
}

enum status
omp_session_setup_icv_iterator(struct omp_session *omp, int scope, int number)
{
    omp->icvs.set_up = false;
    TRY(omp_session_ensure_open(omp));
    const struct omp_object *object = find_object(&omp->snapshot, scope, number);
    if (!object)
        return no_such(omp, "thread, region or task");
    omp->icvs.set_up = true;
    omp->icvs.scope = (ompd_scope_t) scope;
    omp->icvs.object = *object;
    omp->icvs.next = 0;
    return STATUS_OK;
}

static const struct omp_icv *
next_icv(struct omp_session *omp, const struct reader *reader, unsigned *ret_number)
{
    const struct omp_icv *icv;
    if (!reader->backend->icv)
        return NULL;
    while ((icv = reader->backend->icv(reader->state, omp->icvs.next))) {
        *ret_number = omp->icvs.next++;
        if (icv->scope == omp->icvs.scope)
            return icv;
    }
    return NULL;
}

static void
record_icv(const struct reader *reader, const struct omp_object *object, unsigned number,
           mqs_omp_icv *ret)
{
    ompd_rc_t rc = READER_ASK(reader, icv_value, object, number, &ret->value);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        ret->known |= MQS_OMP_VALUE;
    if (READER_ASK(reader, icv_text, object, number, sizeof(ret->text), ret->text) == ompd_rc_ok)
        ret->known |= MQS_OMP_TEXT;
    if (!ret->known)
        snprintf(ret->note, sizeof(ret->note), "%s", omp_record_note(rc));
}

enum status
omp_session_next_icv(struct omp_session *omp, mqs_omp_icv *ret)
{
    unsigned number;
    const struct reader *reader = &omp->active.reader;
    if (!omp->icvs.set_up || !reader->backend)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the iterator over control variables has not been set up");
    const struct omp_icv *icv = next_icv(omp, reader, &number);
    if (!icv)
        return STATUS_END;
    memset(ret, 0, sizeof(*ret));
    ret->scope = (int32_t) icv->scope;
    snprintf(ret->name, sizeof(ret->name), "%s", icv->name);
    record_icv(reader, &omp->icvs.object, number, ret);
    return STATUS_OK;
}

struct text_collector {
    struct text_sink sink;
    struct omp_session *omp;
};

enum { CONTROL_VARS_MAX = 1 << 20 }; // bytes of all

static enum status
collect_text(struct text_sink *sink, const char *text)
{
    struct omp_session *omp = ((struct text_collector *) sink)->omp;
    struct control_vars *vars = &omp->control_vars;
    size_t size = strlen(text) + 1;
    if (size > CONTROL_VARS_MAX - vars->size)
        return trail_begin(&omp->inf->trail, STATUS_CORRUPT, "the list does not end");
    if (vars->size + size > vars->room) {
        size_t room = 2 * (vars->room + size);
        char *texts = inferior_alloc(omp->inf, room);
        if (!texts)
            return trail_begin(&omp->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
        if (vars->size > 0)
            memcpy(texts, vars->texts, vars->size);
        inferior_free(omp->inf, vars->texts);
        vars->texts = texts;
        vars->room = room;
    }
    memcpy(vars->texts + vars->size, text, size);
    vars->size += size;
    return STATUS_OK;
}

static enum status
read_control_vars(struct omp_session *omp)
{
    struct text_collector collector = {{collect_text}, omp};
    const struct reader *reader = &omp->active.reader;
    if (omp->control_vars.read)
        return STATUS_OK;
    ompd_rc_t rc = READER_ASK(reader, control_vars, &collector.sink);
    omp->control_vars.read = true;
    return rc == ompd_rc_nomem               ? STATUS_NOMEM
           : rc == ompd_rc_device_read_error ? STATUS_UNREADABLE
           : rc == ompd_rc_error             ? STATUS_CORRUPT
                                             : STATUS_OK;
}

enum status
omp_session_control_var(struct omp_session *omp, unsigned index, const char **ret)
{
    TRY(omp_session_ensure_open(omp));
    TRY(read_control_vars(omp));
    const struct control_vars *vars = &omp->control_vars;
    for (size_t at = 0; at < vars->size; at += strlen(vars->texts + at) + 1)
        if (index-- == 0) {
            *ret = vars->texts + at;
            return STATUS_OK;
        }
    return STATUS_END;
}

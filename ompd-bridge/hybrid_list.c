// SPDX-License-Identifier: BSD-3-Clause
// The iterators over regions, tasks and control variables.
#include "ompd-bridge/hybrid_state.h"

#include <stdio.h>
#include <string.h>

static void
clear(struct omp_process *omp, struct number_list *list)
{
    inferior_free(omp->inf, list->numbers);
    memset(list, 0, sizeof(*list));
}

void
omp_process_forget_lists(struct omp_process *omp)
{
    clear(omp, &omp->regions);
    clear(omp, &omp->tasks);
    omp->icvs.set_up = false;
    inferior_free(omp->inf, omp->control_vars.texts);
    memset(&omp->control_vars, 0, sizeof(omp->control_vars));
}

static enum status
no_memory(struct omp_process *omp)
{
    return trail_begin(&omp->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
}

static enum status
no_such(struct omp_process *omp, const char *what)
{
    return trail_begin(&omp->inf->trail, STATUS_MISUSE, "there is no such %s", what);
}

// Makes room for as many numbers as there can be.
static enum status
start_list(struct omp_process *omp, struct number_list *list, uint32_t room)
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
next_number(struct omp_process *omp, struct number_list *list, const char *what, uint32_t *ret)
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
depth_of(const struct picture *picture, int32_t number)
{
    unsigned depth = 0;
    const struct picture_region *region = picture_region(picture, number);
    while (region && region->parent >= 0 && depth < PICTURE_CHAIN_MAX) {
        region = picture_region(picture, region->parent);
        depth++;
    }
    return depth;
}

// Regions in the order of their depth, so that each enclosing one comes first.
static enum status
put_all_regions(struct omp_process *omp, const struct picture *picture)
{
    unsigned deepest = 0;
    uint32_t count = picture->regions.count;
    unsigned *depths = inferior_alloc(omp->inf, (count + 1) * sizeof(*depths));
    if (!depths)
        return no_memory(omp);
    for (uint32_t i = 0; i < count; i++) {
        depths[i] = depth_of(picture, (int32_t) i);
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
omp_process_setup_region_iterator(struct omp_process *omp, int thread)
{
    const struct picture *picture = &omp->readers.picture;
    TRY(omp_process_ensure_open(omp));
    const struct picture_thread *one = picture_thread(picture, thread);
    if (thread != MQS_OMP_ALL && !one)
        return no_such(omp, "thread");
    TRY(start_list(omp, &omp->regions, picture->regions.count));
    if (!one)
        return put_all_regions(omp, picture);
    for (int32_t i = one->region; i >= 0 && omp->regions.count < omp->regions.room;
         i = picture_region(picture, i)->parent)
        put(&omp->regions, i);
    return STATUS_OK;
}

enum status
omp_process_next_region(struct omp_process *omp, mqs_omp_region *ret)
{
    uint32_t number = 0;
    TRY(next_number(omp, &omp->regions, "regions", &number));
    return omp_record_region(&omp->readers, number, ret);
}

static void
put_chain(struct number_list *list, const struct picture *picture, int32_t number, int which)
{
    for (; number >= 0 && list->count < list->room;) {
        const struct picture_task *task = picture_task(picture, number);
        put(list, number);
        number = which == MQS_OMP_GENERATING_OF ? task->generating : task->scheduling;
    }
}

static void
put_of_region(struct number_list *list, const struct picture *picture, int32_t region)
{
    for (int implicit = 1; implicit >= 0; implicit--)
        for (uint32_t i = 0; i < picture->tasks.count; i++) {
            const struct picture_task *task = picture_task(picture, i);
            if (task->region == region && (task->num >= 0) == implicit)
                put(list, (int32_t) i);
        }
}

enum status
omp_process_setup_task_iterator(struct omp_process *omp, int which, int number)
{
    const struct picture *picture = &omp->readers.picture;
    TRY(omp_process_ensure_open(omp));
    const struct picture_thread *thread = picture_thread(picture, number);
    bool of_thread = which == MQS_OMP_GENERATING_OF || which == MQS_OMP_SCHEDULING_OF;
    if (of_thread && !thread)
        return no_such(omp, "thread");
    if (which == MQS_OMP_TASKS_OF_REGION && !picture_region(picture, number))
        return no_such(omp, "region");
    if (which < MQS_OMP_ALL_TASKS || which > MQS_OMP_TASKS_OF_REGION)
        return no_such(omp, "kind of list");
    TRY(start_list(omp, &omp->tasks, picture->tasks.count));
    if (of_thread)
        put_chain(&omp->tasks, picture, thread->task, which);
    else if (which == MQS_OMP_TASKS_OF_REGION)
        put_of_region(&omp->tasks, picture, number);
    else
        for (uint32_t i = 0; i < picture->tasks.count; i++)
            put(&omp->tasks, (int32_t) i);
    return STATUS_OK;
}

enum status
omp_process_next_task(struct omp_process *omp, mqs_omp_task *ret)
{
    uint32_t number = 0;
    TRY(next_number(omp, &omp->tasks, "tasks", &number));
    return omp_record_task(&omp->readers, number, ret);
}

// The object of a scope's thread, region or task.
static const struct omp_object *
find_object(const struct picture *picture, int scope, int number)
{
    static const struct omp_object none;
    const void *item = NULL; // begins with its object
    if (scope == MQS_OMP_OF_PROCESS)
        return &none;
    if (scope == MQS_OMP_OF_THREAD)
        item = picture_thread(picture, number);
    else if (scope == MQS_OMP_OF_REGION)
        item = picture_region(picture, number);
    else if (scope == MQS_OMP_OF_TASK)
        item = picture_task(picture, number);
    return item;
}

enum status
omp_process_setup_icv_iterator(struct omp_process *omp, int scope, int number)
{
    omp->icvs.set_up = false;
    TRY(omp_process_ensure_open(omp));
    const struct omp_object *object = find_object(readers_seen(&omp->readers), scope, number);
    if (!object)
        return no_such(omp, "thread, region or task");
    omp->icvs.set_up = true;
    omp->icvs.scope = (ompd_scope_t) scope;
    omp->icvs.object = *object;
    omp->icvs.next = 0;
    return STATUS_OK;
}

static const struct omp_icv *
next_icv(struct omp_process *omp, const struct reader *reader, unsigned *ret_number)
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
    const struct backend *backend = reader->backend;
    ompd_rc_t rc = backend->icv_value
                       ? backend->icv_value(reader->state, object, number, &ret->value)
                       : ompd_rc_unsupported;
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        ret->known |= MQS_OMP_VALUE;
    if (backend->icv_text && backend->icv_text(reader->state, object, number, sizeof(ret->text),
                                               ret->text) == ompd_rc_ok)
        ret->known |= MQS_OMP_TEXT;
    if (!ret->known)
        snprintf(ret->note, sizeof(ret->note), "%s", omp_record_note(rc));
}

enum status
omp_process_next_icv(struct omp_process *omp, mqs_omp_icv *ret)
{
    unsigned number;
    const struct reader *reader = readers_speaker(&omp->readers);
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

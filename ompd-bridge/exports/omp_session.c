// SPDX-License-Identifier: BSD-3-Clause
// Serves mqs_omp_*: finds the runtime when asked, and iterates over what the snapshot has, control
// variables and display control variables.
#include "ompd-bridge/exports/omp_session.h"
#include "ompd-bridge/exports/active_reader.h"
#include "ompd-bridge/exports/session_records.h"

#include <stdio.h>
#include <string.h>

/** Where an iterator over regions or tasks stands. */
struct cursor {
    bool set_up;
    int which;      // what it goes through: ALL_REGIONS and the like, or enum mqs_omp_tasks
    int32_t number; // of the region whose tasks are listed; of the next thing in a chain
    uint32_t pass;  // over the whole list: depth of regions; explicit tasks after implicit ones
    uint32_t next;  // place in the list, or steps along the chain
};

enum { ALL_REGIONS, REGIONS_OF_THREAD };

struct omp_session {
    struct inferior *inf;
    struct active_reader active;
    struct omp_snapshot snapshot;
    bool searched;        // for a runtime, at least once
    bool listed;          // `next_thread` means something
    uint32_t next_thread; // to give
    enum status tail;     // to give after the last one, once: what hid a thread
    struct cursor regions, tasks;
    struct {
        bool set_up;
        ompd_scope_t scope;
        struct omp_object object;
        unsigned next;
    } icvs;
    struct {
        char *texts; // NUL terminated, one behind the other
        size_t size, room;
        bool read;
    } control_vars;
    char message[DIAGNOSTIC_SIZE];
};

// Forgets the iterators: the numbers that they hold are out of date.
static void
forget_iterators(struct omp_session *omp)
{
    omp->regions.set_up = omp->tasks.set_up = omp->icvs.set_up = false;
    inferior_free(omp->inf, omp->control_vars.texts);
    memset(&omp->control_vars, 0, sizeof(omp->control_vars));
}

struct omp_session *
omp_session_create(struct inferior *inf)
{
    struct omp_session *omp = inferior_alloc(inf, sizeof(*omp));
    if (!omp)
        return NULL;
    memset(omp, 0, sizeof(*omp));
    omp->inf = inf;
    active_reader_init(&omp->active, inf);
    omp_snapshot_init(&omp->snapshot, inf);
    omp->active.reports_others = true;
    return omp;
}

static void
close_reader(struct omp_session *omp)
{
    omp_snapshot_deinit(&omp->snapshot);
    active_reader_close(&omp->active);
}

void
omp_session_destroy(struct omp_session *omp)
{
    if (!omp)
        return;
    forget_iterators(omp);
    close_reader(omp);
    inferior_free(omp->inf, omp);
}

static enum status
keep_message(struct omp_session *omp, enum status status)
{
    snprintf(omp->message, sizeof(omp->message), "%s", trail_text(&omp->inf->trail));
    text_make_harmless(omp->message);
    return status;
}

// Nothing stays open when that fails.
static enum status
take_snapshot(struct omp_session *omp)
{
    struct active_reader *active = &omp->active;
    enum status status = omp_snapshot_take(&omp->snapshot, &active->reader, &active->diagnostics);
    if (status != STATUS_OK)
        close_reader(omp);
    return status;
}

// Looks for the runtime, unless it has been found. What was read when it was searched for before
// may be out of date by now.
static enum status
ensure_open(struct omp_session *omp)
{
    if (omp->active.reader.backend)
        return STATUS_OK;
    if (omp->searched)
        inferior_refresh(omp->inf);
    omp->searched = true;
    forget_iterators(omp);
    enum status status = active_reader_open(&omp->active);
    if (status == STATUS_OK)
        status = take_snapshot(omp);
    return status == STATUS_OK ? STATUS_OK : keep_message(omp, status);
}

// Reads all anew; a runtime that cannot be read any more is searched for anew.
static enum status
renew(struct omp_session *omp)
{
    forget_iterators(omp);
    if (!omp->active.reader.backend)
        return ensure_open(omp);
    inferior_refresh(omp->inf);
    omp_snapshot_deinit(&omp->snapshot);
    if (active_reader_refresh(&omp->active) == STATUS_OK && take_snapshot(omp) == STATUS_OK)
        return STATUS_OK;
    close_reader(omp);
    return ensure_open(omp);
}

enum status
omp_session_has_openmp(struct omp_session *omp, const char **ret_message)
{
    enum status status = ensure_open(omp);
    bool silent = status == STATUS_OK || omp->message[0] == '\0';
    *ret_message = silent ? NULL : omp->message;
    return status;
}

enum status
omp_session_get_info(struct omp_session *omp, mqs_omp_info *ret)
{
    struct omp_info info;
    TRY(ensure_open(omp));
    TRY(omp->active.reader.backend->info(omp->active.reader.state, &info));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->runtime, info.runtime, sizeof(ret->runtime));
    memcpy(ret->release, info.release, sizeof(ret->release));
    memcpy(ret->backend, info.backend, sizeof(ret->backend));
    ret->state_tracking = info.tracking;
    ret->omp_version = info.version;
    return STATUS_OK;
}

static enum status
misuse(struct omp_session *omp, const char *text)
{
    return trail_begin(&omp->inf->trail, STATUS_MISUSE, "%s", text);
}

enum status
omp_session_setup_thread_iterator(struct omp_session *omp)
{
    omp->listed = false;
    TRY(renew(omp));
    omp->listed = true;
    omp->next_thread = 0;
    omp->tail = omp->snapshot.broken;
    return STATUS_OK;
}

enum status
omp_session_next_thread(struct omp_session *omp, mqs_omp_thread *ret)
{
    if (!omp->listed || !omp->active.reader.backend)
        return misuse(omp, "the thread iterator has not been set up");
    if (omp->next_thread < omp->snapshot.threads.count)
        return omp_record_thread(&omp->snapshot, omp->next_thread++, ret);
    const enum status tail = omp->tail;
    omp->tail = STATUS_OK;
    return tail == STATUS_OK ? STATUS_END : tail;
}

// The next thing of a chain; each step leads to `link`. A chain that never ends is cut when it has
// as many links as there are things.
static enum status
next_in_chain(struct cursor *cursor, uint32_t count, int32_t link, uint32_t *ret)
{
    if (cursor->number < 0 || cursor->next == count)
        return STATUS_END;
    cursor->next++;
    *ret = (uint32_t) cursor->number;
    cursor->number = link;
    return STATUS_OK;
}

enum status
omp_session_setup_region_iterator(struct omp_session *omp, int thread)
{
    TRY(ensure_open(omp));
    const struct snapshot_thread *one = snapshot_thread(&omp->snapshot, thread);
    if (thread != MQS_OMP_ALL && !one)
        return misuse(omp, "there is no such thread");
    omp->regions = (struct cursor){.set_up = true,
                                   .which = one ? REGIONS_OF_THREAD : ALL_REGIONS,
                                   .number = one ? one->region : OMP_NONE};
    return STATUS_OK;
}

// Regions in the order of their depth, so that each enclosing one comes first.
static enum status
next_of_all_regions(const struct omp_snapshot *snapshot, struct cursor *cursor, uint32_t *ret)
{
    for (; cursor->pass <= snapshot->deepest; cursor->pass++, cursor->next = 0)
        while (cursor->next < snapshot->regions.count) {
            *ret = cursor->next++;
            if (snapshot_region(snapshot, *ret)->depth == cursor->pass)
                return STATUS_OK;
        }
    return STATUS_END;
}

enum status
omp_session_next_region(struct omp_session *omp, mqs_omp_region *ret)
{
    struct cursor *cursor = &omp->regions;
    const struct omp_snapshot *snapshot = &omp->snapshot;
    const struct snapshot_region *region = snapshot_region(snapshot, cursor->number);
    uint32_t number = 0;
    if (!cursor->set_up)
        return misuse(omp, "the iterator over regions has not been set up");
    TRY(cursor->which == ALL_REGIONS ? next_of_all_regions(snapshot, cursor, &number)
                                     : next_in_chain(cursor, snapshot->regions.count,
                                                     region ? region->parent : OMP_NONE, &number));
    return omp_record_region(snapshot, number, ret);
}

enum status
omp_session_setup_task_iterator(struct omp_session *omp, int which, int number)
{
    const struct omp_snapshot *snapshot = &omp->snapshot;
    TRY(ensure_open(omp));
    const struct snapshot_thread *thread = snapshot_thread(snapshot, number);
    bool of_thread = which == MQS_OMP_GENERATING_OF || which == MQS_OMP_SCHEDULING_OF;
    if (of_thread && !thread)
        return misuse(omp, "there is no such thread");
    if (which == MQS_OMP_TASKS_OF_REGION && !snapshot_region(snapshot, number))
        return misuse(omp, "there is no such region");
    if (which < MQS_OMP_ALL_TASKS || which > MQS_OMP_TASKS_OF_REGION)
        return misuse(omp, "there is no such kind of list");
    omp->tasks = (struct cursor){
        .set_up = true, .which = which, .number = of_thread ? thread->task : number};
    return STATUS_OK;
}

// All tasks, or those of a region: implicit ones first.
static enum status
next_in_tasks(const struct omp_snapshot *snapshot, struct cursor *cursor, uint32_t *ret)
{
    const bool all = cursor->which == MQS_OMP_ALL_TASKS;
    for (; cursor->pass < (all ? 1 : 2); cursor->pass++, cursor->next = 0)
        while (cursor->next < snapshot->tasks.count) {
            const struct snapshot_task *task = snapshot_task(snapshot, cursor->next);
            *ret = cursor->next++;
            if (all || (task->region == cursor->number && (task->num < 0) == (cursor->pass == 1)))
                return STATUS_OK;
        }
    return STATUS_END;
}

enum status
omp_session_next_task(struct omp_session *omp, mqs_omp_task *ret)
{
    struct cursor *cursor = &omp->tasks;
    const struct omp_snapshot *snapshot = &omp->snapshot;
    uint32_t number = 0;
    if (!cursor->set_up)
        return misuse(omp, "the iterator over tasks has not been set up");
    if (cursor->which == MQS_OMP_GENERATING_OF || cursor->which == MQS_OMP_SCHEDULING_OF) {
        const struct snapshot_task *task = snapshot_task(snapshot, cursor->number);
        int32_t link = !task                                    ? OMP_NONE
                       : cursor->which == MQS_OMP_GENERATING_OF ? task->generating
                                                                : task->scheduling;
        TRY(next_in_chain(cursor, snapshot->tasks.count, link, &number));
    } else {
        TRY(next_in_tasks(snapshot, cursor, &number));
    }
    return omp_record_task(snapshot, number, ret);
}

// The object of a scope's thread, region or task.
static const struct omp_object *
find_object(const struct omp_snapshot *snapshot, int scope, int number)
{
    static const struct omp_object none;
    switch (scope) { // an item begins with its object
    case MQS_OMP_OF_PROCESS:
        return &none;
    case MQS_OMP_OF_THREAD:
        return snapshot_item(&snapshot->threads, number);
    case MQS_OMP_OF_REGION:
        return snapshot_item(&snapshot->regions, number);
    case MQS_OMP_OF_TASK:
        return snapshot_item(&snapshot->tasks, number);
    default:
        return NULL;
    }
}

enum status
omp_session_setup_icv_iterator(struct omp_session *omp, int scope, int number)
{
    omp->icvs.set_up = false;
    TRY(ensure_open(omp));
    const struct omp_object *object = find_object(&omp->snapshot, scope, number);
    if (!object)
        return misuse(omp, "there is no such thread, region or task");
    omp->icvs.set_up = true;
    omp->icvs.scope = (ompd_scope_t) scope;
    omp->icvs.object = *object;
    omp->icvs.next = 0;
    return STATUS_OK;
}

static void
record_icv(const struct reader *reader, const struct omp_icv *icv, const struct omp_object *object,
           mqs_omp_icv *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->scope = (int32_t) icv->scope;
    snprintf(ret->name, sizeof(ret->name), "%s", icv->name);
    ompd_rc_t rc = ICV_ASK(reader, icv, number, object, &ret->value);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        ret->known |= MQS_OMP_VALUE;
    if (ICV_ASK(reader, icv, text, object, sizeof(ret->text), ret->text) == ompd_rc_ok)
        ret->known |= MQS_OMP_TEXT;
    if (!ret->known)
        snprintf(ret->note, sizeof(ret->note), "%s", omp_record_note(rc));
}

enum status
omp_session_next_icv(struct omp_session *omp, mqs_omp_icv *ret)
{
    const struct omp_icv *icv;
    const struct reader *reader = &omp->active.reader;
    if (!omp->icvs.set_up || !reader->backend)
        return misuse(omp, "the iterator over control variables has not been set up");
    while ((icv = reader_icv_at(reader, omp->icvs.next))) {
        omp->icvs.next++;
        if (icv->scope == omp->icvs.scope) {
            record_icv(reader, icv, &omp->icvs.object, ret);
            return STATUS_OK;
        }
    }
    return STATUS_END;
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
    size_t size = strlen(text) + 1;
    if (size > CONTROL_VARS_MAX - omp->control_vars.size)
        return trail_begin(&omp->inf->trail, STATUS_CORRUPT, "the list does not end");
    if (omp->control_vars.size + size > omp->control_vars.room) {
        size_t room = 2 * (omp->control_vars.room + size);
        char *texts = inferior_alloc(omp->inf, room);
        if (!texts)
            return trail_begin(&omp->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
        if (omp->control_vars.size > 0)
            memcpy(texts, omp->control_vars.texts, omp->control_vars.size);
        inferior_free(omp->inf, omp->control_vars.texts);
        omp->control_vars.texts = texts;
        omp->control_vars.room = room;
    }
    memcpy(omp->control_vars.texts + omp->control_vars.size, text, size);
    omp->control_vars.size += size;
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
    TRY(ensure_open(omp));
    TRY(read_control_vars(omp));
    for (size_t at = 0; at < omp->control_vars.size; at += strlen(omp->control_vars.texts + at) + 1)
        if (index-- == 0) {
            *ret = omp->control_vars.texts + at;
            return STATUS_OK;
        }
    return STATUS_END;
}

enum status
omp_session_breakpoint(struct omp_session *omp, unsigned index, const char **ret_name,
                       taddr *ret_addr)
{
    static const char *const names[] = {
        "ompd_bp_thread_begin", "ompd_bp_thread_end", "ompd_bp_parallel_begin",
        "ompd_bp_parallel_end", "ompd_bp_task_begin", "ompd_bp_task_end",
        "ompd_bp_device_begin", "ompd_bp_device_end",
    };
    char mangled[64]; // as C++ names them in some releases of LLVM's runtime
    const struct target *target = &omp->inf->target;
    if (index >= sizeof(names) / sizeof(names[0]))
        return STATUS_END;
    *ret_name = names[index];
    snprintf(mangled, sizeof(mangled), "_Z%zu%sv", strlen(names[index]), names[index]);
    if (!target->ops->find_function(target->host, names[index], ret_addr) &&
        !target->ops->find_function(target->host, mangled, ret_addr))
        *ret_addr = 0;
    return STATUS_OK;
}

const char *
omp_session_message(struct omp_session *omp, unsigned index)
{
    const struct diagnostics *diagnostics = &omp->active.diagnostics;
    return index < diagnostics->count ? diagnostics->texts[index] : NULL;
}

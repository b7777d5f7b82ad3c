// SPDX-License-Identifier: BSD-3-Clause
// Takes a snapshot: from each thread along all links that lead to regions and tasks.
#include "ompd-bridge/exports/snapshot_list.h"

#include <string.h>

void
omp_snapshot_init(struct omp_snapshot *snapshot, struct inferior *inf)
{
    memset(snapshot, 0, sizeof(*snapshot));
    snapshot->inf = inf;
    snapshot->threads.kind = OMP_THREAD;
    snapshot->regions.kind = OMP_PARALLEL;
    snapshot->tasks.kind = OMP_TASK;
}

void
omp_snapshot_deinit(struct omp_snapshot *snapshot)
{
    snapshot_list_deinit(snapshot, &snapshot->tasks);
    snapshot_list_deinit(snapshot, &snapshot->regions);
    snapshot_list_deinit(snapshot, &snapshot->threads);
    omp_snapshot_init(snapshot, snapshot->inf);
}

struct snapshot_thread *
snapshot_thread(const struct omp_snapshot *snapshot, int64_t number)
{
    return snapshot_item(&snapshot->threads, number);
}

struct snapshot_region *
snapshot_region(const struct omp_snapshot *snapshot, int64_t number)
{
    return snapshot_item(&snapshot->regions, number);
}

struct snapshot_task *
snapshot_task(const struct omp_snapshot *snapshot, int64_t number)
{
    return snapshot_item(&snapshot->tasks, number);
}

ompd_rc_t
reader_icv(const struct reader *reader, const struct omp_object *object, ompd_scope_t scope,
           const char *name, ompd_word_t *ret)
{
    const struct omp_icv *icv;
    if (!reader->backend->icv || !reader->backend->icv_value)
        return ompd_rc_unsupported;
    for (unsigned i = 0; (icv = reader->backend->icv(reader->state, i)); i++)
        if (icv->scope == scope && strcmp(icv->name, name) == 0)
            return reader->backend->icv_value(reader->state, object, i, ret);
    return ompd_rc_unsupported;
}

// Something is missing in the snapshot; the trail says why.
static void
note_broken(struct omp_snapshot *snapshot, enum status status)
{
    const char *why = trail_text(&snapshot->inf->trail);
    snapshot->broken = status;
    if (why[0] != '\0')
        diagnostics_add(snapshot->diagnostics, "%s", why);
}

// What a question's answer means for a link: whether there is an object, none, or it is not known.
static bool
has_object(struct omp_snapshot *snapshot, ompd_rc_t rc, int32_t *ret)
{
    *ret = rc == ompd_rc_unavailable ? OMP_NONE : OMP_UNKNOWN;
    if (rc == ompd_rc_stale_handle || rc == ompd_rc_error || rc == ompd_rc_device_read_error)
        note_broken(snapshot, rc == ompd_rc_device_read_error ? STATUS_UNREADABLE : STATUS_CORRUPT);
    return rc == ompd_rc_ok;
}

static const struct snapshot_task fresh_task = {
    .region = OMP_UNKNOWN,
    .generating = OMP_UNKNOWN,
    .scheduling = OMP_UNKNOWN,
    .thread = OMP_UNKNOWN,
    .num = OMP_UNKNOWN,
};

static enum status
link_to(struct omp_snapshot *snapshot, struct snapshot_list *list, ompd_rc_t rc,
        struct omp_object *object, int32_t *ret)
{
    uint32_t number;
    bool fresh;
    if (!has_object(snapshot, rc, ret))
        return STATUS_OK;
    enum status status = snapshot_put(snapshot, list, object, &number, &fresh);
    if (status == STATUS_CORRUPT) {
        note_broken(snapshot, status);
        return STATUS_OK;
    }
    TRY(status);
    if (fresh && list->kind == OMP_TASK) {
        struct snapshot_task *task = snapshot_task(snapshot, number);
        struct omp_object own = task->object;
        *task = fresh_task;
        task->object = own;
    }
    *ret = (int32_t) number;
    return STATUS_OK;
}

// Goes one step from an object; where it leads to is put into `list`.
static enum status
follow(struct omp_snapshot *snapshot, struct snapshot_list *list, omp_step *step,
       struct omp_object from, int32_t *ret)
{
    struct omp_object found;
    ompd_rc_t rc = step ? step(snapshot->reader.state, &from, &found) : ompd_rc_unsupported;
    return link_to(snapshot, list, rc, &found, ret);
}

// The implicit task of thread `num` of a region; lists move when they grow, so the task is set
// last.
static enum status
take_member(struct omp_snapshot *snapshot, struct omp_object region, int num, bool *ret_found)
{
    int32_t number;
    const struct reader *reader = &snapshot->reader;
    struct omp_object found;
    int32_t thread = OMP_UNKNOWN;
    ompd_rc_t rc = READER_ASK(reader, task_in_parallel, &region, num, &found);
    TRY(link_to(snapshot, &snapshot->tasks, rc, &found, &number));
    rc = READER_ASK(reader, thread_in_parallel, &region, num, &found);
    TRY(link_to(snapshot, &snapshot->threads, rc, &found, &thread));
    struct snapshot_task *task = snapshot_task(snapshot, number);
    *ret_found = number >= 0 || thread >= 0;
    if (task) {
        task->num = num;
        task->thread = thread;
    }
    return STATUS_OK;
}

static enum status
take_region(struct omp_snapshot *snapshot, uint32_t number)
{
    ompd_word_t size = 0;
    int32_t link;
    bool found = true;
    struct omp_object object = snapshot_region(snapshot, number)->object;
    TRY(follow(snapshot, &snapshot->regions, snapshot->reader.backend->enclosing_parallel, object,
               &link));
    if (reader_icv(&snapshot->reader, &object, ompd_scope_parallel, "team-size-var", &size) !=
            ompd_rc_ok ||
        size < 0 || size > SNAPSHOT_TEAM_MAX)
        size = 0;
    snapshot_region(snapshot, number)->parent = link;
    snapshot_region(snapshot, number)->primary = OMP_UNKNOWN;
    snapshot_region(snapshot, number)->size = size;
    for (int num = 0; num < size && found; num++)
        TRY(take_member(snapshot, object, num, &found));
    return STATUS_OK;
}

static enum status
take_task(struct omp_snapshot *snapshot, uint32_t number)
{
    const struct backend *backend = snapshot->reader.backend;
    struct omp_object object = snapshot_task(snapshot, number)->object;
    int32_t region, generating, scheduling;
    TRY(follow(snapshot, &snapshot->regions, backend->task_parallel, object, &region));
    TRY(follow(snapshot, &snapshot->tasks, backend->generating_task, object, &generating));
    TRY(follow(snapshot, &snapshot->tasks, backend->scheduling_task, object, &scheduling));
    struct snapshot_task *task = snapshot_task(snapshot, number);
    task->region = region;
    task->generating = generating;
    task->scheduling = scheduling;
    return STATUS_OK;
}

static enum status
take_thread(struct omp_snapshot *snapshot, uint32_t number)
{
    const struct backend *backend = snapshot->reader.backend;
    struct omp_object object = snapshot_thread(snapshot, number)->object;
    int32_t region, task = OMP_NONE;
    TRY(follow(snapshot, &snapshot->regions, backend->curr_parallel, object, &region));
    if (region != OMP_NONE)
        TRY(follow(snapshot, &snapshot->tasks, backend->curr_task, object, &task));
    struct snapshot_thread *thread = snapshot_thread(snapshot, number);
    thread->region = region;
    thread->task = task;
    return STATUS_OK;
}

// The lists grow while they are worked on: each new item is worked on as well, once.
static enum status
take_all(struct omp_snapshot *snapshot)
{
    uint32_t threads = 0, regions = 0, tasks = 0;
    while (threads < snapshot->threads.count || regions < snapshot->regions.count ||
           tasks < snapshot->tasks.count) {
        if (threads < snapshot->threads.count)
            TRY(take_thread(snapshot, threads++));
        else if (regions < snapshot->regions.count)
            TRY(take_region(snapshot, regions++));
        else
            TRY(take_task(snapshot, tasks++));
    }
    return STATUS_OK;
}

// The task that its thread goes on with after this one: a task that was interrupted for it, or the
// one that has come to the region, which goes on as the region's first thread.
static int32_t
interrupted_by(const struct snapshot_task *task)
{
    return task->scheduling == OMP_NONE && task->num == 0 ? task->generating : task->scheduling;
}

// Finds for each thread the tasks that it executes: its current one, and those interrupted for it.
static void
assign_tasks(struct omp_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->threads.count; i++) {
        int32_t number = snapshot_thread(snapshot, i)->task;
        struct snapshot_task *task = snapshot_task(snapshot, number);
        if (task)
            task->is_current = true;
        for (unsigned steps = 0; task && steps < SNAPSHOT_CHAIN_MAX; steps++) {
            task->thread = (int32_t) i;
            task = snapshot_task(snapshot, interrupted_by(task));
        }
    }
}

// Finds for each region the thread with the number 0: that of the first task of that number.
static void
assign_primaries(struct omp_snapshot *snapshot)
{
    for (uint32_t i = snapshot->tasks.count; i > 0; i--) {
        const struct snapshot_task *task = snapshot_task(snapshot, i - 1);
        struct snapshot_region *region = snapshot_region(snapshot, task->region);
        if (region && task->num == 0)
            region->primary = task->thread;
    }
}

struct thread_collector {
    struct object_sink sink;
    struct omp_snapshot *snapshot;
};

static enum status
collect(struct object_sink *sink, const struct omp_object *object)
{
    struct omp_snapshot *snapshot = ((struct thread_collector *) sink)->snapshot;
    struct omp_object thread = *object;
    int32_t unused;
    return link_to(snapshot, &snapshot->threads, ompd_rc_ok, &thread, &unused);
}

static void
collect_broken(struct object_sink *sink, enum status status)
{
    note_broken(((struct thread_collector *) sink)->snapshot, status);
}

enum status
omp_snapshot_take(struct omp_snapshot *snapshot, const struct reader *reader,
                  struct diagnostics *diagnostics)
{
    struct thread_collector collector = {{collect, collect_broken}, snapshot};
    snapshot->reader = *reader;
    snapshot->diagnostics = diagnostics;
    TRY(reader->backend->threads(reader->state, &collector.sink));
    TRY(take_all(snapshot));
    assign_tasks(snapshot);
    assign_primaries(snapshot);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Takes a picture: from each thread along all links that lead to regions and tasks.
#include "ompd-bridge/picture_list.h"

#include <string.h>

void
picture_init(struct picture *picture, struct inferior *inf)
{
    memset(picture, 0, sizeof(*picture));
    picture->inf = inf;
    picture->threads.kind = OMP_THREAD;
    picture->regions.kind = OMP_PARALLEL;
    picture->tasks.kind = OMP_TASK;
}

void
picture_deinit(struct picture *picture)
{
    picture_list_deinit(picture, &picture->tasks);
    picture_list_deinit(picture, &picture->regions);
    picture_list_deinit(picture, &picture->threads);
    picture_init(picture, picture->inf);
}

struct picture_thread *
picture_thread(const struct picture *picture, int64_t number)
{
    return picture_item(&picture->threads, number);
}

struct picture_region *
picture_region(const struct picture *picture, int64_t number)
{
    return picture_item(&picture->regions, number);
}

struct picture_task *
picture_task(const struct picture *picture, int64_t number)
{
    return picture_item(&picture->tasks, number);
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

// Something is missing in the picture; the trail says why.
static void
note_broken(struct picture *picture, enum status status)
{
    const char *why = trail_text(&picture->inf->trail);
    picture->broken = status;
    if (why[0] != '\0')
        notes_add(picture->notes, "%s", why);
}

// What a question's answer means for a link: whether there is an object, none, or it is not known.
static bool
has_object(struct picture *picture, ompd_rc_t rc, int32_t *ret)
{
    *ret = rc == ompd_rc_unavailable ? PICTURE_NONE : PICTURE_UNKNOWN;
    if (rc == ompd_rc_stale_handle || rc == ompd_rc_error || rc == ompd_rc_device_read_error)
        note_broken(picture, rc == ompd_rc_device_read_error ? STATUS_UNREADABLE : STATUS_CORRUPT);
    return rc == ompd_rc_ok;
}

static const struct picture_task fresh_task = {
    .region = PICTURE_UNKNOWN,
    .generating = PICTURE_UNKNOWN,
    .scheduling = PICTURE_UNKNOWN,
    .thread = PICTURE_UNKNOWN,
    .num = PICTURE_UNKNOWN,
};

static enum status
link_to(struct picture *picture, struct picture_list *list, ompd_rc_t rc, struct omp_object *object,
        int32_t *ret)
{
    uint32_t number;
    bool fresh;
    if (!has_object(picture, rc, ret))
        return STATUS_OK;
    enum status status = picture_put(picture, list, object, &number, &fresh);
    if (status == STATUS_CORRUPT) {
        note_broken(picture, status);
        return STATUS_OK;
    }
    TRY(status);
    if (fresh && list->kind == OMP_TASK) {
        struct picture_task *task = picture_task(picture, number);
        struct omp_object own = task->object;
        *task = fresh_task;
        task->object = own;
    }
    *ret = (int32_t) number;
    return STATUS_OK;
}

// Goes one step from an object; where it leads to is put into `list`.
static enum status
follow(struct picture *picture, struct picture_list *list, omp_step *step, struct omp_object from,
       int32_t *ret)
{
    struct omp_object found;
    ompd_rc_t rc = step ? step(picture->reader.state, &from, &found) : ompd_rc_unsupported;
    return link_to(picture, list, rc, &found, ret);
}

// The implicit task of thread `num` of a region; lists move when they grow, so the task is set
// last.
static enum status
take_member(struct picture *picture, struct omp_object region, int num, bool *ret_found)
{
    int32_t number;
    const struct backend *backend = picture->reader.backend;
    struct backend_state *state = picture->reader.state;
    struct omp_object found;
    int32_t thread = PICTURE_UNKNOWN;
    ompd_rc_t rc = backend->task_in_parallel
                       ? backend->task_in_parallel(state, &region, num, &found)
                       : ompd_rc_unsupported;
    TRY(link_to(picture, &picture->tasks, rc, &found, &number));
    rc = backend->thread_in_parallel ? backend->thread_in_parallel(state, &region, num, &found)
                                     : ompd_rc_unsupported;
    TRY(link_to(picture, &picture->threads, rc, &found, &thread));
    struct picture_task *task = picture_task(picture, number);
    *ret_found = number >= 0 || thread >= 0;
    if (task) {
        task->num = num;
        task->thread = thread;
    }
    return STATUS_OK;
}

static enum status
take_region(struct picture *picture, uint32_t number)
{
    ompd_word_t size = 0;
    int32_t link;
    bool found = true;
    struct omp_object object = picture_region(picture, number)->object;
    TRY(follow(picture, &picture->regions, picture->reader.backend->enclosing_parallel, object,
               &link));
    if (reader_icv(&picture->reader, &object, ompd_scope_parallel, "team-size-var", &size) !=
            ompd_rc_ok ||
        size < 0 || size > PICTURE_TEAM_MAX)
        size = 0;
    picture_region(picture, number)->parent = link;
    picture_region(picture, number)->primary = PICTURE_UNKNOWN;
    picture_region(picture, number)->size = size;
    for (int num = 0; num < size && found; num++)
        TRY(take_member(picture, object, num, &found));
    return STATUS_OK;
}

static enum status
take_task(struct picture *picture, uint32_t number)
{
    const struct backend *backend = picture->reader.backend;
    struct omp_object object = picture_task(picture, number)->object;
    int32_t region, generating, scheduling;
    TRY(follow(picture, &picture->regions, backend->task_parallel, object, &region));
    TRY(follow(picture, &picture->tasks, backend->generating_task, object, &generating));
    TRY(follow(picture, &picture->tasks, backend->scheduling_task, object, &scheduling));
    struct picture_task *task = picture_task(picture, number);
    task->region = region;
    task->generating = generating;
    task->scheduling = scheduling;
    return STATUS_OK;
}

static enum status
take_thread(struct picture *picture, uint32_t number)
{
    const struct backend *backend = picture->reader.backend;
    struct omp_object object = picture_thread(picture, number)->object;
    int32_t region, task = PICTURE_NONE;
    TRY(follow(picture, &picture->regions, backend->curr_parallel, object, &region));
    if (region != PICTURE_NONE)
        TRY(follow(picture, &picture->tasks, backend->curr_task, object, &task));
    struct picture_thread *thread = picture_thread(picture, number);
    thread->region = region;
    thread->task = task;
    return STATUS_OK;
}

// The lists grow while they are worked on: each new item is worked on as well, once.
static enum status
take_all(struct picture *picture)
{
    uint32_t threads = 0, regions = 0, tasks = 0;
    while (threads < picture->threads.count || regions < picture->regions.count ||
           tasks < picture->tasks.count) {
        if (threads < picture->threads.count)
            TRY(take_thread(picture, threads++));
        else if (regions < picture->regions.count)
            TRY(take_region(picture, regions++));
        else
            TRY(take_task(picture, tasks++));
    }
    return STATUS_OK;
}

// The task that its thread goes on with after this one: a task that was interrupted for it, or the
// one that has come to the region, which goes on as the region's first thread.
static int32_t
interrupted_by(const struct picture_task *task)
{
    return task->scheduling == PICTURE_NONE && task->num == 0 ? task->generating : task->scheduling;
}

// Tells for each thread which tasks it executes: its current one, and those interrupted for it.
static void
assign_tasks(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->threads.count; i++) {
        int32_t number = picture_thread(picture, i)->task;
        struct picture_task *task = picture_task(picture, number);
        if (task)
            task->is_current = true;
        for (unsigned steps = 0; task && steps < PICTURE_CHAIN_MAX; steps++) {
            task->thread = (int32_t) i;
            task = picture_task(picture, interrupted_by(task));
        }
    }
}

// Tells for each region which thread has the number 0: the first task of that number says it.
static void
assign_primaries(struct picture *picture)
{
    for (uint32_t i = picture->tasks.count; i > 0; i--) {
        const struct picture_task *task = picture_task(picture, i - 1);
        struct picture_region *region = picture_region(picture, task->region);
        if (region && task->num == 0)
            region->primary = task->thread;
    }
}

struct thread_collector {
    struct object_sink sink;
    struct picture *picture;
};

static enum status
collect(struct object_sink *sink, const struct omp_object *object)
{
    struct picture *picture = ((struct thread_collector *) sink)->picture;
    struct omp_object thread = *object;
    int32_t unused;
    return link_to(picture, &picture->threads, ompd_rc_ok, &thread, &unused);
}

static void
collect_broken(struct object_sink *sink, enum status status)
{
    note_broken(((struct thread_collector *) sink)->picture, status);
}

enum status
picture_take(struct picture *picture, const struct reader *reader, struct notes *notes)
{
    struct thread_collector collector = {{collect, collect_broken}, picture};
    picture->reader = *reader;
    picture->notes = notes;
    TRY(reader->backend->threads(reader->state, &collector.sink));
    TRY(take_all(picture));
    assign_tasks(picture);
    assign_primaries(picture);
    return STATUS_OK;
}

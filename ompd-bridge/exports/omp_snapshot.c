// SPDX-License-Identifier: BSD-3-Clause
// Takes a snapshot: from each thread along all links that lead to regions and tasks.
#include "ompd-bridge/exports/omp_snapshot.h"

#include <string.h>

enum { FIRST_ROOM = 64 }; // items; places are twice as many

static const struct snapshot_thread fresh_thread;
static const struct snapshot_region fresh_region;
static const struct snapshot_task fresh_task = {
    .region = OMP_UNKNOWN,
    .generating = OMP_UNKNOWN,
    .scheduling = OMP_UNKNOWN,
    .thread = OMP_UNKNOWN,
    .num = OMP_UNKNOWN,
};

static const struct {
    size_t size;
    uint32_t most;
    const void *fresh; // what an item is before its links are known
} kinds[] = {
    [OMP_THREAD] = {sizeof(struct snapshot_thread), UINT32_MAX / 4, &fresh_thread},
    [OMP_PARALLEL] = {sizeof(struct snapshot_region), SNAPSHOT_REGIONS_MAX, &fresh_region},
    [OMP_TASK] = {sizeof(struct snapshot_task), SNAPSHOT_TASKS_MAX, &fresh_task},
};

// An item of any kind begins with its object.
static struct omp_object *
object_at(const struct snapshot_list *list, uint32_t number)
{
    return (struct omp_object *) ((char *) list->items + number * kinds[list->kind].size);
}

void *
snapshot_item(const struct snapshot_list *list, int64_t number)
{
    return number >= 0 && number < list->count ? object_at(list, (uint32_t) number) : NULL;
}

// Releases the objects and frees the list, which is empty then.
static void
snapshot_list_deinit(struct omp_snapshot *snapshot, struct snapshot_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        reader_release(&snapshot->reader, list->kind, object_at(list, i));
    inferior_free(snapshot->inf, list->items);
    inferior_free(snapshot->inf, list->places);
    *list = (struct snapshot_list){.kind = list->kind};
}

static uint32_t
hash(const struct omp_object *object)
{
    uint64_t mixed = (object->addr ^ (object->detail << 17)) * 0x9e3779b97f4a7c15U;
    return (uint32_t) (mixed >> 32);
}

// The place of the object, or the free one where it would be.
static uint32_t *
find_place(const struct snapshot_list *list, const struct omp_object *object)
{
    for (uint32_t at = hash(object);; at++) {
        uint32_t *place = &list->places[at & (list->n_places - 1)];
        if (*place == 0)
            return place;
        const struct omp_object *other = object_at(list, *place - 1);
        if (other->addr == object->addr && other->detail == object->detail)
            return place;
    }
}

static enum status
grow(struct omp_snapshot *snapshot, struct snapshot_list *list)
{
    uint32_t room = list->room ? 2 * list->room : FIRST_ROOM;
    char *items = inferior_alloc(snapshot->inf, room * kinds[list->kind].size);
    uint32_t *places = inferior_alloc(snapshot->inf, 2 * room * sizeof(*places));
    if (!items || !places) {
        inferior_free(snapshot->inf, items);
        inferior_free(snapshot->inf, places);
        return trail_begin(&snapshot->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    }
    if (list->count > 0)
        memcpy(items, list->items, list->count * kinds[list->kind].size);
    memset(places, 0, 2 * room * sizeof(*places));
    inferior_free(snapshot->inf, list->items);
    inferior_free(snapshot->inf, list->places);
    list->items = items;
    list->room = room;
    list->places = places;
    list->n_places = 2 * room;
    for (uint32_t i = 0; i < list->count; i++)
        *find_place(list, object_at(list, i)) = i + 1;
    return STATUS_OK;
}

static enum status
add(struct omp_snapshot *snapshot, struct snapshot_list *list, const struct omp_object *object)
{
    if (list->count >= kinds[list->kind].most)
        return trail_begin(&snapshot->inf->trail, STATUS_CORRUPT, "OpenMP: the list does not end");
    if (list->count == list->room)
        TRY(grow(snapshot, list));
    void *item = object_at(list, list->count);
    memcpy(item, kinds[list->kind].fresh, kinds[list->kind].size);
    memcpy(item, object, sizeof(*object));
    *find_place(list, object) = ++list->count;
    return STATUS_OK;
}

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

ompd_rc_t
reader_icv(const struct reader *reader, const struct omp_object *object, ompd_scope_t scope,
           const char *name, ompd_word_t *ret)
{
    const struct omp_icv *icv;
    for (unsigned i = 0; (icv = reader_icv_at(reader, i)); i++)
        if (icv->scope == scope && strcmp(icv->name, name) == 0)
            return ICV_ASK(reader, icv, number, object, ret);
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

// Puts an object into a list of the snapshot, unless it is there; takes the object over.
static enum status
put(struct omp_snapshot *snapshot, struct snapshot_list *list, struct omp_object *object,
    int32_t *ret)
{
    const uint32_t place = list->count > 0 ? *find_place(list, object) : 0;
    enum status status = place == 0 ? add(snapshot, list, object) : STATUS_OK;
    if (status == STATUS_OK)
        *ret = (int32_t) (place == 0 ? list->count : place) - 1;
    if (status != STATUS_OK || place != 0)
        reader_release(&snapshot->reader, list->kind, object);
    return status;
}

static enum status
link_to(struct omp_snapshot *snapshot, struct snapshot_list *list, ompd_rc_t rc,
        struct omp_object *object, int32_t *ret)
{
    if (!has_object(snapshot, rc, ret))
        return STATUS_OK;
    enum status status = put(snapshot, list, object, ret);
    if (status != STATUS_CORRUPT)
        return status;
    note_broken(snapshot, status);
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
    const struct omp_object object = *object_at(&snapshot->regions, number);
    TRY(follow(snapshot, &snapshot->regions, snapshot->reader.backend->enclosing_parallel, object,
               &link));
    if (reader_icv(&snapshot->reader, &object, ompd_scope_parallel, "team-size-var", &size) !=
            ompd_rc_ok ||
        size < 0 || size > SNAPSHOT_TEAM_MAX)
        size = 0;
    ((struct snapshot_region *) snapshot->regions.items)[number] = (struct snapshot_region){
        .object = object, .parent = link, .primary = OMP_UNKNOWN, .size = size};
    for (int num = 0; num < size && found; num++)
        TRY(take_member(snapshot, object, num, &found));
    return STATUS_OK;
}

static enum status
take_task(struct omp_snapshot *snapshot, uint32_t number)
{
    const struct backend *backend = snapshot->reader.backend;
    const struct omp_object object = *object_at(&snapshot->tasks, number);
    int32_t region, generating, scheduling;
    TRY(follow(snapshot, &snapshot->regions, backend->task_parallel, object, &region));
    TRY(follow(snapshot, &snapshot->tasks, backend->generating_task, object, &generating));
    TRY(follow(snapshot, &snapshot->tasks, backend->scheduling_task, object, &scheduling));
    struct snapshot_task *task = (struct snapshot_task *) snapshot->tasks.items + number;
    task->region = region;
    task->generating = generating;
    task->scheduling = scheduling;
    return STATUS_OK;
}

static enum status
take_thread(struct omp_snapshot *snapshot, uint32_t number)
{
    const struct backend *backend = snapshot->reader.backend;
    const struct omp_object object = *object_at(&snapshot->threads, number);
    int32_t region, task = OMP_NONE;
    TRY(follow(snapshot, &snapshot->regions, backend->curr_parallel, object, &region));
    if (region != OMP_NONE)
        TRY(follow(snapshot, &snapshot->tasks, backend->curr_task, object, &task));
    ((struct snapshot_thread *) snapshot->threads.items)[number] =
        (struct snapshot_thread){object, region, task};
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
    const struct snapshot_thread *threads = snapshot->threads.items;
    for (uint32_t i = 0; i < snapshot->threads.count; i++) {
        struct snapshot_task *task = snapshot_task(snapshot, threads[i].task);
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
    const struct snapshot_task *tasks = snapshot->tasks.items;
    for (uint32_t i = snapshot->tasks.count; i > 0; i--) {
        struct snapshot_region *region = snapshot_region(snapshot, tasks[i - 1].region);
        if (region && tasks[i - 1].num == 0)
            region->primary = tasks[i - 1].thread;
    }
}

// How deep regions are; a chain that never ends is cut.
static void
assign_depths(struct omp_snapshot *snapshot)
{
    struct snapshot_region *region = snapshot->regions.items;
    for (uint32_t i = 0; i < snapshot->regions.count; i++, region++) {
        const struct snapshot_region *outer = region;
        while ((outer = snapshot_region(snapshot, outer->parent)) &&
               region->depth < SNAPSHOT_CHAIN_MAX)
            region->depth++;
        if (region->depth > snapshot->deepest)
            snapshot->deepest = region->depth;
    }
}

static enum status
collect(struct object_sink *sink, const struct omp_object *object)
{
    struct omp_snapshot *snapshot = (struct omp_snapshot *) sink;
    struct omp_object thread = *object;
    int32_t unused;
    return link_to(snapshot, &snapshot->threads, ompd_rc_ok, &thread, &unused);
}

static void
collect_broken(struct object_sink *sink, enum status status)
{
    note_broken((struct omp_snapshot *) sink, status);
}

enum status
omp_snapshot_take(struct omp_snapshot *snapshot, const struct reader *reader,
                  struct diagnostics *diagnostics)
{
    snapshot->sink = (struct object_sink){collect, collect_broken};
    snapshot->reader = *reader;
    snapshot->diagnostics = diagnostics;
    TRY(reader->backend->threads(reader->state, &snapshot->sink));
    TRY(take_all(snapshot));
    assign_tasks(snapshot);
    assign_primaries(snapshot);
    assign_depths(snapshot);
    return STATUS_OK;
}

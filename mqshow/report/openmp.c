// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as it was seen: its life, and how its parts hang together.
#include "mqshow/report/openmp_json.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
openmp_deinit(struct openmp *omp)
{
    for (size_t i = 0; i < omp->n_icvs; i++) {
        free(omp->icvs[i].name);
        free(omp->icvs[i].text);
    }
    for (size_t i = 0; i < omp->n_control_vars; i++)
        free(omp->control_vars[i]);
    for (size_t i = 0; i < omp->n_symbolized; i++)
        symbolized_deinit(&omp->symbolized[i]);
    for (size_t i = 0; omp->waits && i < omp->n_threads; i++)
        record_deinit(&omp_wait_record_type, &omp->waits[i]);
    free(omp->waits);
    free(omp->threads);
    free(omp->regions);
    free(omp->tasks);
    free(omp->icvs);
    free(omp->control_vars);
    free(omp->others);
    free(omp->symbolized);
    free(omp->unknown.items);
    *omp = (struct openmp){.threads = NULL};
}

/** Sorting and finding of records by number. */
#define NUMBERED(type, list)                                                                    \
    static int compare_##list(const void *left, const void *right)                              \
    {                                                                                           \
        const mqs_omp_##type *a = left, *b = right;                                             \
        return (a->number > b->number) - (a->number < b->number);                               \
    }                                                                                           \
    const mqs_omp_##type *openmp_##type(const struct openmp *omp, int32_t number)               \
    {                                                                                           \
        const mqs_omp_##type wanted = {.number = number};                                       \
        return omp->n_##list == 0                                                               \
                   ? NULL                                                                       \
                   : bsearch(&wanted, omp->list, omp->n_##list, sizeof wanted, compare_##list); \
    }

NUMBERED(thread, threads)
NUMBERED(region, regions)
NUMBERED(task, tasks)

#define SORT(list)         \
    if (omp->n_##list > 0) \
    qsort(omp->list, omp->n_##list, sizeof *omp->list, compare_##list)

void
openmp_sort(struct openmp *omp)
{
    SORT(threads);
    SORT(regions);
    SORT(tasks);
}

const struct omp_wait_record *
openmp_wait(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const struct omp_wait_record *wait = omp->waits ? &omp->waits[thread - omp->threads] : NULL;
    return wait && HAS(wait, OMP_WAIT_KIND) ? wait : NULL;
}

const struct symbolized *
openmp_symbolized(const struct openmp *omp, uint64_t addr)
{
    for (size_t i = 0; i < omp->n_symbolized; i++)
        if (omp->symbolized[i].addr == addr)
            return &omp->symbolized[i];
    return NULL;
}

struct symbolized *
openmp_add_symbolized(struct openmp *omp)
{
    return ALLOC_ADD(omp->symbolized, omp->n_symbolized, omp->symbolized_capacity);
}

static void
add_place(struct openmp *omp, const struct image *image, bool known, uint64_t addr,
          void (*init)(struct symbolized *symbolized, const struct image *image, uint64_t addr))
{
    if (!known || addr == 0 || openmp_symbolized(omp, addr) != NULL)
        return;
    init(openmp_add_symbolized(omp), image, addr);
}

void
openmp_symbolize(struct openmp *omp, const struct image *image)
{
    for (size_t i = 0; i < omp->n_regions; i++)
        add_place(omp, image, (omp->regions[i].known & MQS_OMP_FUNCTION) != 0,
                  omp->regions[i].function, symbolize_code);
    for (size_t i = 0; i < omp->n_tasks; i++)
        add_place(omp, image, (omp->tasks[i].known & MQS_OMP_FUNCTION) != 0, omp->tasks[i].function,
                  symbolize_code);
    for (size_t i = 0; i < omp->n_threads; i++)
        add_place(omp, image, (omp->threads[i].known & MQS_OMP_WAIT_ID) != 0,
                  omp->threads[i].wait_id, symbolize_data);
}

/** The members of a region that are being put together. */
struct gathered {
    struct member *items;
    size_t count, capacity;
};

static void
add_member(struct gathered *members, const mqs_omp_region *region, const mqs_omp_thread *thread,
           bool has_num, int64_t num)
{
    if (thread == NULL)
        return;
    for (size_t i = 0; i < members->count; i++)
        if (members->items[i].thread == thread)
            return;
    bool inner = (thread->known & MQS_OMP_REGION) != 0 && thread->region == region->number;
    *ALLOC_ADD(members->items, members->count, members->capacity) =
        (struct member){thread, has_num ? num : -1, inner};
}

static int
compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    // A number that is not known comes last.
    uint64_t x = (uint64_t) a->num, y = (uint64_t) b->num;
    int order = (x > y) - (x < y);
    return order != 0
               ? order
               : (a->thread->number > b->thread->number) - (a->thread->number < b->thread->number);
}

/** Threads whose innermost region it is know their own number. */
static void
add_inner_members(const struct openmp *omp, const mqs_omp_region *region, struct gathered *members)
{
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        if ((thread->known & MQS_OMP_REGION) != 0 && thread->region == region->number &&
            !openmp_is_idle(thread))
            add_member(members, region, thread, (thread->known & MQS_OMP_THREAD_NUM) != 0,
                       thread->thread_num);
    }
}

/** The others are known from the implicit tasks. */
static void
add_members_of_tasks(const struct openmp *omp, const mqs_omp_region *region,
                     struct gathered *members)
{
    const uint32_t needed = MQS_OMP_REGION | MQS_OMP_THREAD | MQS_OMP_THREAD_NUM;
    for (size_t i = 0; i < omp->n_tasks; i++) {
        const mqs_omp_task *task = &omp->tasks[i];
        if ((task->known & needed) == needed && task->region == region->number)
            add_member(members, region, openmp_thread(omp, task->thread), true, task->thread_num);
    }
}

/** Who started a nested region is in the team that is around it. */
static void
add_starters(const struct openmp *omp, const mqs_omp_region *region, struct gathered *members)
{
    const uint32_t needed = MQS_OMP_PARENT | MQS_OMP_PRIMARY;
    if ((region->known & MQS_OMP_PRIMARY) != 0)
        add_member(members, region, openmp_thread(omp, region->primary), true, 0);
    for (size_t i = 0; i < omp->n_regions; i++) {
        const mqs_omp_region *nested = &omp->regions[i];
        if ((nested->known & needed) == needed && nested->parent == region->number)
            add_member(members, region, openmp_thread(omp, nested->primary), false, 0);
    }
}

size_t
openmp_members(const struct openmp *omp, const mqs_omp_region *region, struct member **ret)
{
    struct gathered members = {.items = NULL};
    add_inner_members(omp, region, &members);
    add_members_of_tasks(omp, region, &members);
    add_starters(omp, region, &members);
    if (members.count > 0)
        qsort(members.items, members.count, sizeof *members.items, compare_members);
    *ret = members.items;
    return members.count;
}

bool
openmp_is_idle(const mqs_omp_thread *thread)
{
    return (thread->known & MQS_OMP_STATE) != 0
               ? strncmp(thread->state_name, "idle", sizeof thread->state_name) == 0
               : (thread->known & MQS_OMP_REGION) != 0 && thread->region == MQS_OMP_NONE;
}

static bool
has_level_0(const mqs_omp_region *region)
{
    return (region->known & MQS_OMP_LEVEL) != 0 && region->level == 0;
}

bool
openmp_is_league(const mqs_omp_region *region)
{
    return has_level_0(region) && (region->known & MQS_OMP_PARENT) != 0 &&
           region->parent != MQS_OMP_NONE;
}

bool
openmp_is_outermost(const mqs_omp_region *region)
{
    return has_level_0(region) && !openmp_is_league(region);
}

bool
openmp_is_explicit(const mqs_omp_task *task)
{
    return (task->flags_known & MQS_OMP_TASK_IMPLICIT) != 0 &&
           (task->flags & MQS_OMP_TASK_IMPLICIT) == 0;
}

const mqs_omp_task *
openmp_generating(const struct openmp *omp, const mqs_omp_task *task)
{
    return (task->known & MQS_OMP_GENERATING) != 0 ? openmp_task(omp, task->generating) : NULL;
}

const mqs_omp_task *
openmp_interrupted(const struct openmp *omp, const mqs_omp_task *task)
{
    return (task->known & MQS_OMP_SCHEDULING) != 0 ? openmp_task(omp, task->scheduling) : NULL;
}

/** What threads in a state wait for: the first fitting line counts. */
static const struct {
    const char *prefix; // of the state's name
    const char *what;   // NULL: nothing that the wait id would name
} awaited[] = {
    {"wait_barrier", NULL},      {"wait_task", NULL},       {"wait_lock", "lock"},
    {"wait_mutex", "lock"},      {"wait_critical", "lock"}, {"wait_atomic", "lock"},
    {"wait_ordered", "ordered"}, {"wait_", "object"},
};

static const char *
find_awaited(const mqs_omp_thread *thread)
{
    for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++)
        if (strncmp(thread->state_name, awaited[i].prefix, strlen(awaited[i].prefix)) == 0)
            return awaited[i].what;
    return NULL;
}

/** What a thread waits for where the construct needs no name. */
static const char *const constructs[] = {
    [OMP_WAITS_LOCK] = "a lock",
    [OMP_WAITS_NEST_LOCK] = "a nestable lock",
    [OMP_WAITS_CRITICAL] = "critical",
    [OMP_WAITS_ATOMIC] = "atomic",
    [OMP_WAITS_REDUCTION] = "its turn in a reduction",
    [OMP_WAITS_ORDERED] = "its turn in ordered",
    [OMP_WAITS_DOACROSS] = "an iteration that its own depends on",
    [OMP_WAITS_COPYPRIVATE] = "the values of copyprivate",
    [OMP_WAITS_BARRIER] = "a barrier",
    [OMP_WAITS_TASKWAIT] = "its child tasks",
    [OMP_WAITS_TASKGROUP] = "the tasks of a taskgroup",
    [OMP_WAITS_DEPEND] = "tasks that it depends on",
    [OMP_WAITS_TASK] = "an undeferred task",
};

static char *
record_text(const struct omp_wait_record *wait)
{
    bool is_lock = wait->kind <= OMP_WAITS_NEST_LOCK;
    if (wait->name && is_lock)
        return alloc_format("lock %s", wait->name);
    if (is_lock && HAS(wait, OMP_WAIT_OBJECT))
        return alloc_format("lock 0x%" PRIx64, wait->object);
    return alloc_text(wait->name                                            ? wait->name
                      : wait->kind < sizeof constructs / sizeof *constructs ? constructs[wait->kind]
                                                                            : "another thread");
}

char *
omp_wait(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const struct omp_wait_record *wait = openmp_wait(omp, thread);
    if (wait && wait->kind != OMP_WAITS_BARRIER)
        return record_text(wait);
    const char *what = (thread->known & MQS_OMP_STATE) != 0 ? find_awaited(thread) : "object";
    if ((thread->known & MQS_OMP_WAIT_ID) == 0 || thread->wait_id == 0 || what == NULL)
        return alloc_text("");
    const struct symbolized *symbolized = openmp_symbolized(omp, thread->wait_id);
    if (symbolized != NULL && symbolized->function != NULL) // as a document has it
        return alloc_text(symbolized->function);
    if (symbolized == NULL || symbolized->symbol == NULL)
        return alloc_format("%s 0x%" PRIx64, what, thread->wait_id);
    char *critical = names_critical(symbolized->symbol);
    if (critical != NULL)
        return critical;
    char *variable = names_readable(symbolized->symbol);
    const char *name = variable != NULL ? variable : symbolized->symbol;
    char *text = symbolized->offset == 0
                     ? alloc_format("%s %s", what, name)
                     : alloc_format("%s %s+0x%" PRIx64, what, name, symbolized->offset);
    free(variable);
    return text;
}

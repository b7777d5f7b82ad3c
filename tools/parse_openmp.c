// SPDX-License-Identifier: BSD-3-Clause
// Reading the OpenMP side of a process back from its document.
#include "tools/parse.h"

#include "tools/alloc.h"

#include <string.h>

enum { PLACES_MAX = 4096 }; // they are searched one by one

/** Where a member of a record goes, and the bit that tells that it is known. */
struct rule {
    const char *key;
    uint32_t bit;
    size_t offset; // of an int64_t or, for a reference, of an int32_t
};

static const struct rule thread_numbers[] = {
    {"tid", MQS_OMP_TID, offsetof(mqs_omp_thread, tid)},
    {"thread_num", MQS_OMP_THREAD_NUM, offsetof(mqs_omp_thread, thread_num)},
    {"team_size", MQS_OMP_TEAM_SIZE, offsetof(mqs_omp_thread, team_size)},
    {"level", MQS_OMP_LEVEL, offsetof(mqs_omp_thread, level)},
    {"active_level", MQS_OMP_ACTIVE_LEVEL, offsetof(mqs_omp_thread, active_level)},
    {"state_number", MQS_OMP_STATE, offsetof(mqs_omp_thread, state)},
    {"wait_id", MQS_OMP_WAIT_ID, offsetof(mqs_omp_thread, wait_id)},
};

static const struct rule region_numbers[] = {
    {"team_size", MQS_OMP_TEAM_SIZE, offsetof(mqs_omp_region, team_size)},
    {"level", MQS_OMP_LEVEL, offsetof(mqs_omp_region, level)},
    {"active_level", MQS_OMP_ACTIVE_LEVEL, offsetof(mqs_omp_region, active_level)},
    {"tasks_queued", MQS_OMP_TASK_COUNTS, offsetof(mqs_omp_region, tasks_queued)},
    {"tasks_running", MQS_OMP_TASK_COUNTS, offsetof(mqs_omp_region, tasks_running)},
};

static const struct rule task_numbers[] = {
    {"thread_num", MQS_OMP_THREAD_NUM, offsetof(mqs_omp_task, thread_num)},
    {"exit_flags", MQS_OMP_FRAMES, offsetof(mqs_omp_task, exit_flags)},
    {"enter_flags", MQS_OMP_FRAMES, offsetof(mqs_omp_task, enter_flags)},
};

static const struct rule task_flags[] = {
    {"implicit", MQS_OMP_TASK_IMPLICIT, 0},
    {"untied", MQS_OMP_TASK_UNTIED, 0},
    {"final", MQS_OMP_TASK_FINAL, 0},
    {"undeferred", MQS_OMP_TASK_UNDEFERRED, 0},
    {"started", MQS_OMP_TASK_STARTED, 0},
    {"complete", MQS_OMP_TASK_COMPLETE, 0},
    {"in_taskwait", MQS_OMP_TASK_IN_TASKWAIT, 0},
    {"in_taskgroup_end", MQS_OMP_TASK_IN_TASKGROUP_END, 0},
    {"current", MQS_OMP_TASK_CURRENT, 0},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint32_t
read_numbers(void *record, const struct rule *rules, size_t count, const json_t *object)
{
    uint32_t known = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (!parse_integer(object, rules[i].key, &value))
            continue;
        memcpy((char *) record + rules[i].offset, &value, sizeof value);
        known |= rules[i].bit;
    }
    return known;
}

/** Reads a reference: an id, or null for none. @return the bit, when it is known */
static uint32_t
read_reference(const json_t *object, const char *key, uint32_t bit, const json_t *ids, int32_t *ret)
{
    const json_t *value = json_object_get(object, key);
    int32_t number = parse_number(ids, json_string_value(value));
    *ret = json_is_null(value) ? MQS_OMP_NONE : number;
    return json_is_null(value) || number >= 0 ? bit : 0;
}

/** Reads the code of a region or task, and what is known of that place. */
static uint32_t
read_function(struct openmp *omp, const json_t *object, mqs_taddr_t *ret)
{
    const json_t *function = json_object_get(object, "function");
    uint64_t addr;
    int64_t line = 0;
    if (!parse_hex(function, "address", &addr))
        return 0;
    *ret = addr;
    if (omp->n_places >= PLACES_MAX || openmp_place(omp, addr) != NULL)
        return MQS_OMP_FUNCTION;
    parse_integer(function, "line", &line);
    *openmp_add_place(omp) = (struct place){
        .addr = addr,
        .symbol = parse_text(function, "symbol"),
        .function = parse_text(function, "name"),
        .file = parse_text(function, "file"),
        .line = line > 0 && line <= INT32_MAX ? (int) line : 0,
    };
    return MQS_OMP_FUNCTION;
}

static void
read_awaited(struct openmp *omp, const mqs_omp_thread *thread, const json_t *object)
{
    const json_t *variable = json_object_get(object, "waits_for");
    int64_t offset = 0;
    if (!json_is_object(variable) || omp->n_places >= PLACES_MAX ||
        openmp_place(omp, thread->wait_id) != NULL)
        return;
    parse_integer(variable, "offset", &offset);
    *openmp_add_place(omp) = (struct place){.addr = thread->wait_id,
                                            .symbol = parse_text(variable, "symbol"),
                                            .offset = (uint64_t) offset};
}

static uint32_t
read_tool_data(const json_t *object, uint64_t *value, mqs_taddr_t *ptr)
{
    const json_t *data = json_object_get(object, "tool_data");
    return parse_hex(data, "value", value) && parse_hex(data, "address", ptr) ? MQS_OMP_TOOL_DATA
                                                                              : 0;
}

static void
read_thread(struct openmp *omp, mqs_omp_thread *thread, const json_t *object,
            const struct parse_ids *ids)
{
    uint32_t known = read_numbers(thread, thread_numbers, COUNT(thread_numbers), object);
    const json_t *tasks = json_object_get(object, "tasks");
    const json_t *current = json_object_get(json_array_get(tasks, 0), "id");
    parse_copy(object, "id", thread->id, sizeof thread->id);
    parse_copy(object, "state", thread->state_name, sizeof thread->state_name);
    parse_copy(object, "note", thread->note, sizeof thread->note);
    known |= parse_hex(object, "pthread", &thread->pthread) ? (uint32_t) MQS_OMP_PTHREAD : 0;
    known |= read_reference(object, "region", MQS_OMP_REGION, ids->regions, &thread->region);
    known |= json_is_array(tasks) ? (uint32_t) MQS_OMP_TASK : 0;
    thread->task = parse_number(ids->tasks, json_string_value(current));
    known |= read_tool_data(object, &thread->tool_value, &thread->tool_ptr);
    if ((known & MQS_OMP_WAIT_ID) != 0)
        read_awaited(omp, thread, object);
    thread->known = known;
}

static void
read_region(struct openmp *omp, mqs_omp_region *region, const json_t *object,
            const struct parse_ids *ids)
{
    uint32_t known = read_numbers(region, region_numbers, COUNT(region_numbers), object);
    parse_copy(object, "id", region->id, sizeof region->id);
    parse_copy(object, "note", region->note, sizeof region->note);
    known |= read_reference(object, "parent", MQS_OMP_PARENT, ids->regions, &region->parent);
    known |= read_reference(object, "primary", MQS_OMP_PRIMARY, ids->threads, &region->primary);
    known |= read_function(omp, object, &region->function);
    known |= read_tool_data(object, &region->tool_value, &region->tool_ptr);
    region->known = known;
}

static void
read_task(struct openmp *omp, mqs_omp_task *task, const json_t *object, const struct parse_ids *ids)
{
    uint32_t known = read_numbers(task, task_numbers, COUNT(task_numbers), object);
    parse_copy(object, "id", task->id, sizeof task->id);
    parse_copy(object, "note", task->note, sizeof task->note);
    known |= read_reference(object, "region", MQS_OMP_REGION, ids->regions, &task->region);
    known |= read_reference(object, "thread", MQS_OMP_THREAD, ids->threads, &task->thread);
    known |=
        read_reference(object, "generating", MQS_OMP_GENERATING, ids->tasks, &task->generating);
    known |=
        read_reference(object, "scheduling", MQS_OMP_SCHEDULING, ids->tasks, &task->scheduling);
    for (size_t i = 0; i < COUNT(task_flags); i++)
        if (parse_flag(object, task_flags[i].key, task_flags[i].bit, &task->flags_known))
            task->flags |= task_flags[i].bit;
    known |= read_function(omp, object, &task->function);
    bool exits = parse_hex(object, "exit_frame", &task->exit_frame);
    bool enters = parse_hex(object, "enter_frame", &task->enter_frame);
    known |= exits || enters ? (uint32_t) MQS_OMP_FRAMES : 0;
    known |= read_tool_data(object, &task->tool_value, &task->tool_ptr);
    task->known = known;
}

/** Numbers the records of an array from `first` on. @return the number after the last */
static int32_t
number_ids(json_t *ids, const json_t *array, int32_t first)
{
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count && first < INT32_MAX; i++) {
        const char *id = json_string_value(json_object_get(json_array_get(array, i), "id"));
        if (id != NULL && json_object_get(ids, id) == NULL)
            json_object_set_new(ids, id, json_integer(first));
        first++;
    }
    return first;
}

/** Reads the tasks of an array, which have the numbers from `first` on. */
static int32_t
read_tasks(struct openmp *omp, const json_t *array, const struct parse_ids *ids, int32_t first)
{
    for (size_t i = 0; i < json_array_size(array); i++, first++) {
        omp->tasks[first].number = first;
        read_task(omp, &omp->tasks[first], json_array_get(array, i), ids);
    }
    return first;
}

static void
read_all_tasks(struct openmp *omp, const json_t *object, const struct parse_ids *ids)
{
    const json_t *threads = json_object_get(object, "threads");
    const json_t *others = json_object_get(object, "tasks");
    int32_t count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = number_ids(ids->tasks, json_object_get(json_array_get(threads, i), "tasks"), count);
    count = number_ids(ids->tasks, others, count);
    omp->n_tasks = (size_t) count;
    omp->tasks = alloc_zeroed(omp->n_tasks, sizeof *omp->tasks);
    count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = read_tasks(omp, json_object_get(json_array_get(threads, i), "tasks"), ids, count);
    read_tasks(omp, others, ids, count);
}

static void
read_info(mqs_omp_info *info, const json_t *object)
{
    parse_copy(object, "runtime", info->runtime, sizeof info->runtime);
    parse_copy(object, "release", info->release, sizeof info->release);
    parse_copy(object, "backend", info->backend, sizeof info->backend);
    info->state_tracking = json_is_true(json_object_get(object, "state_tracking"));
    parse_integer(object, "omp_version", &info->omp_version);
}

void
parse_openmp(struct openmp *omp, const json_t *object)
{
    const json_t *threads = json_object_get(object, "threads");
    const json_t *regions = json_object_get(object, "regions");
    struct parse_ids ids = {json_object(), json_object(), json_object()};
    read_info(&omp->info, object);
    omp->has_regions = json_is_array(regions);
    omp->has_tasks = json_is_array(json_object_get(object, "tasks"));
    omp->n_threads = (size_t) number_ids(ids.threads, threads, 0);
    omp->n_regions = (size_t) number_ids(ids.regions, regions, 0);
    omp->threads = alloc_zeroed(omp->n_threads, sizeof *omp->threads);
    omp->regions = alloc_zeroed(omp->n_regions, sizeof *omp->regions);
    read_all_tasks(omp, object, &ids);
    for (size_t i = 0; i < omp->n_regions; i++) {
        omp->regions[i].number = (int32_t) i;
        read_region(omp, &omp->regions[i], json_array_get(regions, i), &ids);
    }
    for (size_t i = 0; i < omp->n_threads; i++) {
        omp->threads[i].number = (int32_t) i;
        read_thread(omp, &omp->threads[i], json_array_get(threads, i), &ids);
    }
    parse_openmp_variables(omp, object, &ids);
    json_decref(ids.threads);
    json_decref(ids.regions);
    json_decref(ids.tasks);
}

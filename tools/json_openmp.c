// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as JSON; members that are not known are left out.
#include "tools/alloc.h"
#include "tools/json.h"
#include "tools/omp_text.h"
#include "tools/openmp.h"

#include <stdlib.h>
#include <string.h>

/** The flags of tasks and what they are called. */
static const struct {
    uint32_t flag;
    const char *name;
} flags[] = {
    {MQS_OMP_TASK_IMPLICIT, "implicit"},
    {MQS_OMP_TASK_UNTIED, "untied"},
    {MQS_OMP_TASK_FINAL, "final"},
    {MQS_OMP_TASK_UNDEFERRED, "undeferred"},
    {MQS_OMP_TASK_STARTED, "started"},
    {MQS_OMP_TASK_COMPLETE, "complete"},
    {MQS_OMP_TASK_IN_TASKWAIT, "in_taskwait"},
    {MQS_OMP_TASK_IN_TASKGROUP_END, "in_taskgroup_end"},
    {MQS_OMP_TASK_CURRENT, "current"},
};

/** A reference to another record by its id; null when there is none. */
static void
set_reference(json_t *object, const char *key, bool known, int32_t number, const char *id)
{
    if (!known)
        return;
    if (number == MQS_OMP_NONE)
        json_object_set_new(object, key, json_null());
    else if (id != NULL)
        json_set_raw_text(object, key, id, MQS_OMP_ID);
}

static void
set_region(json_t *object, const char *key, const struct openmp *omp, bool known, int32_t number)
{
    const mqs_omp_region *region = openmp_region(omp, number);
    set_reference(object, key, known, number, region != NULL ? region->id : NULL);
}

static void
set_thread(json_t *object, const char *key, const struct openmp *omp, bool known, int32_t number)
{
    const mqs_omp_thread *thread = openmp_thread(omp, number);
    set_reference(object, key, known, number, thread != NULL ? thread->id : NULL);
}

static void
set_task(json_t *object, const char *key, const struct openmp *omp, bool known, int32_t number)
{
    const mqs_omp_task *task = openmp_task(omp, number);
    set_reference(object, key, known, number, task != NULL ? task->id : NULL);
}

static void
set_function(json_t *object, const struct openmp *omp, bool known, uint64_t addr)
{
    if (!known || addr == 0)
        return;
    const struct place *place = openmp_place(omp, addr);
    json_t *function = json_object();
    json_set_hex(function, "address", true, addr);
    if (place != NULL) {
        json_set_text(function, "symbol", place->offset == 0 ? place->symbol : NULL);
        json_set_text(function, "name", place->function);
        json_set_text(function, "file", place->file);
        json_set_integer(function, "line", place->file != NULL, place->line);
    }
    json_object_set_new(object, "function", function);
}

static void
set_tool_data(json_t *object, bool known, uint64_t value, uint64_t ptr)
{
    // Runtimes do not tell a tool that attached nothing from no tool.
    if (!known || (value == 0 && ptr == 0))
        return;
    json_t *data = json_object();
    json_set_hex(data, "value", true, value);
    json_set_hex(data, "address", true, ptr);
    json_object_set_new(object, "tool_data", data);
}

static json_t *
region_json(const struct openmp *omp, const mqs_omp_region *region)
{
    uint32_t known = region->known;
    json_t *object = json_object();
    json_set_raw_text(object, "id", region->id, sizeof region->id);
    set_region(object, "parent", omp, (known & MQS_OMP_PARENT) != 0, region->parent);
    set_thread(object, "primary", omp, (known & MQS_OMP_PRIMARY) != 0, region->primary);
    json_set_integer(object, "team_size", (known & MQS_OMP_TEAM_SIZE) != 0, region->team_size);
    json_set_integer(object, "level", (known & MQS_OMP_LEVEL) != 0, region->level);
    json_set_integer(object, "active_level", (known & MQS_OMP_ACTIVE_LEVEL) != 0,
                     region->active_level);
    set_function(object, omp, (known & MQS_OMP_FUNCTION) != 0, region->function);
    json_set_integer(object, "tasks_queued", (known & MQS_OMP_TASK_COUNTS) != 0,
                     region->tasks_queued);
    json_set_integer(object, "tasks_running", (known & MQS_OMP_TASK_COUNTS) != 0,
                     region->tasks_running);
    set_tool_data(object, (known & MQS_OMP_TOOL_DATA) != 0, region->tool_value, region->tool_ptr);
    json_set_raw_text(object, "note", region->note, sizeof region->note);
    return object;
}

static void
set_flags(json_t *object, const mqs_omp_task *task)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_set_bool(object, flags[i].name, (task->flags_known & flags[i].flag) != 0,
                      (task->flags & flags[i].flag) != 0);
}

static json_t *
task_json(const struct openmp *omp, const mqs_omp_task *task)
{
    uint32_t known = task->known;
    bool has_frames = (known & MQS_OMP_FRAMES) != 0;
    json_t *object = json_object();
    json_set_raw_text(object, "id", task->id, sizeof task->id);
    set_region(object, "region", omp, (known & MQS_OMP_REGION) != 0, task->region);
    set_thread(object, "thread", omp, (known & MQS_OMP_THREAD) != 0, task->thread);
    set_task(object, "generating", omp, (known & MQS_OMP_GENERATING) != 0, task->generating);
    set_task(object, "scheduling", omp, (known & MQS_OMP_SCHEDULING) != 0, task->scheduling);
    json_set_integer(object, "thread_num", (known & MQS_OMP_THREAD_NUM) != 0, task->thread_num);
    set_flags(object, task);
    set_function(object, omp, (known & MQS_OMP_FUNCTION) != 0, task->function);
    json_set_hex(object, "exit_frame", has_frames && task->exit_frame != 0, task->exit_frame);
    json_set_hex(object, "enter_frame", has_frames && task->enter_frame != 0, task->enter_frame);
    json_set_integer(object, "exit_flags", has_frames && task->exit_flags != 0, task->exit_flags);
    json_set_integer(object, "enter_flags", has_frames && task->enter_flags != 0,
                     task->enter_flags);
    set_tool_data(object, (known & MQS_OMP_TOOL_DATA) != 0, task->tool_value, task->tool_ptr);
    json_set_raw_text(object, "note", task->note, sizeof task->note);
    return object;
}

/** The task that a thread executes and those that it has interrupted, marking them as told. */
static json_t *
stack_json(const struct openmp *omp, const mqs_omp_thread *thread, bool *told)
{
    const mqs_omp_task *task = openmp_task(omp, thread->task);
    json_t *array = json_array();
    // A task that was told already would come round for ever.
    while (task != NULL && !told[task - omp->tasks]) {
        told[task - omp->tasks] = true;
        json_array_append_new(array, task_json(omp, task));
        task = openmp_interrupted(omp, task);
    }
    return array;
}

/** What the wait id means: the variable that a lock is in, and the name to show. */
static void
set_awaited(json_t *object, const struct openmp *omp, const mqs_omp_thread *thread)
{
    bool known = (thread->known & MQS_OMP_WAIT_ID) != 0;
    const struct place *place = known ? openmp_place(omp, thread->wait_id) : NULL;
    json_set_integer(object, "wait_id", known, (int64_t) thread->wait_id);
    if (place == NULL || place->symbol == NULL)
        return;
    json_t *variable = json_object();
    char *name = omp_text_wait(omp, thread);
    json_set_text(variable, "symbol", place->symbol);
    json_set_integer(variable, "offset", true, (int64_t) place->offset);
    json_set_text(variable, "name", *name != '\0' ? name : NULL);
    free(name);
    json_object_set_new(object, "waits_for", variable);
}

static json_t *
thread_json(const struct openmp *omp, const mqs_omp_thread *thread, bool *told)
{
    uint32_t known = thread->known;
    bool has_state = (known & MQS_OMP_STATE) != 0;
    json_t *object = json_object();
    json_set_raw_text(object, "id", thread->id, sizeof thread->id);
    json_set_integer(object, "tid", (known & MQS_OMP_TID) != 0, thread->tid);
    json_set_hex(object, "pthread", (known & MQS_OMP_PTHREAD) != 0, thread->pthread);
    set_region(object, "region", omp, (known & MQS_OMP_REGION) != 0, thread->region);
    json_set_integer(object, "thread_num", (known & MQS_OMP_THREAD_NUM) != 0, thread->thread_num);
    json_set_integer(object, "team_size", (known & MQS_OMP_TEAM_SIZE) != 0, thread->team_size);
    json_set_integer(object, "level", (known & MQS_OMP_LEVEL) != 0, thread->level);
    json_set_integer(object, "active_level", (known & MQS_OMP_ACTIVE_LEVEL) != 0,
                     thread->active_level);
    json_set_integer(object, "state_number", has_state, thread->state);
    if (has_state)
        json_set_raw_text(object, "state", thread->state_name, sizeof thread->state_name);
    set_awaited(object, omp, thread);
    if ((known & MQS_OMP_TASK) != 0)
        json_object_set_new(object, "tasks", stack_json(omp, thread, told));
    set_tool_data(object, (known & MQS_OMP_TOOL_DATA) != 0, thread->tool_value, thread->tool_ptr);
    json_set_raw_text(object, "note", thread->note, sizeof thread->note);
    return object;
}

static json_t *
info_json(const struct openmp *omp)
{
    json_t *object = json_object();
    json_set_raw_text(object, "runtime", omp->info.runtime, sizeof omp->info.runtime);
    json_set_raw_text(object, "release", omp->info.release, sizeof omp->info.release);
    json_set_raw_text(object, "backend", omp->info.backend, sizeof omp->info.backend);
    json_set_bool(object, "state_tracking", true, omp->info.state_tracking != 0);
    json_set_integer(object, "omp_version", omp->info.omp_version != 0, omp->info.omp_version);
    return object;
}

static void
set_regions(json_t *object, const struct openmp *omp)
{
    json_t *array = json_array();
    for (size_t i = 0; i < omp->n_regions; i++)
        json_array_append_new(array, region_json(omp, &omp->regions[i]));
    json_object_set_new(object, "regions", array);
}

/** Adds the threads with their tasks, and the tasks that are no thread's. */
static void
set_threads(json_t *object, const struct openmp *omp)
{
    bool *told = alloc_zeroed(omp->n_tasks + 1, sizeof *told);
    json_t *threads = json_array(), *tasks = json_array();
    for (size_t i = 0; i < omp->n_threads; i++)
        json_array_append_new(threads, thread_json(omp, &omp->threads[i], told));
    for (size_t i = 0; i < omp->n_tasks; i++)
        if (!told[i])
            json_array_append_new(tasks, task_json(omp, &omp->tasks[i]));
    json_object_set_new(object, "threads", threads);
    if (omp->has_tasks)
        json_object_set_new(object, "tasks", tasks);
    else
        json_decref(tasks);
    free(told);
}

json_t *
json_openmp(const struct openmp *omp)
{
    json_t *object = info_json(omp);
    if (omp->has_regions)
        set_regions(object, omp);
    set_threads(object, omp);
    json_set_openmp_variables(object, omp);
    return object;
}

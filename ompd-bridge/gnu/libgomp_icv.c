// SPDX-License-Identifier: BSD-3-Clause
// The control variables of GNU's runtime: where each stands, and how it is read.
#include "ompd-bridge/gnu/libgomp.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum { NUM, SIZE_OF_TEAM, LEVEL, ACTIVE_LEVEL }; // what is known of a thread's or region's place

static enum status
read_variable(const struct gomp *gomp, enum gomp_fact fact, int64_t *ret)
{
    uint64_t value;
    if (!gomp->facts.known[fact])
        return trail_begin(&gomp->inf->trail, STATUS_UNSUPPORTED,
                           "the code of libgomp does not tell where it is");
    TRY(inferior_read_uint(gomp->inf, gomp->facts.values[fact], fact == FACT_GLOBAL_CANCEL ? 1 : 4,
                           &value));
    *ret = (int32_t) value;
    return STATUS_OK;
}

// Where the copy of the variables stands that holds for a task.
static enum status
find_copy(const struct gomp *gomp, taddr task, taddr *ret)
{
    const struct gomp_facts *facts = &gomp->facts;
    int32_t offset = gomp->layout.fields[F(gomp_task, icv)].offset;
    if (task != 0 ? offset < 0 : !facts->known[FACT_GLOBAL_ICV])
        return trail_begin(&gomp->inf->trail, STATUS_UNSUPPORTED,
                           "where the task's variables are is not known");
    *ret = task != 0 ? task + (taddr) offset : facts->values[FACT_GLOBAL_ICV];
    return STATUS_OK;
}

static int64_t
with_sign(const struct gomp *gomp, unsigned field, uint64_t value)
{
    switch (gomp->layout.needs->fields[field].kind) {
    case KIND_INT8:
        return (int8_t) value;
    case KIND_INT:
        return (int32_t) value;
    default:
        return (int64_t) value;
    }
}

// The value in a task's copy. Task 0 has no record: the runtime's own copy holds for it.
static enum status
read_copy(const struct gomp *gomp, taddr task, unsigned field, int64_t *ret)
{
    taddr copy = 0;
    uint64_t value;
    // Releases before 12 have one such variable for all tasks.
    if (field == F(gomp_task_icv, max_active_levels_var) && gomp->layout.fields[field].offset < 0)
        return read_variable(gomp, FACT_GLOBAL_ACTIVE_LEVELS, ret);
    TRY(find_copy(gomp, task, &copy));
    TRY(gomp_read_field(gomp, copy, field, &value));
    int64_t number = with_sign(gomp, field, value);
    if (field == F(gomp_task_icv, default_device_var) && number == INT_MIN)
        return trail_begin(&gomp->inf->trail, STATUS_ABSENT,
                           "the runtime has not looked for devices yet");
    // The runtime itself answers omp_get_thread_limit() so.
    if (field == F(gomp_task_icv, thread_limit_var) && number > INT_MAX)
        number = INT_MAX;
    *ret = number;
    return STATUS_OK;
}

// The schedule of `schedule(runtime)`: "dynamic, 4".
static enum status
print_schedule(const struct gomp *gomp, taddr task, size_t size, char *ret)
{
    static const char *const kinds[] = {"runtime", "static", "dynamic", "guided", "auto"};
    int64_t schedule, chunk;
    TRY(read_copy(gomp, task, F(gomp_task_icv, run_sched_var), &schedule));
    TRY(read_copy(gomp, task, F(gomp_task_icv, run_sched_chunk_size), &chunk));
    uint32_t kind = (uint32_t) schedule & INT_MAX;
    const char *monotonic = schedule < 0 ? "monotonic:" : "";
    if (kind >= sizeof(kinds) / sizeof(kinds[0]))
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "there is no such schedule");
    if (chunk > 0)
        snprintf(ret, size, "%s%s, %" PRId64, monotonic, kinds[kind], chunk);
    else
        snprintf(ret, size, "%s%s", monotonic, kinds[kind]);
    return STATUS_OK;
}

static ompd_rc_t
of_place(const struct icv_question *question, ompd_word_t *ret)
{
    const struct gomp_thread *thread = NULL;
    struct gomp_team team = {.addr = 0};
    RC_TRY(question->icv->what == NUM ? libgomp_thread(question->state, question->object, &thread)
                                      : libgomp_team(question->state, question->object, &team));
    if (thread && thread->idle)
        return ompd_rc_unavailable;
    const ompd_word_t values[] = {
        [NUM] = thread ? thread->place.num : 0,
        [SIZE_OF_TEAM] = team.size,
        [LEVEL] = team.level,
        [ACTIVE_LEVEL] = team.active_level,
    };
    *ret = values[question->icv->what];
    return ompd_rc_ok;
}

// The task whose copy of the variables is asked for: a thread's current one, or the object itself.
static ompd_rc_t
find_task(const struct icv_question *question, struct omp_object *ret)
{
    struct omp_object region;
    if (question->icv->scope == ompd_scope_thread)
        return libgomp_curr_task(question->state, question->object, ret);
    *ret = *question->object;
    return libgomp_task_parallel(question->state, ret, &region);
}

static ompd_rc_t
of_copy(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_object task;
    RC_TRY(find_task(question, &task));
    return libgomp_rc(read_copy(&question->state->gomp, task.addr, question->icv->what, ret));
}

// The number alone does not describe a schedule.
static ompd_rc_t
of_schedule(const struct icv_question *question, ompd_word_t *ret)
{
    ompd_word_t unused;
    (void) ret;
    RC_TRY(of_copy(question, &unused));
    return ompd_rc_incompatible;
}

static ompd_rc_t
schedule_text(const struct icv_question *question, size_t size, char *ret)
{
    struct omp_object task;
    RC_TRY(find_task(question, &task));
    return libgomp_rc(print_schedule(&question->state->gomp, task.addr, size, ret));
}

static ompd_rc_t
of_task(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_task_flags flags = {0, 0};
    RC_TRY(libgomp_task_flags(question->state, question->object, &flags));
    if (!(flags.known & question->icv->what))
        return ompd_rc_unsupported;
    *ret = (flags.set & question->icv->what) != 0;
    return ompd_rc_ok;
}

static ompd_rc_t
of_runtime(const struct icv_question *question, ompd_word_t *ret)
{
    return libgomp_rc(read_variable(&question->state->gomp, question->icv->what, ret));
}

static const struct omp_icv icvs[] = {
// clang-format off
#define ICV(name, scope, ...) {name, ompd_scope_##scope, __VA_ARGS__},
    ICV ("thread-num-var", thread, of_place, NULL, NUM)
    ICV ("team-size-var", parallel, of_place, NULL, SIZE_OF_TEAM)
    ICV ("levels-var", parallel, of_place, NULL, LEVEL)
    ICV ("active-levels-var", parallel, of_place, NULL, ACTIVE_LEVEL)
    ICV ("dyn-var", thread, of_copy, NULL, F(gomp_task_icv, dyn_var))
    ICV ("nthreads-var", thread, of_copy, NULL, F(gomp_task_icv, nthreads_var))
    ICV ("default-device-var", thread, of_copy, NULL, F(gomp_task_icv, default_device_var))
    ICV ("run-sched-var", task, of_schedule, schedule_text, F(gomp_task_icv, run_sched_var))
    ICV ("thread-limit-var", task, of_copy, NULL, F(gomp_task_icv, thread_limit_var))
    ICV ("max-active-levels-var", task, of_copy, NULL, F(gomp_task_icv, max_active_levels_var))
    ICV ("bind-var", task, of_copy, NULL, F(gomp_task_icv, bind_var))
    ICV ("final-task-var", task, of_task, NULL, OMP_TASK_FINAL)
    ICV ("implicit-task-var", task, of_task, NULL, OMP_TASK_IMPLICIT)
    ICV ("cancel-var", address_space, of_runtime, NULL, FACT_GLOBAL_CANCEL)
    ICV ("max-task-priority-var", address_space, of_runtime, NULL, FACT_GLOBAL_PRIORITY)
    ICV ("num-procs-var", address_space, of_runtime, NULL, FACT_GLOBAL_PROCS)
#undef ICV
    // clang-format on
};

const struct omp_icv *
libgomp_icv(struct backend_state *state, unsigned number)
{
    (void) state;
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
}

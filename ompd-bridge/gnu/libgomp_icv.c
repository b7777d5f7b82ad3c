// SPDX-License-Identifier: BSD-3-Clause
// The control variables of GNU's runtime: where each stands, and how it is read.
#include "ompd-bridge/gnu/libgomp.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/** Where a variable's value stands. */
enum gomp_source {
    GOMP_PLACE,    // in what is known of the thread or region: enum gomp_place_part
    GOMP_ICV,      // in the task's copy of the variables: a field
    GOMP_TASK,     // in the task: enum gomp_task_part
    GOMP_VARIABLE, // a variable of the runtime: a fact
};

enum gomp_place_part { PART_NUM, PART_SIZE, PART_LEVEL, PART_ACTIVE_LEVEL };
enum gomp_task_part { PART_IMPLICIT, PART_FINAL };

struct gomp_icv {
    struct omp_icv icv;
    enum gomp_source source;
    unsigned number; // of the part, field or fact
    bool is_text;    // the number alone does not describe it
};

static const struct gomp_icv icvs[] = {
    {{"thread-num-var", ompd_scope_thread}, GOMP_PLACE, PART_NUM, false},
    {{"team-size-var", ompd_scope_parallel}, GOMP_PLACE, PART_SIZE, false},
    {{"levels-var", ompd_scope_parallel}, GOMP_PLACE, PART_LEVEL, false},
    {{"active-levels-var", ompd_scope_parallel}, GOMP_PLACE, PART_ACTIVE_LEVEL, false},
    {{"dyn-var", ompd_scope_thread}, GOMP_ICV, F(gomp_task_icv, dyn_var), false},
    {{"nthreads-var", ompd_scope_thread}, GOMP_ICV, F(gomp_task_icv, nthreads_var), false},
    {{"default-device-var", ompd_scope_thread},
     GOMP_ICV,
     F(gomp_task_icv, default_device_var),
     false},
    {{"run-sched-var", ompd_scope_task}, GOMP_ICV, F(gomp_task_icv, run_sched_var), true},
    {{"thread-limit-var", ompd_scope_task}, GOMP_ICV, F(gomp_task_icv, thread_limit_var), false},
    {{"max-active-levels-var", ompd_scope_task},
     GOMP_ICV,
     F(gomp_task_icv, max_active_levels_var),
     false},
    {{"bind-var", ompd_scope_task}, GOMP_ICV, F(gomp_task_icv, bind_var), false},
    {{"final-task-var", ompd_scope_task}, GOMP_TASK, PART_FINAL, false},
    {{"implicit-task-var", ompd_scope_task}, GOMP_TASK, PART_IMPLICIT, false},
    {{"cancel-var", ompd_scope_address_space}, GOMP_VARIABLE, FACT_GLOBAL_CANCEL, false},
    {{"max-task-priority-var", ompd_scope_address_space},
     GOMP_VARIABLE,
     FACT_GLOBAL_PRIORITY,
     false},
    {{"num-procs-var", ompd_scope_address_space}, GOMP_VARIABLE, FACT_GLOBAL_PROCS, false},
};

static const struct gomp_icv *
gomp_icv(unsigned number)
{
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
}

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

const struct omp_icv *
libgomp_icv(struct backend_state *state, unsigned number)
{
    const struct gomp_icv *icv = gomp_icv(number);
    (void) state;
    return icv ? &icv->icv : NULL;
}

static ompd_rc_t
place_value(struct backend_state *state, const struct gomp_icv *icv,
            const struct omp_object *object, ompd_word_t *ret)
{
    const struct gomp_thread *thread = NULL;
    struct gomp_team team = {.addr = 0};
    RC_TRY(icv->number == PART_NUM ? libgomp_thread(state, object, &thread)
                                   : libgomp_team(state, object, &team));
    if (thread && thread->idle)
        return ompd_rc_unavailable;
    const ompd_word_t values[] = {
        [PART_NUM] = thread ? thread->place.num : 0,
        [PART_SIZE] = team.size,
        [PART_LEVEL] = team.level,
        [PART_ACTIVE_LEVEL] = team.active_level,
    };
    *ret = values[icv->number];
    return ompd_rc_ok;
}

// The task whose copy of the variables is asked for: a thread's current one, or the object itself.
static ompd_rc_t
task_of(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
        struct omp_object *ret)
{
    struct omp_object region;
    if (icv->icv.scope == ompd_scope_thread)
        return libgomp_curr_task(state, object, ret);
    *ret = *object;
    return libgomp_task_parallel(state, object, &region);
}

static ompd_rc_t
copy_value(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
           ompd_word_t *ret)
{
    struct omp_object task;
    int64_t value = 0;
    RC_TRY(task_of(state, icv, object, &task));
    RC_TRY(libgomp_rc(read_copy(&state->gomp, task.addr, icv->number, &value)));
    if (icv->is_text)
        return ompd_rc_incompatible;
    *ret = value;
    return ompd_rc_ok;
}

static ompd_rc_t
task_value(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
           ompd_word_t *ret)
{
    unsigned flag = icv->number == PART_FINAL ? OMP_TASK_FINAL : OMP_TASK_IMPLICIT;
    struct omp_task_flags flags = {0, 0};
    RC_TRY(libgomp_task_flags(state, object, &flags));
    if (!(flags.known & flag))
        return ompd_rc_unsupported;
    *ret = (flags.set & flag) != 0;
    return ompd_rc_ok;
}

ompd_rc_t
libgomp_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                  ompd_word_t *ret)
{
    const struct gomp_icv *icv = gomp_icv(number);
    if (!icv)
        return ompd_rc_bad_input;
    switch (icv->source) {
    case GOMP_PLACE:
        return place_value(state, icv, object, ret);
    case GOMP_ICV:
        return copy_value(state, icv, object, ret);
    case GOMP_TASK:
        return task_value(state, icv, object, ret);
    case GOMP_VARIABLE:
        return libgomp_rc(read_variable(&state->gomp, (enum gomp_fact) icv->number, ret));
    }
    return ompd_rc_error;
}

ompd_rc_t
libgomp_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                 size_t size, char *ret)
{
    const struct gomp_icv *icv = gomp_icv(number);
    struct omp_object task;
    if (!icv)
        return ompd_rc_bad_input;
    if (!icv->is_text)
        return ompd_rc_incompatible;
    RC_TRY(task_of(state, icv, object, &task));
    return libgomp_rc(print_schedule(&state->gomp, task.addr, size, ret));
}

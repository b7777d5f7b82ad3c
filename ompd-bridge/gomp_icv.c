// SPDX-License-Identifier: BSD-3-Clause
// Internal control variables of GNU's runtime: where each stands, and how it is read.
#include "ompd-bridge/gomp_icv.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

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

const struct gomp_icv *
gomp_icv(unsigned number)
{
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
}

enum status
gomp_icv_read_variable(const struct gomp *gomp, enum gomp_fact fact, int64_t *ret)
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

enum status
gomp_icv_read(const struct gomp *gomp, taddr task, unsigned field, int64_t *ret)
{
    taddr copy = 0;
    uint64_t value;
    // Releases before 12 have one such variable for all tasks.
    if (field == F(gomp_task_icv, max_active_levels_var) && gomp->layout.fields[field].offset < 0)
        return gomp_icv_read_variable(gomp, FACT_GLOBAL_ACTIVE_LEVELS, ret);
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

enum status
gomp_icv_schedule(const struct gomp *gomp, taddr task, size_t size, char *ret)
{
    static const char *const kinds[] = {"runtime", "static", "dynamic", "guided", "auto"};
    int64_t schedule, chunk;
    TRY(gomp_icv_read(gomp, task, F(gomp_task_icv, run_sched_var), &schedule));
    TRY(gomp_icv_read(gomp, task, F(gomp_task_icv, run_sched_chunk_size), &chunk));
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

// SPDX-License-Identifier: BSD-3-Clause
// Reading OpenMP's control variables and other lists back from the document of a process.
#include "tools/parse.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <limits.h>

static void
read_values(struct openmp *omp, int scope, int32_t number, json_t *values)
{
    const char *name;
    json_t *value;
    json_object_foreach (values, name, value) {
        omp->icvs = alloc_grow(omp->icvs, omp->n_icvs, &omp->icvs_capacity, sizeof *omp->icvs);
        const char *text = json_string_value(value);
        omp->icvs[omp->n_icvs++] = (struct icv){
            .scope = scope,
            .number = number,
            .name = escape_text(name, SIZE_MAX),
            .has_value = json_is_integer(value),
            .value = json_integer_value(value),
            .text = text != NULL ? escape_text(text, SIZE_MAX) : NULL,
        };
    }
}

/** The variables of one scope, whose owners are named by their ids. */
static void
read_scope(struct openmp *omp, int scope, const json_t *owners, const json_t *ids)
{
    for (size_t i = 0; i < json_array_size(owners); i++) {
        const json_t *owner = json_array_get(owners, i);
        int32_t number = parse_number(ids, json_string_value(json_object_get(owner, "id")));
        read_values(omp, scope, number, json_object_get(owner, "values"));
    }
}

static void
read_others(struct openmp *omp, const json_t *array)
{
    omp->others_are_known = json_is_array(array);
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_int_t tid = json_integer_value(json_array_get(array, i));
        if (tid <= 0 || tid > INT_MAX)
            continue;
        omp->others =
            alloc_grow(omp->others, omp->n_others, &omp->others_capacity, sizeof *omp->others);
        omp->others[omp->n_others++] = (pid_t) tid;
    }
}

static void
read_control_vars(struct openmp *omp, const json_t *array)
{
    omp->has_control_vars = json_is_array(array);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text == NULL)
            continue;
        omp->control_vars = alloc_grow(omp->control_vars, omp->n_control_vars,
                                       &omp->control_vars_capacity, sizeof *omp->control_vars);
        omp->control_vars[omp->n_control_vars++] = escape_text(text, SIZE_MAX);
    }
}

void
parse_openmp_variables(struct openmp *omp, const json_t *object, const struct parse_ids *ids)
{
    const json_t *icvs = json_object_get(object, "icvs");
    omp->has_icvs = json_is_object(icvs);
    read_values(omp, MQS_OMP_OF_PROCESS, 0, json_object_get(icvs, "process"));
    read_scope(omp, MQS_OMP_OF_REGION, json_object_get(icvs, "regions"), ids->regions);
    read_scope(omp, MQS_OMP_OF_THREAD, json_object_get(icvs, "threads"), ids->threads);
    read_scope(omp, MQS_OMP_OF_TASK, json_object_get(icvs, "tasks"), ids->tasks);
    read_others(omp, json_object_get(object, "other_threads"));
    read_control_vars(omp, json_object_get(object, "control_vars"));
}

// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's control variables and other lists of a process as JSON.
#include "tools/json.h"
#include "tools/openmp.h"

/** Sets a variable: the text where there is one, as only that tells all of a list; null when it
 * cannot be read.
 */
static void
set_icv(json_t *values, const struct icv *icv)
{
    if (!icv->has_value && icv->text == NULL)
        json_object_set_new(values, icv->name, json_null());
    json_set_integer(values, icv->name, icv->has_value && icv->text == NULL, icv->value);
    json_set_text(values, icv->name, icv->text);
}

static const char *
id_of(const struct openmp *omp, int scope, int32_t number)
{
    const mqs_omp_thread *thread = openmp_thread(omp, number);
    const mqs_omp_region *region = openmp_region(omp, number);
    const mqs_omp_task *task = openmp_task(omp, number);
    return scope == MQS_OMP_OF_THREAD && thread != NULL   ? thread->id
           : scope == MQS_OMP_OF_REGION && region != NULL ? region->id
           : scope == MQS_OMP_OF_TASK && task != NULL     ? task->id
                                                          : NULL;
}

/** The variables of one scope, an object for each that has some. */
static json_t *
scope_json(const struct openmp *omp, int scope)
{
    json_t *array = json_array(), *values = NULL;
    const struct icv *last = NULL;
    for (size_t i = 0; i < omp->n_icvs; i++) {
        const struct icv *icv = &omp->icvs[i];
        if (icv->scope != scope)
            continue;
        if (last == NULL || last->number != icv->number) {
            json_t *owner = json_object();
            const char *id = id_of(omp, scope, icv->number);
            if (id != NULL)
                json_set_raw_text(owner, "id", id, MQS_OMP_ID);
            values = json_object();
            json_object_set_new(owner, "values", values);
            json_array_append_new(array, owner);
        }
        set_icv(values, icv);
        last = icv;
    }
    return array;
}

static json_t *
process_json(const struct openmp *omp)
{
    json_t *values = json_object();
    for (size_t i = 0; i < omp->n_icvs; i++)
        if (omp->icvs[i].scope == MQS_OMP_OF_PROCESS)
            set_icv(values, &omp->icvs[i]);
    return values;
}

static json_t *
icvs_json(const struct openmp *omp)
{
    json_t *object = json_object();
    json_object_set_new(object, "process", process_json(omp));
    json_object_set_new(object, "regions", scope_json(omp, MQS_OMP_OF_REGION));
    json_object_set_new(object, "threads", scope_json(omp, MQS_OMP_OF_THREAD));
    json_object_set_new(object, "tasks", scope_json(omp, MQS_OMP_OF_TASK));
    return object;
}

void
json_set_openmp_variables(json_t *object, const struct openmp *omp)
{
    json_t *others = json_array(), *control_vars = json_array();
    for (size_t i = 0; i < omp->n_others; i++)
        json_array_append_new(others, json_integer(omp->others[i]));
    for (size_t i = 0; i < omp->n_control_vars; i++)
        json_array_append_new(control_vars, json_string(omp->control_vars[i]));
    if (omp->others_are_known)
        json_object_set(object, "other_threads", others);
    if (omp->has_control_vars)
        json_object_set(object, "control_vars", control_vars);
    if (omp->has_icvs)
        json_object_set_new(object, "icvs", icvs_json(omp));
    json_decref(others);
    json_decref(control_vars);
}

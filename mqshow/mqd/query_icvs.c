// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about OpenMP's internal and display control variables.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/query.h"

enum { ICVS_MAX = 1000, CONTROL_VARS_MAX = 10000, TEXT_MAX = 65536 };

static void
add_icv(struct openmp *omp, int32_t number, const mqs_omp_icv *icv)
{
    bool has_text = (icv->known & MQS_OMP_TEXT) != 0;
    omp->icvs = alloc_grow(omp->icvs, omp->n_icvs, &omp->icvs_capacity, sizeof *omp->icvs);
    omp->icvs[omp->n_icvs++] = (struct icv){
        .scope = icv->scope,
        .number = number,
        .name = escape_text(icv->name, sizeof icv->name),
        .has_value = (icv->known & MQS_OMP_VALUE) != 0,
        .value = icv->value,
        .text = has_text ? escape_text(icv->text, sizeof icv->text) : NULL,
    };
}

/** Adds the variables of one thread, region or task. @return false when it makes no sense to ask on
 */
static bool
query_icvs_of(struct query *query, int scope, int32_t number)
{
    const struct dll *dll = query->dll;
    mqs_omp_icv icv = {.known = 0};
    int code = dll->mqs_omp_setup_icv_iterator(query->process, scope, number);
    for (int i = 0; code == mqs_ok && i < ICVS_MAX; i++) {
        code = dll->mqs_omp_next_icv(query->process, &icv);
        if (code == mqs_ok)
            add_icv(&query->report->omp, number, &icv);
    }
    if (code != mqs_ok && code != mqs_end_of_list)
        query_add_failure(query, "OpenMP control variables", code);
    return code == mqs_ok || code == mqs_end_of_list;
}

void
query_icvs(struct query *query)
{
    struct openmp *omp = &query->report->omp;
    if (query->dll->mqs_omp_setup_icv_iterator == NULL || query->dll->mqs_omp_next_icv == NULL)
        return;
    omp->has_icvs = true;
    bool good = query_icvs_of(query, MQS_OMP_OF_PROCESS, 0);
    for (size_t i = 0; i < omp->n_threads && good; i++)
        good = query_icvs_of(query, MQS_OMP_OF_THREAD, omp->threads[i].number);
    for (size_t i = 0; i < omp->n_regions && good; i++)
        good = query_icvs_of(query, MQS_OMP_OF_REGION, omp->regions[i].number);
    for (size_t i = 0; i < omp->n_tasks && good; i++)
        good = query_icvs_of(query, MQS_OMP_OF_TASK, omp->tasks[i].number);
}

void
query_control_vars(struct query *query)
{
    struct openmp *omp = &query->report->omp;
    const char *text = NULL;
    int code = mqs_ok;
    if (query->dll->mqs_omp_get_control_var == NULL)
        return;
    omp->has_control_vars = true;
    for (int i = 0; i < CONTROL_VARS_MAX; i++) {
        code = query->dll->mqs_omp_get_control_var(query->process, i, &text);
        if (code != mqs_ok || text == NULL)
            break;
        omp->control_vars = alloc_grow(omp->control_vars, omp->n_control_vars,
                                       &omp->control_vars_capacity, sizeof *omp->control_vars);
        omp->control_vars[omp->n_control_vars++] = escape_text(text, TEXT_MAX);
    }
    if (code != mqs_ok && code != mqs_end_of_list)
        query_add_failure(query, "OpenMP display control variables", code);
}

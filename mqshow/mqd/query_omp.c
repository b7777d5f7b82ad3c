// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about OpenMP: threads, parallel regions, tasks and control variables.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/query.h"
#include "mqshow/process/pidmap.h"
#include "mqshow/process/stub.h"

#include <stdlib.h>

enum { RECORDS_MAX = 1000000, ICVS_MAX = 1000, CONTROL_VARS_MAX = 10000, TEXT_MAX = 65536 };

/** Notes why a list ends, unless it is at its end. */
static void
query_end_of(struct query *query, const char *what, int code)
{
    if (code != mqs_ok && code != mqs_end_of_list)
        query_add_failure(query, what, code);
}

/** The runtime knows its threads by the numbers of the process's own PID namespace. */
static void
translate_threads(struct openmp *omp, const struct image *image)
{
    struct pidmap map;
    const struct stub *stub = image->debuggee.stub;
    if (image->debuggee.core != NULL || (stub != NULL && !stub_is_local(stub)))
        return;
    pidmap_init_threads(&map, image->debuggee.pid);
    for (size_t i = 0; i < omp->n_threads; i++) {
        mqs_omp_thread *thread = &omp->threads[i];
        if ((thread->known & MQS_OMP_TID) == 0)
            continue;
        thread->tid = pidmap_find(&map, (pid_t) thread->tid);
        if (thread->tid == 0)
            thread->known &= ~(uint32_t) MQS_OMP_TID;
    }
    pidmap_deinit(&map);
}

/** Adds the records that an iterator of the library gives from a result on. */
#define COLLECT(query, what, code, next, items, count, capacity)   \
    do {                                                           \
        __typeof__(*(items)) record = {.known = 0};                \
        int got = (code);                                          \
        while (got == mqs_ok && (count) < RECORDS_MAX) {           \
            got = next((query)->process, &record);                 \
            if (got == mqs_ok)                                     \
                *ALLOC_ADD((items), (count), (capacity)) = record; \
        }                                                          \
        query_end_of((query), (what), got);                        \
    } while (0)

static void
query_threads(struct query *query)
{
    struct openmp *omp = &query->report->omp;
    int code = query->dll->mqs_omp_setup_thread_iterator(query->process);
    COLLECT(query, "OpenMP threads", code, query->dll->mqs_omp_next_thread, omp->threads,
            omp->n_threads, omp->threads_capacity);
    translate_threads(omp, &query->process->image.image);
}

static void
query_regions(struct query *query)
{
    const struct dll *dll = query->dll;
    struct openmp *omp = &query->report->omp;
    if (dll->mqs_omp_setup_region_iterator == NULL || dll->mqs_omp_next_region == NULL)
        return;
    int code = dll->mqs_omp_setup_region_iterator(query->process, MQS_OMP_ALL);
    omp->has_regions = code == mqs_ok;
    COLLECT(query, "OpenMP regions", code, dll->mqs_omp_next_region, omp->regions, omp->n_regions,
            omp->regions_capacity);
}

static void
query_tasks(struct query *query)
{
    const struct dll *dll = query->dll;
    struct openmp *omp = &query->report->omp;
    if (dll->mqs_omp_setup_task_iterator == NULL || dll->mqs_omp_next_task == NULL)
        return;
    int code = dll->mqs_omp_setup_task_iterator(query->process, MQS_OMP_ALL_TASKS, 0);
    omp->has_tasks = code == mqs_ok;
    COLLECT(query, "OpenMP tasks", code, dll->mqs_omp_next_task, omp->tasks, omp->n_tasks,
            omp->tasks_capacity);
}

static void
add_icv(struct openmp *omp, int32_t number, const mqs_omp_icv *icv)
{
    bool has_text = (icv->known & MQS_OMP_TEXT) != 0;
    *ALLOC_ADD(omp->icvs, omp->n_icvs, omp->icvs_capacity) = (struct icv){
        .scope = icv->scope,
        .number = number,
        .name = escape_text(icv->name, sizeof icv->name),
        .has_value = (icv->known & MQS_OMP_VALUE) != 0,
        .value = icv->value,
        .text = has_text ? escape_text(icv->text, sizeof icv->text) : NULL,
    };
}

/** Adds the variables of one thread, region or task. @return false when it is invalid to ask on
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
    query_end_of(query, "OpenMP control variables", code);
    return code == mqs_ok || code == mqs_end_of_list;
}

/** Adds the internal control variables of all that was found. */
static void
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

static void
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
        *ALLOC_ADD(omp->control_vars, omp->n_control_vars, omp->control_vars_capacity) =
            escape_text(text, TEXT_MAX);
    }
    query_end_of(query, "OpenMP display control variables", code);
}

static void
query_all(struct query *query)
{
    struct openmp *omp = &query->report->omp;
    if (query->dll->mqs_omp_get_info != NULL)
        query->dll->mqs_omp_get_info(query->process, &omp->info);
    query_threads(query);
    query_regions(query);
    query_tasks(query);
    openmp_sort(omp);
    if (query->options->read_icvs)
        query_icvs(query);
    if (query->options->read_control_vars)
        query_control_vars(query);
}

/** What is linked into a program without symbols, no library finds. */
static void
report_hidden(struct query *query)
{
    const struct image *image = &query->process->image.image;
    struct objfile *program = image->n_modules > 0 ? image->modules[0].file : NULL;
    if (program == NULL || objfile_has_openmp(program) || !objfile_mentions_openmp(program))
        return;
    report_message(
        query->report,
        alloc_format("an OpenMP runtime is linked into %s, which has no symbols: its threads "
                     "cannot be found; link the program with a shared runtime, or keep its "
                     "symbols (strip --strip-debug does)",
                     program->path));
}

void
query_openmp(struct query *query)
{
    const struct dll *dll = query->dll;
    struct report *report = query->report;
    if (dll->mqs_omp_process_has_openmp == NULL || dll->mqs_omp_setup_thread_iterator == NULL ||
        dll->mqs_omp_next_thread == NULL)
        return;
    char *message = NULL;
    int code = dll->mqs_omp_process_has_openmp(query->process, &message);
    bool fails = code != mqs_ok && code != mqs_no_information; // as the message says
    // That a runtime is not in use is worth no word beside all that MPI has.
    bool is_aside = report->has_mpi && query->options->only == PART_ALL;
    if (code != mqs_no_information || !is_aside)
        query_add_message(query, message, report->image, fails ? mqs_no_information : mqs_ok);
    if (code != mqs_ok) {
        if (code != mqs_no_information && message == NULL)
            query_add_failure(query, "OpenMP", code);
        if (message == NULL)
            report_hidden(query);
        return;
    }
    report->has |= 1u << PROCESS_OPENMP;
    query_all(query);
}

// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about OpenMP: threads, parallel regions and tasks.
#include "mqshow/base/alloc.h"
#include "mqshow/mqd/query.h"
#include "mqshow/process/pidmap.h"
#include "mqshow/process/stub.h"

#include <stdlib.h>

enum { RECORDS_MAX = 1000000 };

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

static void
query_threads(struct query *query)
{
    struct openmp *omp = &query->report->omp;
    mqs_omp_thread thread = {.known = 0};
    int code = query->dll->mqs_omp_setup_thread_iterator(query->process);
    while (code == mqs_ok && omp->n_threads < RECORDS_MAX) {
        code = query->dll->mqs_omp_next_thread(query->process, &thread);
        if (code != mqs_ok)
            break;
        omp->threads =
            alloc_grow(omp->threads, omp->n_threads, &omp->threads_capacity, sizeof thread);
        omp->threads[omp->n_threads++] = thread;
    }
    query_end_of(query, "OpenMP threads", code);
    translate_threads(omp, &query->process->image.image);
}

static void
query_regions(struct query *query)
{
    const struct dll *dll = query->dll;
    struct openmp *omp = &query->report->omp;
    mqs_omp_region region = {.known = 0};
    if (dll->mqs_omp_setup_region_iterator == NULL || dll->mqs_omp_next_region == NULL)
        return;
    int code = dll->mqs_omp_setup_region_iterator(query->process, MQS_OMP_ALL);
    omp->has_regions = code == mqs_ok;
    while (code == mqs_ok && omp->n_regions < RECORDS_MAX) {
        code = dll->mqs_omp_next_region(query->process, &region);
        if (code != mqs_ok)
            break;
        omp->regions =
            alloc_grow(omp->regions, omp->n_regions, &omp->regions_capacity, sizeof region);
        omp->regions[omp->n_regions++] = region;
    }
    query_end_of(query, "OpenMP regions", code);
}

static void
query_tasks(struct query *query)
{
    const struct dll *dll = query->dll;
    struct openmp *omp = &query->report->omp;
    mqs_omp_task task = {.known = 0};
    if (dll->mqs_omp_setup_task_iterator == NULL || dll->mqs_omp_next_task == NULL)
        return;
    int code = dll->mqs_omp_setup_task_iterator(query->process, MQS_OMP_ALL_TASKS, 0);
    omp->has_tasks = code == mqs_ok;
    while (code == mqs_ok && omp->n_tasks < RECORDS_MAX) {
        code = dll->mqs_omp_next_task(query->process, &task);
        if (code != mqs_ok)
            break;
        omp->tasks = alloc_grow(omp->tasks, omp->n_tasks, &omp->tasks_capacity, sizeof task);
        omp->tasks[omp->n_tasks++] = task;
    }
    query_end_of(query, "OpenMP tasks", code);
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
    if (query->options->icvs)
        query_icvs(query);
    if (query->options->control_vars)
        query_control_vars(query);
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
    query_add_message(query, message, report->image, code);
    if (code != mqs_ok) {
        if (code != mqs_no_information && message == NULL)
            query_add_failure(query, "OpenMP", code);
        return;
    }
    report->has |= 1u << PROCESS_OPENMP;
    query_all(query);
}

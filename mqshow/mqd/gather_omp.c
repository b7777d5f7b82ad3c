// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about OpenMP: threads, parallel regions and tasks.
#include "mqshow/base/alloc.h"
#include "mqshow/mqd/gather.h"
#include "mqshow/process/pidmap.h"

#include <stdlib.h>

enum { RECORDS_MAX = 1000000 };

/** Notes why a list ends, unless it is at its end. */
static void
gather_end_of(struct gathering *gathering, const char *what, int code)
{
    if (code != mqs_ok && code != mqs_end_of_list)
        gather_failure(gathering, what, code);
}

/** The runtime knows its threads by the numbers of the process's own PID namespace. */
static void
translate_threads(struct openmp *omp, const struct image *image)
{
    struct pidmap map;
    if (image->debuggee.core != NULL || image->debuggee.stub != NULL)
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
gather_threads(struct gathering *gathering)
{
    struct openmp *omp = &gathering->report->omp;
    mqs_omp_thread thread = {.known = 0};
    int code = gathering->dll->mqs_omp_setup_thread_iterator(gathering->process);
    while (code == mqs_ok && omp->n_threads < RECORDS_MAX) {
        code = gathering->dll->mqs_omp_next_thread(gathering->process, &thread);
        if (code != mqs_ok)
            break;
        omp->threads =
            alloc_grow(omp->threads, omp->n_threads, &omp->threads_capacity, sizeof thread);
        omp->threads[omp->n_threads++] = thread;
    }
    gather_end_of(gathering, "OpenMP threads", code);
    translate_threads(omp, &gathering->process->image.image);
}

static void
gather_regions(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    struct openmp *omp = &gathering->report->omp;
    mqs_omp_region region = {.known = 0};
    if (dll->mqs_omp_setup_region_iterator == NULL || dll->mqs_omp_next_region == NULL)
        return;
    int code = dll->mqs_omp_setup_region_iterator(gathering->process, MQS_OMP_ALL);
    omp->has_regions = code == mqs_ok;
    while (code == mqs_ok && omp->n_regions < RECORDS_MAX) {
        code = dll->mqs_omp_next_region(gathering->process, &region);
        if (code != mqs_ok)
            break;
        omp->regions =
            alloc_grow(omp->regions, omp->n_regions, &omp->regions_capacity, sizeof region);
        omp->regions[omp->n_regions++] = region;
    }
    gather_end_of(gathering, "OpenMP regions", code);
}

static void
gather_tasks(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    struct openmp *omp = &gathering->report->omp;
    mqs_omp_task task = {.known = 0};
    if (dll->mqs_omp_setup_task_iterator == NULL || dll->mqs_omp_next_task == NULL)
        return;
    int code = dll->mqs_omp_setup_task_iterator(gathering->process, MQS_OMP_ALL_TASKS, 0);
    omp->has_tasks = code == mqs_ok;
    while (code == mqs_ok && omp->n_tasks < RECORDS_MAX) {
        code = dll->mqs_omp_next_task(gathering->process, &task);
        if (code != mqs_ok)
            break;
        omp->tasks = alloc_grow(omp->tasks, omp->n_tasks, &omp->tasks_capacity, sizeof task);
        omp->tasks[omp->n_tasks++] = task;
    }
    gather_end_of(gathering, "OpenMP tasks", code);
}

static void
gather_all(struct gathering *gathering)
{
    struct openmp *omp = &gathering->report->omp;
    if (gathering->dll->mqs_omp_get_info != NULL)
        gathering->dll->mqs_omp_get_info(gathering->process, &omp->info);
    gather_threads(gathering);
    gather_regions(gathering);
    gather_tasks(gathering);
    openmp_sort(omp);
    if (gathering->options->icvs)
        gather_icvs(gathering);
    if (gathering->options->control_vars)
        gather_control_vars(gathering);
}

void
gather_openmp(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    struct report *report = gathering->report;
    if (dll->mqs_omp_process_has_openmp == NULL || dll->mqs_omp_setup_thread_iterator == NULL ||
        dll->mqs_omp_next_thread == NULL)
        return;
    char *message = NULL;
    int code = dll->mqs_omp_process_has_openmp(gathering->process, &message);
    gather_message(gathering, message, report->image, code);
    if (code != mqs_ok) {
        if (code != mqs_no_information && message == NULL)
            gather_failure(gathering, "OpenMP", code);
        return;
    }
    report->has |= 1u << PROCESS_OPENMP;
    gather_all(gathering);
}

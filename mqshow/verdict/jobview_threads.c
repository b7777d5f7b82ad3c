// SPDX-License-Identifier: BSD-3-Clause
// The threads of a document as plain data.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/jobview.h"

#include <stdlib.h>
#include <string.h>

/** An OpenMP thread by its id. */
struct known {
    const char *id;
    const mqs_omp_thread *thread;
};

static int
compare_ids(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    return strcmp(a->id, b->id);
}

/** The OpenMP threads of a process by id, to free(). */
static struct known *
openmp_threads(const struct openmp *omp, size_t *ret_count)
{
    struct known *known = alloc_zeroed(omp->n_threads, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < omp->n_threads; i++)
        if (*omp->threads[i].id != '\0')
            known[count++] = (struct known){omp->threads[i].id, &omp->threads[i]};
    qsort(known, count, sizeof *known, compare_ids);
    *ret_count = count;
    return known;
}

static const mqs_omp_thread *
find_openmp(const struct known *known, size_t count, const char *id)
{
    struct known key = {id, NULL};
    const struct known *found =
        id != NULL ? bsearch(&key, known, count, sizeof *known, compare_ids) : NULL;
    return found != NULL ? found->thread : NULL;
}

mqs_mpi_phase
jobview_phase_of(const char *call)
{
    if (call != NULL && (strcmp(call, "MPI_Init") == 0 || strcmp(call, "MPI_Init_thread") == 0))
        return mqs_phase_in_init;
    return call != NULL && strcmp(call, "MPI_Finalize") == 0 ? mqs_phase_in_finalize
                                                             : mqs_phase_unknown;
}

/** A thread that begins or ends MPI does so for its process. */
static void
note_phase(struct jv_process *process, const char *call)
{
    mqs_mpi_phase phase = jobview_phase_of(call);
    if (phase != mqs_phase_unknown)
        process->phase = phase;
}

static void
load_threads(struct jobview *view, uint32_t number)
{
    struct jv_process *process = &view->processes[number];
    const struct report *report = process->report;
    size_t count;
    struct known *known = openmp_threads(&report->omp, &count);
    process->has_threads = report->threads.count > 0;
    process->first_thread = (uint32_t) view->n_threads;
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *record = &report->threads.items[i];
        *ALLOC_ADD(view->threads, view->n_threads, view->threads_capacity) = (struct jv_thread){
            .record = record,
            .openmp = find_openmp(known, count, record->openmp),
            .process = number,
            .place = (uint32_t) i,
            .tid = record->tid > 0 && record->tid <= INT32_MAX ? record->tid : 0,
            .call = record->call,
        };
    }
    process->n_threads = (uint32_t) report->threads.count;
    for (uint32_t k = process->first_thread; k < view->n_threads; k++)
        note_phase(process, view->threads[k].call);
    free(known);
}

void
jobview_load_threads(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_processes; i++)
        load_threads(view, i);
}

// SPDX-License-Identifier: BSD-3-Clause
// What the stacks of a process say of its report.
#include "mqshow/waits/resolve.h"

#include "mqshow/base/alloc.h"
#include "mqshow/waits/wait_resolve.h"
#include "mqshow/waits/openmp_resolve.h"
#include "mqshow/waits/request_handles.h"
#include "mqshow/report/report.h"
#include "mqshow/waits/call_operation.h"
#include "mqshow/stack/threads.h"

static bool
is_of_openmp(const struct openmp *omp, pid_t tid)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if ((omp->threads[i].known & MQS_OMP_TID) != 0 && omp->threads[i].tid == tid)
            return true;
    return false;
}

/** Adds the other threads of the process, if those of the runtime can be told apart. */
static void
add_others(struct openmp *omp, const struct threads *threads)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if ((omp->threads[i].known & MQS_OMP_TID) == 0)
            return;
    omp->others_are_known = threads->count > 0;
    for (size_t i = 0; i < threads->count; i++) {
        if (is_of_openmp(omp, threads->items[i].tid))
            continue;
        *ALLOC_ADD(omp->others, omp->n_others, omp->others_capacity) = threads->items[i].tid;
    }
}

void
resolve_stacks(struct report *report, struct threads *threads, struct image *image,
               const struct dll *dll, mqs_process *process)
{
    struct request_handles handles;
    if (!stacks_unwind(threads, image))
        report_problem(report, alloc_text("not all stacks of its threads can be read"));
    handles_init(&handles, dll, process);
    wait_find_mpi_parts(threads);
    call_operations_add(report, threads, image, &handles);
    wait_find_requests(report, threads, image, &handles);
    if (!HAS(report, PROCESS_OPENMP))
        return;
    add_others(&report->omp, threads);
    critical_find(&report->omp, image);
    regions_find_functions(&report->omp, threads, image);
}

void
resolve_addresses(struct report *report, struct threads *threads, const struct image *image)
{
    openmp_symbolize(&report->omp, image);
    symbolize_threads(threads, image);
    wait_resolve(threads);
    thread_records_add(report, threads);
}

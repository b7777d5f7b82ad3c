// SPDX-License-Identifier: BSD-3-Clause
// One rank with a parallel region whose threads are not, or not all, in the region's own code.
//
//   omp_places tasks   All threads are at the region's end, where each executes a task.
//   omp_places nested  The same within another region, at whose end its other thread is.
//   omp_places single  One thread is in a single construct, the others are at the region's end.
//   omp_places cancel  One thread is in the region, which the others have left by cancelling it.
#include "live.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { TEAM = 3, POLL_US = 1000 };

static atomic_int recorded;

static void
record(const struct truth_directive *team, const struct truth_directive *task)
{
    truth_openmp_thread(&(struct truth_place){.region = team, .task = task}, NULL);
    recorded++;
}

// Of the threads that stay, one writes the record, when there is one of all threads.
static void
stay(int threads)
{
    static atomic_flag is_written = ATOMIC_FLAG_INIT;
    while (recorded < threads)
        usleep(POLL_US);
    if (!atomic_flag_test_and_set(&is_written))
        live_park();
    for (;;)
        usleep(POLL_US);
}

static void
share_tasks(const struct truth_directive *around, int threads)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(around);
#pragma omp parallel num_threads(TEAM)
    if (omp_get_thread_num() == 0) {
        for (int i = 0; i < TEAM; i++) {
            const struct truth_directive task = TRUTH_DIRECTIVE(NULL);
#pragma omp task
            {
                record(&team, &task);
                stay(threads);
            }
        }
    }
}

static void
nest(void)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        record(&team, NULL);
    else
        share_tasks(&team, 1 + TEAM);
}

static void
stay_in_single(void)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    {
        record(&team, NULL);
#pragma omp single
        stay(TEAM);
    }
}

static void
cancel(void)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    {
        record(&team, NULL);
        if (omp_get_thread_num() != 0) {
#pragma omp cancel parallel
        }
        stay(TEAM);
    }
}

int
main(int argc, char **argv)
{
    (void) live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 1);
    const char *name = argc > 1 ? argv[1] : "";
    omp_set_max_active_levels(2);
    if (strcmp(name, "tasks") == 0)
        share_tasks(NULL, TEAM);
    if (strcmp(name, "nested") == 0)
        nest();
    if (strcmp(name, "single") == 0)
        stay_in_single();
    if (strcmp(name, "cancel") == 0)
        cancel();
    return 1;
}

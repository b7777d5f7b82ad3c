// SPDX-License-Identifier: BSD-3-Clause
// The process that bench/ompd_reads looks at: 64 threads, in 8 regions inside of one. It prints
// "ready" when all are there, and sleeps.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { REGIONS = 8, THREADS = 8 };

int
main(void)
{
    static atomic_int arrived;
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(REGIONS)
#pragma omp parallel num_threads(THREADS)
    {
        if (atomic_fetch_add(&arrived, 1) + 1 == REGIONS * THREADS) {
            puts("ready");
            fflush(stdout);
        }
        pause();
    }
}

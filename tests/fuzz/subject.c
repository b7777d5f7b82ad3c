// SPDX-License-Identifier: BSD-3-Clause
// A process that has something of everything, for cores: pending messages to itself, communicators,
// and nested OpenMP regions with tasks and locks, in which it stands still. Prints "ready" then.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { TEAM = 2, MESSAGES = 3, LONG = 1 << 18, EVER = 1000 };

static int buffers[2 * MESSAGES][LONG];
static MPI_Request requests[2 * MESSAGES];
static omp_lock_t lock;

static void
post(MPI_Comm comm)
{
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(buffers[i], i + 1, MPI_INT, MPI_ANY_SOURCE, i, comm, &requests[i]);
        MPI_Isend(buffers[MESSAGES + i], i == 0 ? LONG : 1, MPI_INT, 0, 100 + i, comm,
                  &requests[MESSAGES + i]);
    }
}

static void
stand_still(void)
{
#pragma omp critical(still)
    {
        puts("ready");
        fflush(stdout);
        for (;;)
            sleep(EVER);
    }
}

static void
work(int depth)
{
#pragma omp parallel num_threads(TEAM)
    {
        if (depth == 0 && omp_get_thread_num() == 0) {
            work(depth + 1);
        } else if (depth == 1) {
#pragma omp task untied
            stand_still();
#pragma omp taskwait
        } else {
            omp_set_lock(&lock);
        }
    }
}

int
main(int argc, char **argv)
{
    MPI_Comm twin, half;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_name(twin, "twin");
    MPI_Comm_split(twin, 0, 0, &half);
    post(twin);
    post(half);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    work(0);
    return 0;
}

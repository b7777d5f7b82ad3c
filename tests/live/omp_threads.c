// SPDX-License-Identifier: BSD-3-Clause
// Two ranks under MPI_THREAD_MULTIPLE, each with a team of OpenMP threads that are all in MPI_Recv.
#include "live.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 3 };

static void
receive(struct truth_comm *comm, const struct truth_directive *team, int source, int tag)
{
    void *buffer = live_buffer(tag, MPI_BYTE);
    truth_receive(comm, source, tag, tag, MPI_BYTE, buffer);
    truth_openmp_thread(&(struct truth_place){.region = team}, "work_parallel");
    if (omp_get_thread_num() == TEAM - 1)
        truth_write();
    live_end_turn();
    MPI_Recv(buffer, tag, MPI_BYTE, source, tag, truth_handle(comm), MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    {
        live_await_turn(omp_get_thread_num());
        receive(live.world, &team, 1 - live.rank, 191 + omp_get_thread_num());
    }
    return 1;
}

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks under MPI_THREAD_MULTIPLE, each with a team of OpenMP threads that are all in MPI_Recv.
#include "live.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 3 };

// Without OMP_DEBUG=enabled the runtime keeps no states.
static const char *
state_if_tracked(const char *state)
{
    const char *debug = getenv("OMP_DEBUG");
    return debug != NULL && strcmp(debug, "enabled") == 0 ? state : NULL;
}

static void
receive(struct truth_comm *comm, int source, int tag)
{
    void *buffer = live_buffer(tag, MPI_BYTE);
    truth_receive(comm, source, tag, tag, MPI_BYTE, buffer);
    truth_openmp_thread(state_if_tracked("work_parallel"));
    if (omp_get_thread_num() == TEAM - 1)
        truth_write();
    live_end_turn();
    MPI_Recv(buffer, tag, MPI_BYTE, source, tag, truth_handle(comm), MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
#pragma omp parallel num_threads(TEAM)
    {
        live_await_turn(omp_get_thread_num());
        receive(live.world, 1 - live.rank, 191 + omp_get_thread_num());
    }
    return 1;
}

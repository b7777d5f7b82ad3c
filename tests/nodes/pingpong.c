// SPDX-License-Identifier: BSD-3-Clause
// A job that works and comes by the same place again and again: a message goes around all ranks,
// each of which waits for it most of the time, until a signal ends the job.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        printf("ready\n");
        fflush(stdout);
    }
    for (;;) {
        MPI_Recv(&value, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    }
}

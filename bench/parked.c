// SPDX-License-Identifier: BSD-3-Clause
// Ranks with receives that nothing sends, asleep: as many as are wished leave a machine idle.
//
// Usage: parked FILE [RECEIVES]; rank 0 makes the file, with its pid, when all are asleep, or
// nearly.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RECEIVES = 8 };

int
main(int argc, char **argv)
{
    int rank, size, receives = argc > 2 ? atoi(argv[2]) : RECEIVES;
    int *buffers = calloc((size_t) receives, sizeof *buffers);
    MPI_Request *requests = calloc((size_t) receives, sizeof *requests);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < receives; i++)
        MPI_Irecv(&buffers[i], 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *file = rank == 0 && argc > 1 ? fopen(argv[1], "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%d\n", (int) getpid());
        fclose(file);
    }
    for (;;)
        pause();
}

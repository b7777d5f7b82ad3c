// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with handles in variables, that wait for messages which never come. Rank 0 writes its
// process id into the file that is named.
#include <mpi.h>

#include <stdio.h>
#include <unistd.h>

enum { RANKS = 4 };

int
main(int argc, char **argv)
{
    static double buffer[24];
    int rank, number = 0;
    int dims[] = {2, 2}, periods[] = {1, 0};
    MPI_Comm grid;
    MPI_Datatype face;
    MPI_Request requests[3];
    MPI_Status status;
    MPI_Op op = MPI_SUM;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &face);
    MPI_Type_commit(&face);
    MPI_Irecv(buffer, 1, face, (rank + 1) % RANKS, 7, grid, &requests[0]);
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 8, grid, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, &number, 1, MPI_INT, rank, 3, grid, &status);
    if (rank == 0 && argc > 1) {
        FILE *file = fopen(argv[1], "w");
        fprintf(file, "%d\n", (int) getpid());
        fclose(file);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return op != MPI_SUM || number != 0;
}

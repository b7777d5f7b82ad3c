// SPDX-License-Identifier: BSD-3-Clause
// Four ranks of which the first stays out of a collective operation on "team", while the others
// wait in it. The argument names the operation.
#include "live.h"

#include <stdio.h>
#include <string.h>

static void
barrier(MPI_Comm comm)
{
    MPI_Barrier(comm);
}

static void
bcast(MPI_Comm comm)
{
    int data[4] = {0};
    MPI_Bcast(data, 4, MPI_INT, 0, comm);
}

static void
allreduce(MPI_Comm comm)
{
    int in = 1, out;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
}

static void
allgather(MPI_Comm comm)
{
    int in = 1, out[4];
    MPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm);
}

static void
alltoall(MPI_Comm comm)
{
    int in[4] = {0}, out[4];
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
}

static void
ibarrier(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*call)(MPI_Comm);
    const char *seen_as;
} operations[] = {
    {"barrier", barrier, "barrier"},       {"bcast", bcast, "bcast"},
    {"allreduce", allreduce, "allreduce"}, {"allgather", allgather, "allgather"},
    {"alltoall", alltoall, "alltoall"},    {"ibarrier", ibarrier, NULL},
};

static void
take_part(struct truth_comm *comm, const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].name, name) != 0)
            continue;
        if (operations[i].seen_as != NULL)
            truth_collective(comm, operations[i].seen_as);
        else
            truth_collectives_unknown(comm);
        truth_write();
        operations[i].call(truth_handle(comm));
    }
}

int
main(int argc, char **argv)
{
    MPI_Comm team;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    MPI_Comm_dup(MPI_COMM_WORLD, &team);
    struct truth_comm *comm = live_name(team, "team");
    post_receive(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, 1, MPI_INT);
    if (live.rank == 0)
        live_park();
    take_part(comm, argc > 1 ? argv[1] : "");
    fprintf(stderr, "collectives: no such operation, or it has finished\n");
    return 1;
}

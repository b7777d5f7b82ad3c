// SPDX-License-Identifier: BSD-3-Clause
// Collectives that do not block, that persist, of neighbours, and those that make communicators.
#include "statements.h"

#include <stddef.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
#define PERSISTENT(name) MPI_##name
#else
#define PERSISTENT(name) MPIX_##name
#endif

enum { NEIGHBOURS = 2, MAKING_TAG = 91 };

// Slot, comm, number of integers.
#define STARTS(name, ...)                                                                 \
    static void do_##name(struct actor *actor, const int *a)                              \
    {                                                                                     \
        MPI_Comm comm = statement_comms[a[1]];                                            \
        int bytes = (int) sizeof(int) * a[2], size = statement_size(a[1]);                \
        void *out = statement_buffer(bytes * size), *in = statement_buffer(bytes * size); \
        __VA_ARGS__;                                                                      \
    }
STARTS(iallreduce, (void) size;
       MPI_Iallreduce(out, in, a[2], MPI_INT, MPI_SUM, comm, &actor->requests[a[0]]))
STARTS(iallgather,
       MPI_Iallgather(out, a[2], MPI_INT, in, a[2], MPI_INT, comm, &actor->requests[a[0]]))
STARTS(ialltoall,
       MPI_Ialltoall(out, a[2], MPI_INT, in, a[2], MPI_INT, comm, &actor->requests[a[0]]))
STARTS(allreduce_init, PERSISTENT(Allreduce_init)(out, in, a[2], MPI_INT, MPI_SUM, comm,
                                                  MPI_INFO_NULL, &actor->requests[a[0]]))
STARTS(barrier_init, (void) out; (void) in;
       PERSISTENT(Barrier_init)(comm, MPI_INFO_NULL, &actor->requests[a[0]]))

// Likewise, on a ring.
#define STARTS_NEAR(name, call)                                                              \
    static void do_##name(struct actor *actor, const int *a)                                 \
    {                                                                                        \
        int bytes = NEIGHBOURS * (int) sizeof(int) * a[2];                                   \
        call(statement_buffer(bytes), a[2], MPI_INT, statement_buffer(bytes), a[2], MPI_INT, \
             statement_comms[a[1]], &actor->requests[a[0]]);                                 \
    }
STARTS_NEAR(ineighbor_allgather, MPI_Ineighbor_allgather)
STARTS_NEAR(ineighbor_alltoall, MPI_Ineighbor_alltoall)

// Comm, number of integers.
#define NEAR(name, call)                                                                     \
    static void do_##name(struct actor *actor, const int *a)                                 \
    {                                                                                        \
        int bytes = NEIGHBOURS * (int) sizeof(int) * a[1];                                   \
        (void) actor;                                                                        \
        call(statement_buffer(bytes), a[1], MPI_INT, statement_buffer(bytes), a[1], MPI_INT, \
             statement_comms[a[0]]);                                                         \
    }
NEAR(neighbor_allgather, MPI_Neighbor_allgather)
NEAR(neighbor_alltoall, MPI_Neighbor_alltoall)

// What makes communicators; each is freed when the next one is made.

/** Where the next one goes. */
static MPI_Comm *
made(struct actor *actor)
{
    if (actor->made != MPI_COMM_NULL)
        MPI_Comm_free(&actor->made);
    return &actor->made;
}

// Comm.
static void
do_comm_dup(struct actor *actor, const int *a)
{
    MPI_Comm_dup(statement_comms[a[0]], made(actor));
}

static void
do_comm_split(struct actor *actor, const int *a)
{
    MPI_Comm_split(statement_comms[a[0]], 0, 0, made(actor));
}

static void
do_comm_create(struct actor *actor, const int *a)
{
    MPI_Group group;
    MPI_Comm_group(statement_comms[a[0]], &group);
    MPI_Comm_create(statement_comms[a[0]], group, made(actor));
    MPI_Group_free(&group);
}

static void
do_cart_create(struct actor *actor, const int *a)
{
    const int dims[] = {statement_size(a[0])}, periods[] = {1};
    MPI_Cart_create(statement_comms[a[0]], 1, dims, periods, 0, made(actor));
}

// Comm, first rank, number of ranks.
static void
do_comm_create_group(struct actor *actor, const int *a)
{
    int range[1][3] = {{a[1], a[1] + a[2] - 1, 1}};
    MPI_Group all, group;
    MPI_Comm_group(statement_comms[a[0]], &all);
    MPI_Group_range_incl(all, 1, range, &group);
    MPI_Comm_create_group(statement_comms[a[0]], group, MAKING_TAG, made(actor));
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

// Own comm, comm of all, rank of the others' leader in that.
static void
do_intercomm_create(struct actor *actor, const int *a)
{
    MPI_Intercomm_create(statement_comms[a[0]], 0, statement_comms[a[1]], a[2], MAKING_TAG,
                         made(actor));
}

const struct operation comm_operations[] = {
    {"iallreduce", do_iallreduce},
    {"iallgather", do_iallgather},
    {"ialltoall", do_ialltoall},
    {"ineighbor_allgather", do_ineighbor_allgather},
    {"ineighbor_alltoall", do_ineighbor_alltoall},
    {"barrier_init", do_barrier_init},
    {"allreduce_init", do_allreduce_init},
    {"neighbor_allgather", do_neighbor_allgather},
    {"neighbor_alltoall", do_neighbor_alltoall},
    {"comm_dup", do_comm_dup},
    {"comm_split", do_comm_split},
    {"comm_create", do_comm_create},
    {"cart_create", do_cart_create},
    {"comm_create_group", do_comm_create_group},
    {"intercomm_create", do_intercomm_create},
    {NULL, NULL},
};

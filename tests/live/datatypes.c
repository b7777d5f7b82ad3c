// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with receives and sends of derived datatypes: named, unnamed, duplicated, freed in
// flight.
#include "live.h"

#include <stddef.h>

struct particle {
    double place[3];
    int charge;
    char kind;
};

static MPI_Datatype
particle_type(void)
{
    static const int lengths[] = {3, 1, 1};
    static const MPI_Aint places[] = {offsetof(struct particle, place),
                                      offsetof(struct particle, charge),
                                      offsetof(struct particle, kind)};
    static const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
    MPI_Datatype packed, ret;
    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct particle), &ret);
    MPI_Type_set_name(ret, "particle");
    MPI_Type_commit(&ret);
    MPI_Type_free(&packed);
    return ret;
}

static MPI_Datatype
column_type(int rows, int columns)
{
    MPI_Datatype ret;
    MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &ret);
    MPI_Type_commit(&ret);
    return ret;
}

static MPI_Datatype
long_named_type(void)
{
    MPI_Datatype ret;
    MPI_Type_contiguous(3, MPI_FLOAT, &ret);
    MPI_Type_set_name(ret, "a datatype whose name is as long as MPI allows it to be: 63 ch.");
    MPI_Type_commit(&ret);
    return ret;
}

int
main(int argc, char **argv)
{
    MPI_Datatype copy, freed;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Datatype particle = particle_type(), column = column_type(1000, 7);
    int peer = 1 - live.rank;
    MPI_Type_dup(MPI_INT, &copy);
    MPI_Type_contiguous(4, MPI_SHORT, &freed);
    MPI_Type_set_name(freed, "freed");
    MPI_Type_commit(&freed);
    post_send(live.world, STANDARD, peer, 148, 100, column);
    post_send(live.world, STANDARD, peer, 149, RENDEZVOUS_BYTES / 29, particle);
    gate_open(live.world, peer);
    gate_pass(live.world, peer);
    truth_unexpected(live.world, peer, 148, 100 * 1000 * 8L);
    truth_unexpected(live.world, peer, 149, RENDEZVOUS_BYTES / 29 * 29L);
    post_receive(live.world, peer, 141, 10, particle);
    post_receive(live.world, peer, 142, 3, column);
    post_receive(live.world, peer, 143, 5, copy);
    post_receive(live.world, peer, 144, 0, particle);
    post_receive(live.world, MPI_ANY_SOURCE, 145, 6, MPI_DOUBLE_INT);
    post_receive(live.world, peer, 146, 7, long_named_type());
    post_receive(live.world, peer, 147, 8, freed);
    MPI_Type_free(&freed);
    live_park();
}

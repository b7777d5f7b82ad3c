// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with as many operations as wanted, for measurements: many RECEIVES COMMUNICATORS
// UNEXPECTED
//
// Each rank has RECEIVES receives spread over COMMUNICATORS duplicates of MPI_COMM_WORLD, and
// UNEXPECTED messages from the other on the first of them. Every tenth receive is a wildcard.
#include "live.h"

#include <stdio.h>
#include <stdlib.h>

static struct truth_comm *
duplicate(int number)
{
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    snprintf(name, sizeof name, "duplicate %d", number);
    return live_name(comm, name);
}

static void
exchange_unexpected(struct truth_comm *comm, int peer, long count)
{
    static const long burst = 1000;
    for (long i = 0; i < count; i++) {
        int bytes = (int) (i % 64);
        send_unexpected(comm, peer, (int) (i % 1000), bytes);
        truth_unexpected(comm, peer, (int) (i % 1000), bytes);
        // Keeps either rank from running away from the other.
        if (i % burst == burst - 1)
            MPI_Barrier(truth_handle(comm));
    }
    gate_open(comm, peer);
    gate_pass(comm, peer);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (argc != 4 || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: many RECEIVES COMMUNICATORS UNEXPECTED\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int receives = atoi(argv[1]), count = atoi(argv[2]), peer = 1 - live.rank;
    struct truth_comm **comms = calloc((size_t) count, sizeof(struct truth_comm *));
    for (int i = 0; i < count; i++)
        comms[i] = duplicate(i);
    exchange_unexpected(comms[0], peer, atol(argv[3]));
    for (int i = 0; i < receives; i++)
        post_receive(comms[i % count], i % 10 == 0 ? MPI_ANY_SOURCE : peer, 1000 + i, 1, MPI_INT);
    live_park();
}

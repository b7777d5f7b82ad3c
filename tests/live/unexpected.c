// SPDX-License-Identifier: BSD-3-Clause
// Three ranks send messages of many sizes for which rank 0 has no receive. Small ones have arrived
// as a whole, large ones have only announced themselves. Rank 0 receives some from the middle.
#include "live.h"

static const int sizes[] = {0,    1,    255,  256,   257,   1000,  3,
                            4000, 4096, 8192, 60000, 65536, 70000, 1 << 20};

enum { SIZES = sizeof sizes / sizeof *sizes, TAKEN = 2 };

static void
send_all(struct truth_comm *comm)
{
    struct post posts[SIZES];
    for (int i = 0; i < SIZES; i++)
        posts[i] = post_send(comm, STANDARD, 0, 100 + i % 5, sizes[i], MPI_BYTE);
    gate_open(comm, 0);
    post_settle(posts, SIZES);
}

static void
take_none(struct truth_comm *comm, int source)
{
    gate_pass(comm, source);
    for (int i = 0; i < SIZES; i++)
        truth_unexpected(comm, source, 100 + i % 5, sizes[i]);
}

// Of two messages with the same tag the first is received: the second stays, at its place.
static void
send_twice(struct truth_comm *comm)
{
    for (int i = 0; i < 6; i++)
        send_unexpected(comm, 0, i % 3, 10 * i);
    gate_open(comm, 0);
}

static void
take_one(struct truth_comm *comm, int source)
{
    char buffer[100];
    gate_pass(comm, source);
    MPI_Recv(buffer, sizeof buffer, MPI_BYTE, source, TAKEN, truth_handle(comm), MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; i++) {
        if (i != TAKEN)
            truth_unexpected(comm, source, i % 3, 10 * i);
    }
}

int
main(int argc, char **argv)
{
    MPI_Comm second;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    struct truth_comm *dup = live_name(second, "second");
    if (live.rank > 0) {
        send_twice(dup);
        send_all(live.world);
    }
    for (int source = 1; live.rank == 0 && source < 4; source++) {
        take_one(dup, source);
        take_none(live.world, source);
    }
    live_park();
}

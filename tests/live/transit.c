// SPDX-License-Identifier: BSD-3-Clause
// Three ranks send to rank 0, which does not look: what has come lies in shared memory, in its
// queue and in the fast boxes of the senders that it knows or does not know of yet. "looked": it
// has seen the first messages. "few": each sender has talked with it at some length, as UCX sends
// nothing through shared memory before both sides have agreed, and sends no more than the queue of
// UCX has room for. None is so long that its sender waits for it.
#include "live.h"

#include <string.h>
#include <unistd.h>

static const int sizes[] = {8, 0,  240, 1, 33, 32, 31, 100, 64, 5, 12, 200, 7,  7,  7, 7,
                            7, 16, 24,  1, 2,  3,  4,  5,   6,  7, 8,  9,   10, 11, 12};

enum { SIZES = sizeof sizes / sizeof *sizes, LOOKED = 20, FEW = 8, ROUNDS = 50 };

static void
send_some(struct truth_comm *comm, int first, int end)
{
    for (int i = first; i < end; i++)
        send_unexpected(comm, 0, 100 + i, sizes[i]);
}

static void
talk(const struct live *live)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (int other = 1; other < 4; other++) {
            if (live->rank == 0) {
                gate_open(live->world, other);
                gate_pass(live->world, other);
            } else if (live->rank == other) {
                gate_pass(live->world, 0);
                gate_open(live->world, 0);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    const int looked = argc > 1 && strcmp(argv[1], "looked") == 0 ? LOOKED : 0;
    const bool few = argc > 1 && strcmp(argv[1], "few") == 0;
    const int end = few ? FEW : SIZES;
    if (few)
        talk(&live);
    if (live.rank > 0) {
        send_some(live.world, 0, looked);
        gate_open(live.world, 0);
    } else {
        for (int source = 1; source < 4; source++)
            gate_pass(live.world, source);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (live.rank > 0) {
        sleep(1); // until rank 0 is outside of MPI
        send_some(live.world, looked, end);
    }
    if (live.rank > 0 && !few) {
        post_send(live.world, STANDARD, 0, 7, RENDEZVOUS_BYTES, MPI_BYTE);
        send_some(live.world, 0, 1);
    }
    for (int source = 1; live.rank == 0 && source < 4; source++) {
        for (int i = 0; i < end; i++)
            truth_unexpected(live.world, source, 100 + i, sizes[i]);
        if (few)
            continue;
        truth_unexpected(live.world, source, 7, RENDEZVOUS_BYTES);
        truth_unexpected(live.world, source, 100, sizes[0]);
    }
    live_park();
}

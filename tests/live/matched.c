// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with a large message that has met its receive and is not through. Run it with a
// transport that wants the sender's help (no single copy).
//
//   matched receiver   the sender stays outside of MPI and so never gets to know of the match
//   matched sender     the receiver leaves MPI after the match, and the sender fills the transport
#include "live.h"

#include <string.h>

enum { HUGE_BYTES = 64 << 20, TAG = 151 };

static void
meet(struct truth_comm *comm, struct post *wild)
{
    gate_pass(comm, 0);
    *wild = post_receive(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, HUGE_BYTES + 8, MPI_BYTE);
    truth_receive_status(wild->op, "matched", 0, TAG, HUGE_BYTES);
    post_receive(comm, 0, TAG, 4, MPI_INT);
}

static void
sender_outside(const struct live *live)
{
    struct post wild;
    if (live->rank == 0) {
        post_send(live->world, STANDARD, 1, TAG, HUGE_BYTES, MPI_BYTE);
        gate_open(live->world, 1);
    } else {
        meet(live->world, &wild);
        truth_write();
        MPI_Wait(&wild.request, MPI_STATUS_IGNORE);
    }
    live_park();
}

static void
receiver_outside(const struct live *live)
{
    struct post post;
    if (live->rank == 0) {
        post = post_send(live->world, STANDARD, 1, TAG, HUGE_BYTES, MPI_BYTE);
        truth_status(post.op, "matched");
        gate_open(live->world, 1);
        truth_write();
        MPI_Wait(&post.request, MPI_STATUS_IGNORE);
    } else {
        meet(live->world, &post);
    }
    live_park();
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (argc > 1 && strcmp(argv[1], "sender") == 0)
        receiver_outside(&live);
    else
        sender_outside(&live);
    return 1;
}

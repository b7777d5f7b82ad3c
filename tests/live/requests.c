// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with requests in every state: pending, cancelled, completed and collected, completed
// and not collected, freed while pending.
#include "live.h"

static void
cancel(struct post *post)
{
    MPI_Cancel(&post->request);
    post_collect(post);
}

// Pending receives around ones that were cancelled: first, in the middle, last; specific and wild.
static void
cancel_some(struct truth_comm *comm, int peer)
{
    struct post first = post_receive(comm, peer, 81, 1, MPI_INT);
    post_receive(comm, peer, 82, 2, MPI_INT);
    struct post middle = post_receive(comm, peer, 83, 3, MPI_INT);
    struct post wild = post_receive(comm, MPI_ANY_SOURCE, 84, 4, MPI_INT);
    post_receive(comm, MPI_ANY_SOURCE, 85, 5, MPI_INT);
    struct post last = post_receive(comm, peer, 86, 6, MPI_INT);
    cancel(&middle);
    cancel(&first);
    cancel(&wild);
    cancel(&last);
}

// Receives that get their messages; the last one stays uncollected although it is complete.
static void
complete_some(struct truth_comm *comm, int peer)
{
    struct post collected = post_receive(comm, peer, 87, 7, MPI_INT);
    struct post left = post_receive(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, 8, MPI_INT);
    int data[2] = {0}, done = 0;
    MPI_Barrier(truth_handle(comm));
    MPI_Send(data, 2, MPI_INT, peer, 87, truth_handle(comm));
    MPI_Send(data, 1, MPI_INT, peer, 88, truth_handle(comm));
    post_collect(&collected);
    while (!done)
        MPI_Request_get_status(left.request, &done, MPI_STATUS_IGNORE);
    truth_receive_status(left.op, "complete", peer, 88, sizeof(int));
}

static void
free_some(struct truth_comm *comm, int peer)
{
    struct post receive = post_receive(comm, peer, 89, 9, MPI_INT);
    struct post send = post_send(comm, STANDARD, peer, 90, RENDEZVOUS_BYTES, MPI_BYTE);
    MPI_Request_free(&receive.request);
    MPI_Request_free(&send.request);
    gate_open(comm, peer);
    gate_pass(comm, peer);
    truth_unexpected(comm, peer, 90, RENDEZVOUS_BYTES);
}

int
main(int argc, char **argv)
{
    MPI_Comm comms[3];
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    cancel_some(live_name(comms[0], "cancelled"), 1 - live.rank);
    complete_some(live_name(comms[1], "completed"), 1 - live.rank);
    free_some(live_name(comms[2], "freed requests"), 1 - live.rank);
    live_park();
}

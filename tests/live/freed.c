// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with freed communicators: with a receive or a send still pending they live on; without,
// they are gone, and the next communicator takes their place. That is left out with the argument
// "only", for an MPI library that confuses the two: ch4:ucx of MPICH and PML ucx of Open MPI forget
// a freed communicator at once and give its context id to the next one, with all that is pending
// there.
#include "live.h"

#include <string.h>

static struct truth_comm *
duplicate(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return live_name(comm, name);
}

static void
release(struct truth_comm *comm)
{
    MPI_Comm handle = truth_handle(comm);
    MPI_Comm_free(&handle);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int peer = 1 - live.rank;
    struct truth_comm *receiving = duplicate("freed, still receiving");
    struct truth_comm *sending = duplicate("freed, still sending");
    post_receive(receiving, peer, 131, 1, MPI_INT);
    post_send(sending, STANDARD, peer, 132, RENDEZVOUS_BYTES, MPI_BYTE);
    gate_open(sending, peer);
    gate_pass(sending, peer);
    truth_unexpected(sending, peer, 132, RENDEZVOUS_BYTES);
    release(receiving);
    release(sending);
    if (argc > 1 && strcmp(argv[1], "only") == 0)
        live_park();
    struct truth_comm *empty = duplicate("empty");
    release(empty);
    truth_forget_comm(empty);
    post_receive(duplicate("in the place of another"), MPI_ANY_SOURCE, 135, 2, MPI_INT);
    live_park();
}

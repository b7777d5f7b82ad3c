// SPDX-License-Identifier: BSD-3-Clause
// Four ranks in two halves with an intercommunicator between them: ranks there mean the other half.
#include "live.h"

static void
use_bridge(struct truth_comm *bridge, int half_rank)
{
    int partner = 1 - half_rank;
    send_unexpected(bridge, partner, 41, 12);
    post_send(bridge, STANDARD, partner, 42, RENDEZVOUS_BYTES, MPI_BYTE);
    gate_open(bridge, partner);
    gate_pass(bridge, partner);
    truth_unexpected(bridge, partner, 41, 12);
    truth_unexpected(bridge, partner, 42, RENDEZVOUS_BYTES);
    post_receive(bridge, half_rank, 43, 5, MPI_INT);
    post_receive(bridge, MPI_ANY_SOURCE, 44, 6, MPI_INT);
    post_receive(bridge, partner, 45, 7, MPI_INT);
}

int
main(int argc, char **argv)
{
    MPI_Comm half, bridge, merged;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    int low = live.rank < 2, half_rank;
    // World ranks 1, 0 are the one half and 3, 2 the other.
    MPI_Comm_split(MPI_COMM_WORLD, low, -live.rank, &half);
    MPI_Comm_rank(half, &half_rank);
    post_receive(live_name(half, low ? "low" : "high"), 1 - half_rank, 51, 1, MPI_INT);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 3 : 1, 77, &bridge);
    use_bridge(live_name(bridge, "bridge"), half_rank);
    MPI_Intercomm_merge(bridge, !low, &merged);
    post_receive(live_name(merged, "merged"), 3, 52, 1, MPI_INT);
    // The intercommunicator has a communicator of its own half inside.
    truth_hidden_comms(1);
    live_park();
}

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks that spawn two more. The intercommunicator between the jobs and the merged communicator
// have members that are not in MPI_COMM_WORLD of the process.
#include "live.h"

// Both jobs do the same on the intercommunicator: a rank means the process of the other job.
// @return a large send that nobody receives
static struct post
use_bridge(struct truth_comm *bridge, int rank)
{
    send_unexpected(bridge, rank, 201, 9);
    struct post large = post_send(bridge, STANDARD, 1 - rank, 202, RENDEZVOUS_BYTES, MPI_BYTE);
    gate_open(bridge, 0);
    gate_open(bridge, 1);
    gate_pass(bridge, 0);
    gate_pass(bridge, 1);
    truth_unexpected(bridge, rank, 201, 9);
    truth_unexpected(bridge, 1 - rank, 202, RENDEZVOUS_BYTES);
    post_receive(bridge, 1, 203, 1, MPI_INT);
    post_receive(bridge, MPI_ANY_SOURCE, 204, 2, MPI_INT);
    return large;
}

// Here each rank awaits a message from everyone.
static void
use_family(struct truth_comm *family)
{
    for (int source = 0; source < 4; source++)
        post_receive(family, source, 205, 3, MPI_INT);
    post_receive(family, MPI_ANY_SOURCE, 206, 4, MPI_INT);
}

int
main(int argc, char **argv)
{
    MPI_Comm bridge, family;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_get_parent(&bridge);
    int is_child = bridge != MPI_COMM_NULL;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &bridge,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(bridge, is_child, &family);
    struct post large =
        use_bridge(live_name(bridge, is_child ? "to the parents" : "to the children"), live.rank);
    use_family(live_name(family, "family"));
    // The intercommunicator has a communicator of its own job inside.
    truth_hidden_comms(1);
    // Over libfabric's tcp large messages do not wait for their receive.
    int done = 0;
    MPI_Request_get_status(large.request, &done, MPI_STATUS_IGNORE);
    if (done)
        truth_status(large.op, "complete");
    live_park();
}

// SPDX-License-Identifier: BSD-3-Clause
// Four ranks: one blocked in MPI_Probe, one in MPI_Mprobe, one that took a message by MPI_Improbe
// and one by MPI_Mprobe without receiving it yet. The probes stand among receives.
#include "live.h"

static void
in_probe(struct truth_comm *comm)
{
    post_receive(comm, 1, 121, 1, MPI_INT);
    post_receive(comm, MPI_ANY_SOURCE, 122, 2, MPI_INT);
    truth_probe(comm, MPI_ANY_SOURCE, 123);
    truth_write();
    MPI_Probe(MPI_ANY_SOURCE, 123, truth_handle(comm), MPI_STATUS_IGNORE);
}

static void
in_mprobe(struct truth_comm *comm)
{
    MPI_Message message;
    post_receive(comm, 0, 124, 1, MPI_INT);
    truth_probe(comm, 2, MPI_ANY_TAG);
    truth_write();
    MPI_Mprobe(2, MPI_ANY_TAG, truth_handle(comm), &message, MPI_STATUS_IGNORE);
}

// Three messages wait; the middle one is taken from the queue.
static void
after_improbe(struct truth_comm *comm)
{
    MPI_Message message;
    int found = 0;
    gate_pass(comm, 3);
    while (!found)
        MPI_Improbe(MPI_ANY_SOURCE, 126, truth_handle(comm), &found, &message, MPI_STATUS_IGNORE);
    truth_unexpected(comm, 3, 125, 10);
    truth_unexpected(comm, 3, 127, RENDEZVOUS_BYTES);
    post_receive(comm, 3, 128, 1, MPI_INT);
    truth_message(comm, MPI_ANY_SOURCE, 126, 3, 20);
    live_park();
}

static void
after_mprobe(struct truth_comm *comm)
{
    MPI_Message message;
    send_unexpected(comm, 2, 125, 10);
    send_unexpected(comm, 2, 126, 20);
    post_send(comm, STANDARD, 2, 127, RENDEZVOUS_BYTES, MPI_BYTE);
    gate_open(comm, 2);
    struct post own = post_send(comm, STANDARD, 3, 129, 30, MPI_BYTE);
    MPI_Mprobe(3, 129, truth_handle(comm), &message, MPI_STATUS_IGNORE);
    truth_message(comm, 3, 129, 3, 30);
    post_settle(&own, 1);
    live_park();
}

int
main(int argc, char **argv)
{
    static void (*const calls[])(struct truth_comm *) = {in_probe, in_mprobe, after_improbe,
                                                         after_mprobe};
    MPI_Comm comm;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    calls[live.rank](live_name(comm, "probed"));
    return 1;
}

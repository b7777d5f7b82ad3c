// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with persistent requests: never started, active, finished, started again.
#include "live.h"

// A persistent receive, its record being made when it is started.
struct persistent {
    struct truth_comm *comm;
    int source, tag, count;
    void *buffer;
    MPI_Request request;
};

static struct persistent
init_receive(struct truth_comm *comm, int source, int tag, int count)
{
    struct persistent ret = {
        comm, source, tag, count, live_buffer(count, MPI_INT), MPI_REQUEST_NULL};
    MPI_Recv_init(ret.buffer, count, MPI_INT, source, tag, truth_handle(comm), &ret.request);
    return ret;
}

static void
start_receive(struct persistent *receive)
{
    truth_persistent(truth_receive(receive->comm, receive->source, receive->tag, receive->count,
                                   MPI_INT, receive->buffer));
    MPI_Start(&receive->request);
}

// Starts it and lets it finish by a message from the other rank.
static void
use_up(struct persistent *receive, int peer)
{
    MPI_Start(&receive->request);
    MPI_Send(NULL, 0, MPI_INT, peer, receive->tag, MPI_COMM_WORLD);
    MPI_Wait(&receive->request, MPI_STATUS_IGNORE);
}

typedef int send_init(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void
start_send(struct truth_comm *comm, send_init *init, const char *kind, int dest, int tag)
{
    MPI_Request request;
    void *buffer = live_buffer(RENDEZVOUS_BYTES, MPI_BYTE);
    init(buffer, RENDEZVOUS_BYTES, MPI_BYTE, dest, tag, truth_handle(comm), &request);
    truth_persistent(truth_send(comm, kind, dest, tag, RENDEZVOUS_BYTES, MPI_BYTE, buffer));
    MPI_Start(&request);
}

static void
start_sends(struct truth_comm *comm, int peer)
{
    MPI_Request never;
    MPI_Send_init(NULL, 0, MPI_BYTE, peer, 73, truth_handle(comm), &never);
    start_send(comm, MPI_Send_init, "send", peer, 71);
    start_send(comm, MPI_Ssend_init, "ssend", peer, 72);
    gate_open(comm, peer);
    gate_pass(comm, peer);
    truth_unexpected(comm, peer, 71, RENDEZVOUS_BYTES);
    truth_unexpected(comm, peer, 72, RENDEZVOUS_BYTES);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int peer = 1 - live.rank;
    init_receive(live.world, peer, 61, 1);
    struct persistent finished = init_receive(live.world, peer, 62, 2);
    struct persistent again = init_receive(live.world, peer, 63, 3);
    struct persistent first = init_receive(live.world, MPI_ANY_SOURCE, 64, 4);
    use_up(&finished, peer);
    use_up(&finished, peer);
    use_up(&again, peer);
    start_sends(live.world, peer);
    start_receive(&first);
    post_receive(live.world, peer, 65, 5, MPI_INT);
    start_receive(&again);
    live_park();
}

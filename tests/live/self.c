// SPDX-License-Identifier: BSD-3-Clause
// One rank that sends to itself what it does not receive, and awaits what it does not send.
#include "live.h"

static const int sizes[] = {0, 100, EAGER_BYTES, RENDEZVOUS_BYTES};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void
send_all(struct truth_comm *comm)
{
    struct post posts[SIZES];
    for (int i = 0; i < SIZES; i++)
        posts[i] = post_send(comm, STANDARD, 0, 100 + i % 2, sizes[i], MPI_BYTE);
    for (int i = 0; i < SIZES; i++)
        truth_unexpected(comm, 0, 100 + i % 2, sizes[i]);
    post_settle(posts, SIZES);
}

static void
start_persistent(struct truth_comm *comm, int tag, int count)
{
    MPI_Request request;
    int *buffer = live_buffer(count, MPI_INT);
    MPI_Recv_init(buffer, count, MPI_INT, 0, tag, truth_handle(comm), &request);
    truth_persistent(truth_receive(comm, 0, tag, count, MPI_INT, buffer));
    MPI_Start(&request);
}

int
main(int argc, char **argv)
{
    MPI_Comm second, third;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 1);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &second);
    MPI_Comm_dup(second, &third);
    struct truth_comm *part = live_name(second, "part"), *waits = live_name(third, "waits");
    send_all(part);
    post_send(live.world, SYNCHRONOUS, 0, 21, 3, MPI_INT);
    truth_unexpected(live.world, 0, 21, 3 * (int) sizeof(int));
    post_receive(part, 0, 31, 4, MPI_DOUBLE);
    post_receive(part, MPI_ANY_SOURCE, 32, 1, MPI_CHAR);
    start_persistent(part, 33, 2);
    post_receive(waits, MPI_ANY_SOURCE, MPI_ANY_TAG, 5, MPI_INT);
    post_receive(waits, 0, MPI_ANY_TAG, 6, MPI_INT);
    live_park();
}

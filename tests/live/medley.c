// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with something of everything, for records of a whole process: communicators with
// permuted ranks, receives with and without wildcards, of a derived datatype, a persistent one,
// messages that were sent whole, messages that wait for their receive, messages that are over, and
// a nonblocking collective.
#include "live.h"

// Of messages without a receive, and of receives without a message.
enum { SHORT_TAG = 201, EAGER_TAG, LONG_TAG, SYNCHRONOUS_TAG };
enum { ANY_SOURCE_TAG = 211, BOTH_TAG, COLUMN_TAG, PERSISTENT_TAG, LAST_TAG };
enum { OVER_TAG = 221 };

#ifdef OPEN_MPI
// Messages that are over: what Open MPI keeps of them tells how it is to be read.
static void
finish_some(const struct live *live)
{
    enum { MESSAGES = 16 };
    int next = (live->rank + 1) % 4, previous = (live->rank + 3) % 4;
    int sent[MESSAGES] = {0}, received[MESSAGES];
    MPI_Request requests[2 * MESSAGES];
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Irecv(&received[i], 1, MPI_INT, previous, OVER_TAG + i, MPI_COMM_WORLD, &requests[i]);
        (i % 2 == 0 ? MPI_Isend : MPI_Issend)(&sent[i], 1, MPI_INT, next, OVER_TAG + i,
                                              MPI_COMM_WORLD, &requests[MESSAGES + i]);
    }
    // Last comes first, so that the next ones are again in the order of memory.
    for (int i = 2 * MESSAGES - 1; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}
#endif

// Messages to the next member that it does not receive.
static void
exchange(struct truth_comm *comm)
{
    int rank, size;
    MPI_Comm_rank(truth_handle(comm), &rank);
    MPI_Comm_size(truth_handle(comm), &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    send_unexpected(comm, next, SHORT_TAG, 8 + rank);
    send_unexpected(comm, next, EAGER_TAG, EAGER_BYTES);
    post_send(comm, STANDARD, next, LONG_TAG, RENDEZVOUS_BYTES / 8, MPI_DOUBLE);
    post_send(comm, SYNCHRONOUS, next, SYNCHRONOUS_TAG, 5, MPI_INT);
    gate_open(comm, next);
    gate_pass(comm, previous);
    truth_unexpected(comm, previous, SHORT_TAG, 8 + previous);
    truth_unexpected(comm, previous, EAGER_TAG, EAGER_BYTES);
    truth_unexpected(comm, previous, LONG_TAG, RENDEZVOUS_BYTES / 8 * 8L);
    truth_unexpected(comm, previous, SYNCHRONOUS_TAG, 5L * sizeof(int));
}

static MPI_Datatype
column_type(int rows, int columns)
{
    MPI_Datatype ret;
    MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &ret);
    MPI_Type_set_name(ret, "column");
    MPI_Type_commit(&ret);
    return ret;
}

static void
start_persistent_receive(struct truth_comm *comm, int source, int tag, int count)
{
    MPI_Request request;
    void *buffer = live_buffer(count, MPI_INT);
    MPI_Recv_init(buffer, count, MPI_INT, source, tag, truth_handle(comm), &request);
    truth_persistent(truth_receive(comm, source, tag, count, MPI_INT, buffer));
    MPI_Start(&request);
}

// Nobody sends anything that these could take.
static void
post_receives(const struct live *live, struct truth_comm *comm)
{
    int opposite = (live->rank + 2) % 4;
    post_receive(comm, MPI_ANY_SOURCE, ANY_SOURCE_TAG, 1, MPI_FLOAT);
    post_receive(comm, opposite, MPI_ANY_TAG, 2, MPI_FLOAT);
    post_receive(comm, opposite, BOTH_TAG, 3, column_type(10, 7));
    post_receive(comm, MPI_ANY_SOURCE, MPI_ANY_TAG, 4, MPI_DOUBLE_INT);
    start_persistent_receive(comm, opposite, PERSISTENT_TAG, 5);
    post_receive(live->world, opposite, COLUMN_TAG, 6, column_type(100, 3));
    start_persistent_receive(live->world, MPI_ANY_SOURCE, PERSISTENT_TAG, 7);
    post_receive(live->world, 0, LAST_TAG, 0, MPI_BYTE);
}

// The first rank stays out of it.
static void
begin_barrier(const struct live *live, MPI_Comm comm)
{
    MPI_Request request;
    struct truth_comm *team = live_name(comm, "team");
    truth_collectives_unknown(team);
    if (live->rank != 0)
        MPI_Ibarrier(comm, &request);
}

int
main(int argc, char **argv)
{
    static const int place[] = {2, 0, 3, 1};
    MPI_Comm permuted, half, team;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    MPI_Comm_split(MPI_COMM_WORLD, 0, place[live.rank], &permuted);
    MPI_Comm_split(MPI_COMM_WORLD, live.rank % 2, -live.rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &team);
#ifdef OPEN_MPI
    finish_some(&live);
#endif
    exchange(live.world);
    exchange(live_name(half, live.rank % 2 == 0 ? "even" : "odd"));
    post_receives(&live, live_name(permuted, "permuted"));
    begin_barrier(&live, team);
    live_park();
}

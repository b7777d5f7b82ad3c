// SPDX-License-Identifier: BSD-3-Clause
// Four ranks, each blocked in another call: MPI_Recv, MPI_Send, MPI_Ssend, MPI_Sendrecv.
#include "live.h"

static void
in_receive(const struct live *live)
{
    truth_unexpected(live->world, 3, 14, RENDEZVOUS_BYTES);
    block_in_receive(live->world, 1, 11, 4, MPI_INT);
}

static void
in_send(const struct live *live)
{
    void *buffer = live_buffer(RENDEZVOUS_BYTES, MPI_BYTE);
    truth_send(live->world, "send", 2, 12, RENDEZVOUS_BYTES, MPI_BYTE, buffer);
    TRUTH_CALL("MPI_Send", 2, "all", &(int){12}, 1);
    truth_write();
    MPI_Send(buffer, RENDEZVOUS_BYTES, MPI_BYTE, 2, 12, MPI_COMM_WORLD);
}

static void
in_ssend(const struct live *live)
{
    void *buffer = live_buffer(16, MPI_DOUBLE);
    truth_unexpected(live->world, 1, 12, RENDEZVOUS_BYTES);
    truth_send(live->world, "ssend", 3, 13, 16, MPI_DOUBLE, buffer);
    TRUTH_CALL("MPI_Ssend", 2, "all", &(int){13}, 1);
    truth_write();
    MPI_Ssend(buffer, 16, MPI_DOUBLE, 3, 13, MPI_COMM_WORLD);
}

static void
in_sendrecv(const struct live *live)
{
    void *out = live_buffer(RENDEZVOUS_BYTES, MPI_CHAR), *in = live_buffer(10, MPI_LONG);
    truth_unexpected(live->world, 2, 13, 16 * (long) sizeof(double));
    truth_send(live->world, "send", 0, 14, RENDEZVOUS_BYTES, MPI_CHAR, out);
    truth_receive(live->world, 2, 15, 10, MPI_LONG, in);
    TRUTH_CALL("MPI_Sendrecv", 2, "all", ((int[]){14, 15}), 2);
    truth_write();
    MPI_Sendrecv(out, RENDEZVOUS_BYTES, MPI_CHAR, 0, 14, in, 10, MPI_LONG, 2, 15, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    static void (*const calls[])(const struct live *) = {in_receive, in_send, in_ssend,
                                                         in_sendrecv};
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    calls[live.rank](&live);
    return 1;
}

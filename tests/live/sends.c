// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 has sends of every mode pending to rank 1, which receives none of them.
#include "live.h"

enum { BUFFER_BYTES = 4 << 20 };

static void
attach_buffer(void)
{
    MPI_Buffer_attach(live_buffer(BUFFER_BYTES, MPI_BYTE), BUFFER_BYTES);
}

// MPI_Bsend comes back while its message is still waiting.
static void
bsend(struct truth_comm *comm, int dest, int tag)
{
    void *buffer = live_buffer(RENDEZVOUS_BYTES, MPI_BYTE);
    truth_send(comm, "bsend", dest, tag, RENDEZVOUS_BYTES, MPI_BYTE, buffer);
    MPI_Bsend(buffer, RENDEZVOUS_BYTES, MPI_BYTE, dest, tag, truth_handle(comm));
}

static void
send_all(struct truth_comm *comm)
{
    struct post eager;
    attach_buffer();
    post_send(comm, STANDARD, 1, 111, RENDEZVOUS_BYTES / 8, MPI_DOUBLE);
    post_send(comm, SYNCHRONOUS, 1, 112, 0, MPI_BYTE);
    post_send(comm, SYNCHRONOUS, 1, 113, 5, MPI_INT);
    post_send(comm, SYNCHRONOUS, 1, 114, RENDEZVOUS_BYTES, MPI_BYTE);
    post_send(comm, BUFFERED, 1, 115, RENDEZVOUS_BYTES, MPI_BYTE);
    eager = post_send(comm, STANDARD, 1, 116, EAGER_BYTES, MPI_BYTE);
    bsend(comm, 1, 117);
    gate_open(comm, 1);
    post_settle(&eager, 1);
}

static void
expect_all(struct truth_comm *comm)
{
    static const struct {
        int tag;
        long bytes;
    } sent[] = {{111, RENDEZVOUS_BYTES / 8 * 8L}, {112, 0},
                {113, 5L * sizeof(int)},          {114, RENDEZVOUS_BYTES},
                {115, RENDEZVOUS_BYTES},          {116, EAGER_BYTES},
                {117, RENDEZVOUS_BYTES}};
    gate_pass(comm, 0);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        truth_unexpected(comm, 0, sent[i].tag, sent[i].bytes);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (live.rank == 0)
        send_all(live.world);
    else
        expect_all(live.world);
    live_park();
}

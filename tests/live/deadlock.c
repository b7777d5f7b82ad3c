// SPDX-License-Identifier: BSD-3-Clause
// Ranks that wait for each other in a cycle.
//
//   deadlock sends        two ranks: each is in MPI_Send of a message too long to be sent ahead
//   deadlock receives N   each of the first N ranks is in MPI_Recv from the next one, the last from
//                         the first; further ranks are in MPI_Recv from the first
//   deadlock large N      likewise by MPI_Recv_c, with a count of any size, where MPI has that
#include "live.h"
#include "truth_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 31 };

static int
send_to_each_other(const struct live *live)
{
    int other = 1 - live->rank;
    void *buffer = live_buffer(RENDEZVOUS_BYTES, MPI_BYTE);
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, 1));
    truth_send(live->world, "send", other, TAG, RENDEZVOUS_BYTES, MPI_BYTE, buffer);
    truth_unexpected(live->world, other, TAG, RENDEZVOUS_BYTES);
    truth_wait("MPI_Send", "all", &TRUTH_RANKS(other));
    truth_unmatched(live->world, "sends", TAG);
    truth_write();
    return MPI_Send(buffer, RENDEZVOUS_BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
}

static void
block_in_small_receive(struct truth_comm *comm, int source)
{
    block_in_receive(comm, source, TAG, 4, MPI_INT);
}

static void
block_in_large_receive(struct truth_comm *comm, int source)
{
#if MPI_VERSION >= 4
    void *buffer = live_buffer(4, MPI_INT);
    const int tag = TAG;
    truth_receive(comm, source, TAG, 4, MPI_INT, buffer);
    TRUTH_CALL("MPI_Recv", 2, "all", &tag, 1);
    truth_write();
    MPI_Recv_c(buffer, 4, MPI_INT, source, TAG, truth_handle(comm), MPI_STATUS_IGNORE);
#else
    block_in_small_receive(comm, source);
#endif
}

static int
receive_in_a_cycle(const struct live *live, int length, void (*block)(struct truth_comm *, int))
{
    const struct truth_ranks cycle = truth_range(0, length - 1);
    int source = live->rank < length - 1 ? live->rank + 1 : 0;
    truth_verdict("deadlock");
    truth_cycle(&cycle);
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(source));
    truth_unmatched(live->world, "receives", TAG);
    block(live->world, source);
    return MPI_ERR_OTHER;
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 0);
    if (argc == 2 && strcmp(argv[1], "sends") == 0 && live.size == 2)
        return send_to_each_other(&live);
    if (argc == 3 && strcmp(argv[1], "receives") == 0 && atoi(argv[2]) <= live.size)
        return receive_in_a_cycle(&live, atoi(argv[2]), block_in_small_receive);
    if (argc == 3 && strcmp(argv[1], "large") == 0 && atoi(argv[2]) <= live.size)
        return receive_in_a_cycle(&live, atoi(argv[2]), block_in_large_receive);
    fprintf(stderr, "deadlock: no such case with %d ranks\n", live.size);
    return 1;
}

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with a ready send, which needs a receive that is there already: the message is matched
// and not through. Run it with a transport that wants the sender's help (no single copy).
#include "live.h"

enum { TAG = 161, OTHER_TAG = 162 };

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    if (live.rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        post_send(live.world, READY, 1, TAG, RENDEZVOUS_BYTES, MPI_BYTE);
        gate_open(live.world, 1);
        live_park();
    }
    post_receive(live.world, 0, OTHER_TAG, 3, MPI_INT);
    struct post ready = post_receive(live.world, 0, TAG, RENDEZVOUS_BYTES, MPI_BYTE);
    MPI_Barrier(MPI_COMM_WORLD);
    gate_pass(live.world, 0);
    truth_receive_status(ready.op, "matched", 0, TAG, RENDEZVOUS_BYTES);
    live_park();
}

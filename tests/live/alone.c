// SPDX-License-Identifier: BSD-3-Clause
// One rank that awaits messages from itself.
#include "live.h"

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 1);
    post_receive(live.world, 0, 211, 1, MPI_INT);
    post_receive(live.self, MPI_ANY_SOURCE, 212, 2, MPI_INT);
    live_park();
}

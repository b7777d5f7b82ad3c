// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with communicators that share names, have none, or have one on some ranks only. Each
// has a pending receive with a tag that no other communicator has, by which the tests know it.
#include "live.h"

#include <string.h>

enum { HALVES = 10 }; // the tags of the halves' communicators end with 0 and 1

// A communicator that nobody names, or only one rank does.
static void
use(MPI_Comm comm, int tag)
{
    post_receive(truth_comm(comm), 0, tag, 1, MPI_INT);
}

static void
use_named(MPI_Comm comm, const char *name, int tag)
{
    post_receive(live_name(comm, name), 0, tag, 1, MPI_INT);
}

static MPI_Comm
copy(MPI_Comm comm)
{
    MPI_Comm ret;
    MPI_Comm_dup(comm, &ret);
    return ret;
}

static void
use_world(const struct live *live)
{
    static const int sides[] = {2, 2}, periods[] = {0, 0};
    MPI_Comm comm;
    use(copy(MPI_COMM_WORLD), 100);
    use_named(copy(MPI_COMM_WORLD), "ring", 101);
    use_named(copy(MPI_COMM_WORLD), "ring", 102);
    comm = copy(MPI_COMM_WORLD);
    if (live->rank == 1)
        MPI_Comm_set_name(comm, "of one rank");
    use(comm, 103);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &comm);
    use(comm, 104);
}

static void
use_halves(const struct live *live)
{
    int odd = live->rank % 2;
    MPI_Comm half, whole = copy(MPI_COMM_WORLD), comm;
    use_named(whole, "whole", 105);
    MPI_Comm_split(MPI_COMM_WORLD, odd, -live->rank, &half);
    use(half, 20 * HALVES + odd);
    use(copy(half), 21 * HALVES + odd);
    use_named(copy(half), "solver", 22 * HALVES + odd);
    MPI_Comm_split(whole, odd, 0, &comm);
    use(comm, 23 * HALVES + odd);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, odd ? 2 : 3, 77, &comm);
    use(comm, 106);
    truth_hidden_comms(1);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    use_world(&live);
    use_halves(&live);
    live_park();
}

// SPDX-License-Identifier: BSD-3-Clause
// Four ranks of which not all are in the collective operation on "solver" that others wait in.
//
//   members computing   the last one computes
//   members receiving   the last one is in MPI_Recv from the first
//   members elsewhere   the last two are in another collective operation
#include "live.h"
#include "truth_verdict.h"

#include <string.h>

enum { RANKS = 4, LAST = RANKS - 1, TAG = 51 };

static void
wait_in_barrier(struct truth_comm *solver, const struct truth_ranks *in,
                const struct truth_ranks *missing, const char *instead)
{
    truth_collective(solver, "barrier");
    truth_wait("MPI_Barrier", "all", missing);
    truth_incomplete(solver, "barrier", in, missing, instead);
    truth_write();
    MPI_Barrier(truth_handle(solver));
}

static void
wait_in_allreduce(struct truth_comm *solver)
{
    int in = 1, out;
    truth_collective(solver, "allreduce");
    truth_wait("MPI_Allreduce", "all", &TRUTH_RANKS(0, 1));
    truth_incomplete(solver, "allreduce", &TRUTH_RANKS(2, 3), &TRUTH_RANKS(0, 1), "barrier");
    truth_write();
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, truth_handle(solver));
}

static void
compute_in_the_last(const struct live *live, struct truth_comm *solver)
{
    truth_verdict("no deadlock seen");
    if (live->rank < LAST)
        wait_in_barrier(solver, &TRUTH_RANKS(0, 1, 2), &TRUTH_RANKS(LAST), NULL);
    truth_write();
    live_compute();
}

static void
receive_in_the_last(const struct live *live, struct truth_comm *solver)
{
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, LAST));
    if (live->rank < LAST)
        wait_in_barrier(solver, &TRUTH_RANKS(0, 1, 2), &TRUTH_RANKS(LAST), NULL);
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(0));
    truth_unmatched(live->world, "receives", TAG);
    block_in_receive(live->world, 0, TAG, 1, MPI_INT);
}

static void
part(const struct live *live, struct truth_comm *solver)
{
    truth_verdict("deadlock");
    truth_cycles_unknown();
    if (live->rank < 2)
        wait_in_barrier(solver, &TRUTH_RANKS(0, 1), &TRUTH_RANKS(2, 3), "allreduce");
    else
        wait_in_allreduce(solver);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*hang)(const struct live *, struct truth_comm *);
    } cases[] = {{"computing", compute_in_the_last},
                 {"receiving", receive_in_the_last},
                 {"elsewhere", part}};
    MPI_Comm copy;
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, RANKS);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    struct truth_comm *solver = live_name(copy, "solver");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].hang(&live, solver);
    }
    return 1;
}

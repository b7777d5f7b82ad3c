// SPDX-License-Identifier: BSD-3-Clause
// Four ranks of which some or all are in a collective operation on "solver" that does not end.
//
//   members computing   the last one computes
//   members receiving   the last one is in MPI_Recv from the first
//   members elsewhere   the last two are in another collective operation
//   members apart       the last one is in MPI_Recv from the first, which like the others is in
//                       MPI_Wait for a nonblocking barrier
//   members rootless    all are in one broadcast, and each takes the next one for its root
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

static void
stay_apart(const struct live *live, struct truth_comm *solver)
{
    MPI_Request request;
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, LAST));
    if (live->rank == LAST) {
        truth_wait("MPI_Recv", "all", &TRUTH_RANKS(0));
        truth_unmatched(live->world, "receives", TAG);
        block_in_receive(live->world, 0, TAG, 1, MPI_INT);
    }
    truth_wait("MPI_Wait", "all", &TRUTH_RANKS(LAST));
    truth_write();
    MPI_Ibarrier(truth_handle(solver), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Each waits for the message of another one, which waits as well: for whom, MPI's algorithm
// decides.
static void
name_no_root(const struct live *live, struct truth_comm *solver)
{
    int value = 0;
    truth_verdict("deadlock");
    truth_cycles_unknown();
    truth_collective(solver, "bcast");
    truth_write();
    MPI_Bcast(&value, 1, MPI_INT, (live->rank + 1) % RANKS, truth_handle(solver));
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*hang)(const struct live *, struct truth_comm *);
    } cases[] = {{"computing", compute_in_the_last},
                 {"receiving", receive_in_the_last},
                 {"elsewhere", part},
                 {"apart", stay_apart},
                 {"rootless", name_no_root}};
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

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks under MPI_THREAD_MULTIPLE with a parallel region in a parallel region.
//
// The first thread of the outer team is in MPI_Recv within a task in a task in a critical
// construct; the second one and another one make the inner team, of which one is in MPI_Recv too
// and the other waits for the critical construct.
#include "live.h"

#include <omp.h>

enum { TEAM = 2 };
enum { OUTER, INNER_FIRST, INNER_SECOND }; // the order in which they block

struct rank {
    struct truth_comm *world;
    int other;
};

static void
record(const struct truth_place *place, bool is_last)
{
    truth_openmp_thread(place, place->critical == NULL ? "work_parallel" : NULL);
    if (is_last)
        truth_write();
    live_end_turn();
}

static void
receive(const struct rank *rank, int turn, const struct truth_place *place)
{
    char *buffer = live_buffer(1, MPI_BYTE);
    truth_receive(rank->world, rank->other, turn, 1, MPI_BYTE, buffer);
    record(place, false);
    MPI_Recv(buffer, 1, MPI_BYTE, rank->other, turn, truth_handle(rank->world), MPI_STATUS_IGNORE);
}

static void
receive_in_tasks(const struct rank *rank, const struct truth_directive *team)
{
    const struct truth_directive outer = TRUTH_DIRECTIVE(NULL);
#pragma omp task if (0)
    {
        const struct truth_directive inner = TRUTH_DIRECTIVE(&outer);
#pragma omp task if (0)
        receive(rank, OUTER, &(struct truth_place){.region = team, .task = &inner});
    }
}

static void
enter_treasury(const struct rank *rank, const struct truth_directive *team)
{
#pragma omp critical(treasure)
    {
        live_await_turn(OUTER);
        receive_in_tasks(rank, team);
    }
}

static void
work_inside(const struct rank *rank, const struct truth_directive *team)
{
    if (omp_get_thread_num() == 0) {
        live_await_turn(INNER_FIRST);
        receive(rank, INNER_FIRST, &(struct truth_place){.region = team});
    } else {
        live_await_turn(INNER_SECOND);
        record(&(struct truth_place){.region = team, .critical = "treasure"}, true);
#pragma omp critical(treasure)
        live_end_turn();
    }
}

static void
start_inside(const struct rank *rank, const struct truth_directive *around)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(around);
#pragma omp parallel num_threads(TEAM)
    work_inside(rank, &team);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    const struct rank rank = {live.world, 1 - live.rank};
    omp_set_max_active_levels(2);
#if !defined __clang__ && _OPENMP < 201811
    omp_set_nested(1); // before OpenMP 5.0 the number of levels is not enough
#endif
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    if (omp_get_thread_num() == 0)
        enter_treasury(&rank, &team);
    else
        start_inside(&rank, &team);
    return 1;
}

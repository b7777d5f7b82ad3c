// SPDX-License-Identifier: BSD-3-Clause
// Ranks of MPI and OpenMP in which a message and the threads of a rank wait for each other.
//
//   locked critical    Two ranks. In each, one thread of a team of two is in MPI_Recv within a
//                      critical construct, and the other one waits for that construct, behind which
//                      it would send what the other rank receives.
//   locked unnamed     The same with a construct that has no name.
//   locked barrier     Two ranks. In each, one thread of a team of three is in MPI_Recv, and the
//                      others are in a barrier of the parallel region; one would send behind it.
//   locked computing   The same, but the second rank computes.
#include "live.h"
#include "truth_verdict.h"

#include <omp.h>
#include <string.h>

enum { PAIR = 2, TEAM = 3, RECEIVER = 1, TAG = 71 };

static void
receive(const struct live *live, bool is_last)
{
    int other = 1 - live->rank;
    void *buffer = live_buffer(1, MPI_INT);
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(other));
    truth_receive(live->world, other, TAG, 1, MPI_INT, buffer);
    truth_unmatched(live->world, "receives", TAG);
    if (is_last)
        truth_write();
    live_end_turn();
    MPI_Recv(buffer, 1, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
send(const struct live *live)
{
    MPI_Send(&(int){0}, 1, MPI_INT, 1 - live->rank, TAG, MPI_COMM_WORLD);
}

static void
receive_inside(const struct live *live, const struct truth_directive *team)
{
    live_await_turn(0);
    truth_openmp_thread(&(struct truth_place){.region = team}, "work_parallel");
    receive(live, false);
}

static void
announce_second(const struct truth_directive *team, const char *critical, const char *function)
{
    live_await_turn(1);
    truth_openmp_thread(&(struct truth_place){.region = team, .critical = critical}, NULL);
    truth_wait_inside(critical, function);
    truth_write();
}

static void
send_second(const struct live *live, const struct truth_directive *team)
{
    announce_second(team, "account", __func__);
#pragma omp critical(account)
    send(live);
}

static void
send_second_unnamed(const struct live *live, const struct truth_directive *team)
{
    announce_second(team, "", __func__);
#pragma omp critical
    send(live);
}

static void
share_a_critical(const struct live *live)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(PAIR)
    if (omp_get_thread_num() == 0) {
#pragma omp critical(account)
        receive_inside(live, &team);
    } else {
        send_second(live, &team);
    }
}

static void
share_an_unnamed_critical(const struct live *live)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(PAIR)
    if (omp_get_thread_num() == 0) {
#pragma omp critical
        receive_inside(live, &team);
    } else {
        send_second_unnamed(live, &team);
    }
}

static void
work_around_a_barrier(const struct live *live, const struct truth_directive *team)
{
    // Which of them writes the record is the same to all.
    int turn = omp_get_thread_num() == RECEIVER ? TEAM - 1 : omp_get_thread_num() / 2;
    live_await_turn(turn);
    truth_openmp_thread(&(struct truth_place){.region = team},
                        turn == TEAM - 1 ? "work_parallel" : NULL);
    if (turn == TEAM - 1) {
        receive(live, true);
    } else {
        truth_wait_inside(NULL, __func__);
        live_end_turn();
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0)
        send(live);
}

static void
share_a_barrier(const struct live *live)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    work_around_a_barrier(live, &team);
}

static void
deadlock(const struct live *live, void (*share)(const struct live *))
{
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, 1));
    share(live);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "critical") == 0)
        deadlock(&live, share_a_critical);
    if (strcmp(name, "unnamed") == 0)
        deadlock(&live, share_an_unnamed_critical);
    if (strcmp(name, "barrier") == 0)
        deadlock(&live, share_a_barrier);
    if (strcmp(name, "computing") == 0) {
        truth_verdict("no deadlock seen");
        if (live.rank == 0)
            share_a_barrier(&live);
        truth_write();
        live_compute();
    }
    return 1;
}

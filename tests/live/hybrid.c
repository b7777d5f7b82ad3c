// SPDX-License-Identifier: BSD-3-Clause
// The demonstration: four ranks of MPI and OpenMP that wait for each other in a ring, for ever.
//
// Each rank has posted receives that nobody sends to, and has sent a short message that the next
// one of the ring has not asked for. Then a team of three threads starts: one waits for a message
// from the previous rank that nobody sends, one sends a long message that the next rank does not
// receive, and the third waits for both at the end of the parallel region.
#include "live.h"

#include <omp.h>

enum { TEAM = 3, RECEIVER = 1, SENDER = 2 };
enum { SHORT_TAG = 7, LONG_TAG = 9, LOST_TAG = 42, EARLY_TAG = 50, LONG_COUNT = 8192 };

static struct truth_comm *
make_ring(int rank)
{
    static const int place[] = {2, 0, 3, 1};
    MPI_Comm ring;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place[rank], &ring);
    return live_name(ring, "ring");
}

static void
post_ahead(struct truth_comm *ring, int next, int previous)
{
    send_unexpected(ring, next, SHORT_TAG, EAGER_BYTES);
    gate_open(ring, next);
    gate_pass(ring, previous);
    truth_unexpected(ring, previous, SHORT_TAG, EAGER_BYTES);
    post_receive(ring, previous, EARLY_TAG, 100, MPI_INT);
    post_receive(ring, MPI_ANY_SOURCE, EARLY_TAG + 1, 10, MPI_DOUBLE);
    post_receive(ring, next, EARLY_TAG + 2, 1, MPI_CHAR);
}

static void
send_long(struct truth_comm *ring, int next, int previous)
{
    void *buffer = live_buffer(LONG_COUNT, MPI_DOUBLE);
    live_await_turn(0);
    truth_send(ring, "send", next, LONG_TAG, LONG_COUNT, MPI_DOUBLE, buffer);
    truth_unexpected(ring, previous, LONG_TAG, LONG_COUNT * (long) sizeof(double));
    TRUTH_CALL("MPI_Send", 2, "all", &(int){LONG_TAG}, 1);
    live_end_turn();
    MPI_Send(buffer, LONG_COUNT, MPI_DOUBLE, next, LONG_TAG, truth_handle(ring));
}

static void
work(struct truth_comm *ring, int next, int previous)
{
    const struct truth_directive team = TRUTH_DIRECTIVE(NULL);
#pragma omp parallel num_threads(TEAM)
    {
        // The first thread is on its way to the end of the region.
        truth_openmp_thread(&(struct truth_place){.region = &team},
                            omp_get_thread_num() == 0 ? NULL : "work_parallel");
#pragma omp barrier
        if (omp_get_thread_num() == SENDER)
            send_long(ring, next, previous);
        if (omp_get_thread_num() == RECEIVER) {
            live_await_turn(1);
            block_in_receive(ring, previous, LOST_TAG, 1, MPI_INT);
        }
    }
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 4);
    struct truth_comm *ring = make_ring(live.rank);
    int rank, size;
    MPI_Comm_rank(truth_handle(ring), &rank);
    MPI_Comm_size(truth_handle(ring), &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    post_ahead(ring, next, previous);
    work(ring, next, previous);
    return 1;
}

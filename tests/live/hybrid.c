// SPDX-License-Identifier: BSD-3-Clause
// The demonstration: four ranks of MPI and OpenMP that wait for each other in a ring, for ever.
//
// Each rank has sent two messages to the next one of the ring, which has not asked for them yet: a
// short one that has arrived, and a long one that waits for its receive. Then a team of three
// threads starts; one of them waits for a message from the previous rank that nobody sends, the
// others for the end of the parallel region.
#include "live.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 3, TALKER = 1, SHORT_TAG = 7, LONG_TAG = 9, LOST_TAG = 42, LONG_COUNT = 8192 };

static struct truth_comm *
make_ring(int rank)
{
    static const int place[] = {2, 0, 3, 1};
    MPI_Comm ring;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place[rank], &ring);
    return live_name(ring, "ring");
}

static void
send_ahead(struct truth_comm *ring, int next, int previous)
{
    send_unexpected(ring, next, SHORT_TAG, EAGER_BYTES);
    post_send(ring, STANDARD, next, LONG_TAG, LONG_COUNT, MPI_DOUBLE);
    gate_open(ring, next);
    gate_pass(ring, previous);
    truth_unexpected(ring, previous, SHORT_TAG, EAGER_BYTES);
    truth_unexpected(ring, previous, LONG_TAG, LONG_COUNT * (long) sizeof(double));
}

// What an OpenMP debugger is to see. Without OMP_DEBUG=enabled the runtime keeps no states.
static void
record_thread(void)
{
    const char *debug = getenv("OMP_DEBUG");
    int tracked = debug != NULL && strcmp(debug, "enabled") == 0;
    truth_openmp_thread(tracked && omp_get_thread_num() == TALKER ? "work_parallel" : NULL);
}

static void
work(struct truth_comm *ring, int previous)
{
#pragma omp parallel num_threads(TEAM)
    {
        record_thread();
#pragma omp barrier
        if (omp_get_thread_num() == TALKER)
            block_in_receive(ring, previous, LOST_TAG, 1, MPI_INT);
    }
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SERIALIZED, 4);
    struct truth_comm *ring = make_ring(live.rank);
    int rank, size;
    MPI_Comm_rank(truth_handle(ring), &rank);
    MPI_Comm_size(truth_handle(ring), &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    send_ahead(ring, next, previous);
    work(ring, previous);
    return 1;
}

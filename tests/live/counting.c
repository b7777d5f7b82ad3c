// SPDX-License-Identifier: BSD-3-Clause
// A job that works in all threads: the first thread of each rank sends a message around a ring, the
// others take turns in a critical construct. Each counts how often in a file of its rank.
#include "live.h"

#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TEAM = 3, TAG = 17, RESTLESS = 8, PAUSE_NS = 1000000 };

static atomic_ulong *
make_counters(int rank)
{
    const char *folder = getenv("MQS_TRUTH_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.counts", folder != NULL ? folder : ".", rank);
    size_t size = TEAM * sizeof(atomic_ulong);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t) size) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void
rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

// It rests while it waits, but for one time of some.
static void
send_around(const struct live *live, bool rests)
{
    int next = (live->rank + 1) % live->size, previous = (live->rank + live->size - 1) % live->size;
    int out = live->rank, in, done = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&in, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, TAG, MPI_COMM_WORLD, &requests[1]);
    while (rests && !done) {
        MPI_Testall(2, requests, &done, statuses);
        rest();
    }
    MPI_Waitall(2, requests, statuses);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SERIALIZED, 0);
    atomic_ulong *counters = make_counters(live.rank);
#pragma omp parallel num_threads(TEAM)
    for (int thread = omp_get_thread_num();;) {
        if (thread == 0) {
            send_around(&live, atomic_load(&counters[0]) % RESTLESS != 0);
        } else {
#pragma omp critical(turn)
            rest();
        }
        atomic_fetch_add(&counters[thread], 1);
        rest();
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// A job that works: messages flow all the time, around a ring, from all to all, blocking and not,
// to named and to any receivers, short ones and long ones, and between collective operations.
#include "live.h"
#include "truth_verdict.h"

enum { TAG = 81, MANY = 8 };

struct job {
    int rank, size, next, previous;
    char *out, *in; // RENDEZVOUS_BYTES for each rank and each of MANY
};

// One sends first, so that the ring goes on however long the messages are.
static void
go_around(const struct job *job, int bytes)
{
    if (job->rank == 0)
        MPI_Send(job->out, bytes, MPI_BYTE, job->next, TAG, MPI_COMM_WORLD);
    MPI_Recv(job->in, bytes, MPI_BYTE, job->previous, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (job->rank != 0)
        MPI_Send(job->out, bytes, MPI_BYTE, job->next, TAG, MPI_COMM_WORLD);
}

static void
shift(const struct job *job, int bytes)
{
    MPI_Sendrecv(job->out, bytes, MPI_BYTE, job->next, TAG, job->in, bytes, MPI_BYTE, job->previous,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
exchange(const struct job *job, int bytes)
{
    MPI_Request requests[2 * MANY];
    MPI_Status statuses[MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(job->in + i * RENDEZVOUS_BYTES, bytes, MPI_BYTE, job->previous, TAG + i,
                  MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Isend(job->out + i * RENDEZVOUS_BYTES, bytes, MPI_BYTE, job->next, TAG + i,
                  MPI_COMM_WORLD, &requests[MANY + i]);
    for (int i = 0, index; i < MANY; i++)
        MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(MANY, requests + MANY, statuses);
}

// The first one asks whoever has something to tell, and answers.
static void
serve(const struct job *job, int bytes)
{
    MPI_Status status;
    for (int i = 1; i < job->size && job->rank == 0; i++) {
        MPI_Recv(job->in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Send(job->out, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD);
    }
    if (job->rank != 0) {
        MPI_Send(job->out, bytes, MPI_BYTE, 0, job->rank, MPI_COMM_WORLD);
        MPI_Recv(job->in, bytes, MPI_BYTE, 0, job->rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    // The next round's messages must not be taken for this one's.
    MPI_Barrier(MPI_COMM_WORLD);
}

static void
give_all(const struct job *job, int bytes)
{
    MPI_Alltoall(job->out, bytes, MPI_BYTE, job->in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void
gather_all(const struct job *job, int bytes)
{
    (void) bytes;
    int sum;
    MPI_Allreduce(&job->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(job->out, 100, MPI_BYTE, sum % job->size, MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    static void (*const moves[])(const struct job *, int) = {go_around, shift,    exchange,
                                                             serve,     give_all, gather_all};
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 0);
    int room = RENDEZVOUS_BYTES * (live.size > MANY ? live.size : MANY);
    struct job job = {live.rank,
                      live.size,
                      (live.rank + 1) % live.size,
                      (live.rank + live.size - 1) % live.size,
                      live_buffer(room, MPI_BYTE),
                      live_buffer(room, MPI_BYTE)};
    truth_verdict("");
    truth_write();
    for (;;) {
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
            moves[i](&job, EAGER_BYTES);
            moves[i](&job, RENDEZVOUS_BYTES);
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// What the statements of a script do: one function for each, so that each has call sites of its
// own.
#include "statements.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

enum { MUTEXES = 4, KEPT = 512 };

MPI_Comm statement_comms[COMMS];

static pthread_mutex_t mutexes[MUTEXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                           PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int waiting_pipe[2], lock_file;
static _Thread_local void *kept[KEPT]; // of the thread's statements
static _Thread_local int n_kept;

// Of one operation; nobody gets it twice, but for rounds of "again".
void *
statement_buffer(int bytes)
{
    void *ret = calloc(1, bytes > 0 ? (size_t) bytes : 1);
    if (ret == NULL)
        abort();
    if (n_kept < KEPT)
        kept[n_kept++] = ret;
    return ret;
}

static void *
buffer(int bytes)
{
    return statement_buffer(bytes);
}

static int
source(int number)
{
    return number == -1 ? MPI_ANY_SOURCE : number == -2 ? MPI_PROC_NULL : number;
}

static int
tag(int number)
{
    return number == -1 ? MPI_ANY_TAG : number;
}

int
statement_size(int comm)
{
    int ret;
    MPI_Comm_size(statement_comms[comm], &ret);
    return ret;
}

// Sends: comm, destination, tag, bytes. Those that do not block have the slot of the request first.
#define SEND(NAME, CALL)                                                               \
    static void NAME(struct actor *actor, const int *a)                                \
    {                                                                                  \
        (void) actor;                                                                  \
        CALL(buffer(a[3]), a[3], MPI_BYTE, source(a[1]), a[2], statement_comms[a[0]]); \
    }
#define ISEND(NAME, CALL)                                                             \
    static void NAME(struct actor *actor, const int *a)                               \
    {                                                                                 \
        CALL(buffer(a[4]), a[4], MPI_BYTE, source(a[2]), a[3], statement_comms[a[1]], \
             &actor->requests[a[0]]);                                                 \
    }
SEND(do_send, MPI_Send)
SEND(do_ssend, MPI_Ssend)
SEND(do_bsend, MPI_Bsend)
SEND(do_rsend, MPI_Rsend)
ISEND(do_isend, MPI_Isend)
ISEND(do_issend, MPI_Issend)
ISEND(do_ibsend, MPI_Ibsend)
ISEND(do_irsend, MPI_Irsend)
ISEND(do_send_init, MPI_Send_init)
ISEND(do_ssend_init, MPI_Ssend_init)

// Receives: comm, source, tag, bytes, likewise.
static void
do_recv(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Recv(buffer(a[3]), a[3], MPI_BYTE, source(a[1]), tag(a[2]), statement_comms[a[0]],
             MPI_STATUS_IGNORE);
}

static void
do_irecv(struct actor *actor, const int *a)
{
    MPI_Irecv(buffer(a[4]), a[4], MPI_BYTE, source(a[2]), tag(a[3]), statement_comms[a[1]],
              &actor->requests[a[0]]);
}

static void
do_recv_init(struct actor *actor, const int *a)
{
    MPI_Recv_init(buffer(a[4]), a[4], MPI_BYTE, source(a[2]), tag(a[3]), statement_comms[a[1]],
                  &actor->requests[a[0]]);
}

static void
do_start(struct actor *actor, const int *a)
{
    MPI_Start(&actor->requests[a[0]]);
}

// comm, destination, tag, bytes, source, tag, bytes
static void
do_sendrecv(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Sendrecv(buffer(a[3]), a[3], MPI_BYTE, source(a[1]), a[2], buffer(a[6]), a[6], MPI_BYTE,
                 source(a[4]), tag(a[5]), statement_comms[a[0]], MPI_STATUS_IGNORE);
}

static void
do_sendrecv_replace(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Sendrecv_replace(buffer(a[6]), a[3], MPI_BYTE, source(a[1]), a[2], source(a[4]), tag(a[5]),
                         statement_comms[a[0]], MPI_STATUS_IGNORE);
}

// Waits: number of slots, slots. The requests that are complete become MPI_REQUEST_NULL.
static int
pick(struct actor *actor, const int *a, MPI_Request *ret)
{
    for (int i = 0; i < a[0]; i++)
        ret[i] = actor->requests[a[1 + i]];
    return a[0];
}

static void
put_back(struct actor *actor, const int *a, const MPI_Request *requests)
{
    for (int i = 0; i < a[0]; i++)
        actor->requests[a[1 + i]] = requests[i];
}

static void
do_wait(struct actor *actor, const int *a)
{
    MPI_Wait(&actor->requests[a[0]], MPI_STATUS_IGNORE);
}

static void
do_waitall(struct actor *actor, const int *a)
{
    MPI_Request requests[SLOTS];
    MPI_Status statuses[SLOTS];
    int count = pick(actor, a, requests);
    MPI_Waitall(count, requests, statuses);
    put_back(actor, a, requests);
}

static void
do_waitany(struct actor *actor, const int *a)
{
    MPI_Request requests[SLOTS];
    int count = pick(actor, a, requests), index;
    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    put_back(actor, a, requests);
}

static void
do_waitsome(struct actor *actor, const int *a)
{
    MPI_Request requests[SLOTS];
    MPI_Status statuses[SLOTS];
    int count = pick(actor, a, requests), done, indices[SLOTS];
    MPI_Waitsome(count, requests, &done, indices, statuses);
    put_back(actor, a, requests);
}

static void
another_round(struct actor *actor)
{
    atomic_fetch_add(&actor->progress->rounds, 1);
}

static void
do_test(struct actor *actor, const int *a)
{
    for (int flag = 0; !flag; another_round(actor))
        MPI_Test(&actor->requests[a[0]], &flag, MPI_STATUS_IGNORE);
}

static void
do_testall(struct actor *actor, const int *a)
{
    MPI_Request requests[SLOTS];
    MPI_Status statuses[SLOTS];
    int count = pick(actor, a, requests);
    for (int flag = 0; !flag; another_round(actor))
        MPI_Testall(count, requests, &flag, statuses);
    put_back(actor, a, requests);
}

// Probes: comm, source, tag.
static void
do_probe(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Probe(source(a[1]), tag(a[2]), statement_comms[a[0]], MPI_STATUS_IGNORE);
}

static void
do_iprobe(struct actor *actor, const int *a)
{
    for (int flag = 0; !flag; another_round(actor))
        MPI_Iprobe(source(a[1]), tag(a[2]), statement_comms[a[0]], &flag, MPI_STATUS_IGNORE);
}

// and bytes: the message that it finds is received at once.
static void
do_mprobe(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Message message;
    MPI_Mprobe(source(a[1]), tag(a[2]), statement_comms[a[0]], &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer(a[3]), a[3], MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

// Collectives: comm, number of bytes (of integers for those that add); and the root before that.
static void
do_barrier(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Barrier(statement_comms[a[0]]);
}

static void
do_allreduce(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Allreduce(buffer(4 * a[1]), buffer(4 * a[1]), a[1], MPI_INT, MPI_SUM,
                  statement_comms[a[0]]);
}

static void
do_allgather(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Allgather(buffer(a[1]), a[1], MPI_BYTE, buffer(a[1] * statement_size(a[0])), a[1], MPI_BYTE,
                  statement_comms[a[0]]);
}

static void
do_alltoall(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Alltoall(buffer(a[1] * statement_size(a[0])), a[1], MPI_BYTE,
                 buffer(a[1] * statement_size(a[0])), a[1], MPI_BYTE, statement_comms[a[0]]);
}

static void
do_reduce_scatter(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Reduce_scatter_block(buffer(4 * a[1] * statement_size(a[0])), buffer(4 * a[1]), a[1],
                             MPI_INT, MPI_SUM, statement_comms[a[0]]);
}

static void
do_scan(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Scan(buffer(4 * a[1]), buffer(4 * a[1]), a[1], MPI_INT, MPI_SUM, statement_comms[a[0]]);
}

static void
do_bcast(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Bcast(buffer(a[2]), a[2], MPI_BYTE, a[1], statement_comms[a[0]]);
}

static void
do_reduce(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Reduce(buffer(4 * a[2]), buffer(4 * a[2]), a[2], MPI_INT, MPI_SUM, a[1],
               statement_comms[a[0]]);
}

static void
do_gather(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Gather(buffer(a[2]), a[2], MPI_BYTE, buffer(a[2] * statement_size(a[0])), a[2], MPI_BYTE,
               a[1], statement_comms[a[0]]);
}

static void
do_scatter(struct actor *actor, const int *a)
{
    (void) actor;
    MPI_Scatter(buffer(a[2] * statement_size(a[0])), a[2], MPI_BYTE, buffer(a[2]), a[2], MPI_BYTE,
                a[1], statement_comms[a[0]]);
}

// Slot, comm.
static void
do_ibarrier(struct actor *actor, const int *a)
{
    MPI_Ibarrier(statement_comms[a[1]], &actor->requests[a[0]]);
}

// What leaves MPI.
static void
do_compute(struct actor *actor, const int *a)
{
    (void) actor;
    struct timeval start, now;
    gettimeofday(&start, NULL);
    do
        gettimeofday(&now, NULL);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_usec - start.tv_usec) / 1000 < a[0]);
}

// Milliseconds.
static void
do_nap(struct actor *actor, const int *a)
{
    (void) actor;
    usleep((useconds_t) a[0] * 1000);
}

static void
do_spin(struct actor *actor, const int *a)
{
    (void) a;
    for (;;)
        another_round(actor);
}

static void
do_sleep(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
    for (;;)
        sleep(1000);
}

static void
do_stop(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
    usleep(300000); // the other thread is to come to where it blocks
    raise(SIGSTOP);
    do_sleep(actor, a);
}

// The launchers let the others live after different ends.
static void
do_die(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
#ifdef OPEN_MPI
    raise(SIGKILL);
#else
    _exit(0);
#endif
}

// The driver holds the lock.
static void
do_flock(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
    flock(lock_file, LOCK_EX);
}

static void
do_pipe(struct actor *actor, const int *a)
{
    char byte;
    (void) actor;
    (void) a;
    if (read(waiting_pipe[0], &byte, 1) != 1)
        abort();
}

static void
do_lock(struct actor *actor, const int *a)
{
    (void) actor;
    pthread_mutex_lock(&mutexes[a[0]]);
}

static void
do_unlock(struct actor *actor, const int *a)
{
    (void) actor;
    pthread_mutex_unlock(&mutexes[a[0]]);
}

// Work that never ends: comm, bytes, milliseconds outside of MPI in each round.
static void
pause_round(struct actor *actor, const int *a)
{
    another_round(actor);
    if (a[2] > 0)
        usleep((useconds_t) a[2] * 1000);
}

static void
do_work_ring(struct actor *actor, const int *a)
{
    int size = statement_size(a[0]), own;
    void *in = buffer(a[1]), *out = buffer(a[1]);
    MPI_Comm_rank(statement_comms[a[0]], &own);
    for (;; pause_round(actor, a)) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(in, a[1], MPI_BYTE, (own + size - 1) % size, 77, statement_comms[a[0]],
                  &requests[0]);
        MPI_Isend(out, a[1], MPI_BYTE, (own + 1) % size, 77, statement_comms[a[0]], &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
}

static void
do_work_reduce(struct actor *actor, const int *a)
{
    void *in = buffer(a[1]), *out = buffer(a[1]);
    for (;; pause_round(actor, a))
        MPI_Allreduce(in, out, a[1] / 4, MPI_INT, MPI_SUM, statement_comms[a[0]]);
}

// All to rank 0, which answers.
static void
do_work_serve(struct actor *actor, const int *a)
{
    int size = statement_size(a[0]), own;
    void *in = buffer(a[1]), *out = buffer(a[1]);
    MPI_Comm_rank(statement_comms[a[0]], &own);
    for (;; pause_round(actor, a)) {
        MPI_Status status;
        for (int i = 1; i < size && own == 0; i++) {
            MPI_Recv(in, a[1], MPI_BYTE, MPI_ANY_SOURCE, 78, statement_comms[a[0]], &status);
            MPI_Ssend(out, a[1], MPI_BYTE, status.MPI_SOURCE, 79, statement_comms[a[0]]);
        }
        if (own != 0) {
            MPI_Send(out, a[1], MPI_BYTE, 0, 78, statement_comms[a[0]]);
            MPI_Recv(in, a[1], MPI_BYTE, 0, 79, statement_comms[a[0]], MPI_STATUS_IGNORE);
        }
        MPI_Barrier(statement_comms[a[0]]);
    }
}

static void
free_round(struct actor *actor)
{
    while (n_kept > 0)
        free(kept[--n_kept]);
    for (int i = 0; i < SLOTS; i++)
        if (actor->requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&actor->requests[i]);
}

// All statements from the first one on, which wait for all that they start.
static void
do_again(struct actor *actor, const int *a)
{
    (void) a;
    for (;; another_round(actor)) {
        free_round(actor);
        for (const struct statement *it = actor->statements; it->operation->perform != do_again;
             it++)
            it->operation->perform(actor, it->a);
    }
}

static const struct operation operations[] = {
    {"send", do_send},
    {"ssend", do_ssend},
    {"bsend", do_bsend},
    {"rsend", do_rsend},
    {"isend", do_isend},
    {"issend", do_issend},
    {"ibsend", do_ibsend},
    {"irsend", do_irsend},
    {"send_init", do_send_init},
    {"ssend_init", do_ssend_init},
    {"recv", do_recv},
    {"irecv", do_irecv},
    {"recv_init", do_recv_init},
    {"start", do_start},
    {"sendrecv", do_sendrecv},
    {"sendrecv_replace", do_sendrecv_replace},
    {"wait", do_wait},
    {"waitall", do_waitall},
    {"waitany", do_waitany},
    {"waitsome", do_waitsome},
    {"test", do_test},
    {"testall", do_testall},
    {"probe", do_probe},
    {"iprobe", do_iprobe},
    {"mprobe", do_mprobe},
    {"barrier", do_barrier},
    {"allreduce", do_allreduce},
    {"allgather", do_allgather},
    {"alltoall", do_alltoall},
    {"reduce_scatter", do_reduce_scatter},
    {"scan", do_scan},
    {"bcast", do_bcast},
    {"reduce", do_reduce},
    {"gather", do_gather},
    {"scatter", do_scatter},
    {"ibarrier", do_ibarrier},
    {"compute", do_compute},
    {"nap", do_nap},
    {"again", do_again},
    {"spin", do_spin},
    {"sleep", do_sleep},
    {"stop", do_stop},
    {"die", do_die},
    {"flock", do_flock},
    {"pipe", do_pipe},
    {"lock", do_lock},
    {"unlock", do_unlock},
    {"work_ring", do_work_ring},
    {"work_reduce", do_work_reduce},
    {"work_serve", do_work_serve},
    {NULL, NULL},
};

bool
statements_prepare(const char *lock)
{
    lock_file = open(lock, O_RDONLY | O_CLOEXEC);
    return lock_file >= 0 && pipe(waiting_pipe) == 0;
}

const struct operation *
statement_find(const char *name)
{
    const struct operation *const tables[] = {operations, comm_operations, sided_operations,
                                              wait_operations, team_operations};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct operation *it = tables[i]; it->name != NULL; it++)
            if (strcmp(it->name, name) == 0)
                return it;
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks that receive from each other, each with a thread more that is neither MPI's nor
// OpenMP's: bystanders LEVEL WHAT, where LEVEL is MPI's level of threads, from 0 to 3.
//
//   poll, usleep, log   It polls, sleeps for a moment, or for a second, again and again.
//   event               It waits for an event that nobody sends.
//   computes            It computes.
//   sem, cond, mutex    Rank 0's waits for a semaphore, a condition or a mutex, for an hour at
//                       most, and then sends what rank 1 receives.
//   held, written       Rank 0's has a mutex, or writes under a rwlock, for which the first one
//                       waits, and receives.
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 7, HOUR = 3600 };

static int rank;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER,
                       queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;

static void
look_for_events(void)
{
    for (;;)
        poll(NULL, 0, 100);
}

static void
nap(void)
{
    for (;;)
        usleep(1000);
}

static void
log_memory(void)
{
    for (;;)
        sleep(1);
}

static void
await_event(void)
{
    uint64_t count;
    int fd = eventfd(0, 0);
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR)
        ;
}

static void
compute(void)
{
    for (volatile long i = 0;; i++)
        ;
}

static void
send_late(void)
{
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD);
}

static struct timespec
in_an_hour(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += HOUR;
    return time;
}

static void
await_semaphore(void)
{
    struct timespec end = in_an_hour();
    sem_timedwait(&semaphore, &end);
    send_late();
}

static void
await_condition(void)
{
    struct timespec end = in_an_hour();
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&condition, &mutex, &end) == 0)
        ;
    pthread_mutex_unlock(&mutex);
    send_late();
}

static void
await_mutex(void)
{
    struct timespec end = in_an_hour();
    pthread_mutex_timedlock(&held, &end);
    send_late();
}

static void
receive_late(void)
{
    int value;
    sem_post(&semaphore);
    MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
receive_with_lock(void)
{
    pthread_mutex_lock(&queue_lock);
    receive_late();
}

static void
write_and_receive(void)
{
    pthread_rwlock_wrlock(&table_lock);
    receive_late();
}

static void
send_with_lock(void)
{
    sem_wait(&semaphore);
    pthread_mutex_lock(&queue_lock);
    send_late();
}

static void
read_and_send(void)
{
    sem_wait(&semaphore);
    pthread_rwlock_rdlock(&table_lock);
    send_late();
}

static const struct {
    const char *name;
    void (*function)(void);
    bool sends;
    void (*first)(void); // what rank 0's first thread does; NULL: it receives
} things[] = {
    {"poll", look_for_events, false, NULL},
    {"usleep", nap, false, NULL},
    {"log", log_memory, false, NULL},
    {"event", await_event, false, NULL},
    {"computes", compute, false, NULL},
    {"sem", await_semaphore, true, NULL},
    {"cond", await_condition, true, NULL},
    {"mutex", await_mutex, true, NULL},
    {"held", receive_with_lock, true, send_with_lock},
    {"written", write_and_receive, true, read_and_send},
};

static void *
run(void *thing)
{
    things[(size_t) thing].function();
    return NULL;
}

int
main(int argc, char **argv)
{
    int given, value;
    pthread_t thread;
    size_t i = 0;
    if (argc != 3)
        return 1;
    MPI_Init_thread(&argc, &argv, atoi(argv[1]), &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&held);
    while (strcmp(things[i].name, argv[2]) != 0)
        if (++i == sizeof things / sizeof *things)
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (!things[i].sends || rank == 0)
        pthread_create(&thread, NULL, run, (void *) i);
    printf("ready\n");
    fflush(stdout);
    if (rank == 0 && things[i].first)
        things[i].first();
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

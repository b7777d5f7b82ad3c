// SPDX-License-Identifier: BSD-3-Clause
// Waits that MPI knows nothing of: for a time, for input, for other threads of the process; and
// what ends the process.
#include "statements.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600 };

static sem_t semaphore; // which nobody posts
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;      // by the main thread
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER; // likewise
static pthread_barrier_t barrier;                             // to which nobody else comes
static uint32_t word;
static int silent_pipe[2];

// A statement that does not look at its numbers.
#define WAITS(name, ...)                                     \
    static void do_##name(struct actor *actor, const int *a) \
    {                                                        \
        (void) actor;                                        \
        (void) a;                                            \
        __VA_ARGS__                                          \
    }

static void
poll_pipe(int milliseconds)
{
    struct pollfd file = {.fd = silent_pipe[0], .events = POLLIN};
    while (poll(&file, 1, milliseconds) < 0 && errno == EINTR)
        ;
}

WAITS(poll_pipe, poll_pipe(-1);)

// Milliseconds of each.
static void
do_poll_loop(struct actor *actor, const int *a)
{
    (void) actor;
    for (;;)
        poll_pipe(a[0]);
}

static void
do_log(struct actor *actor, const int *a)
{
    (void) actor;
    for (;;)
        usleep((useconds_t) a[0] * 1000);
}

// For ever.
static void
wait_for_condition(const struct timespec *end)
{
    pthread_mutex_lock(&mutex);
    while ((end == NULL ? pthread_cond_wait(&condition, &mutex)
                        : pthread_cond_timedwait(&condition, &mutex, end)) == 0)
        ;
    pthread_mutex_unlock(&mutex);
}

WAITS(sem_wait, while (sem_wait(&semaphore) != 0);)
WAITS(cond_wait, wait_for_condition(NULL);)
WAITS(rwlock_wait, pthread_rwlock_rdlock(&written);)
WAITS(barrier_wait, pthread_barrier_wait(&barrier);)
WAITS(futex_wait, for (;;) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);)

// For an hour at most, which no script lasts.
static struct timespec
in_an_hour(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += HOUR;
    return time;
}

#define WAITS_AN_HOUR(name, call)                            \
    static void do_##name(struct actor *actor, const int *a) \
    {                                                        \
        struct timespec end = in_an_hour();                  \
        (void) actor;                                        \
        (void) a;                                            \
        call;                                                \
    }

WAITS_AN_HOUR(hour_sem, while (sem_timedwait(&semaphore, &end) != 0 && errno == EINTR))
WAITS_AN_HOUR(hour_cond, wait_for_condition(&end))
WAITS_AN_HOUR(hour_mutex, pthread_mutex_timedlock(&held, &end))
WAITS(hour_poll, poll_pipe(HOUR * 1000);)
WAITS(hour_sleep, for (unsigned left = HOUR; left > 0;) left = sleep(left);)

// Thread.
static void
do_join(struct actor *actor, const int *a)
{
    (void) actor;
    pthread_join(statement_threads[a[0]], NULL);
}

// A process more, which calls no MPI and has all files of this one.
static void
do_fork(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
    pid_t child = fork();
    if (child < 0)
        abort();
    while (child == 0)
        pause();
}

static struct progress *ended;

static void
finalize_at_exit(void)
{
    MPI_Finalize();
    atomic_fetch_add(&ended->position, 1);
}

// MPI_Finalize() is called where programs and interpreters do that which an error ends.
static void
do_exit(struct actor *actor, const int *a)
{
    (void) a;
    ended = actor->progress;
    if (atexit(finalize_at_exit) != 0)
        abort();
    exit(0);
}

bool
statements_prepare_waits(void)
{
    return sem_init(&semaphore, 0, 0) == 0 && pthread_barrier_init(&barrier, NULL, 1000) == 0 &&
           pthread_mutex_lock(&held) == 0 && pthread_rwlock_wrlock(&written) == 0 &&
           pipe(silent_pipe) == 0;
}

const struct operation wait_operations[] = {
    {"poll_pipe", do_poll_pipe},
    {"poll_loop", do_poll_loop},
    {"log", do_log},
    {"sem_wait", do_sem_wait},
    {"cond_wait", do_cond_wait},
    {"rwlock_wait", do_rwlock_wait},
    {"barrier_wait", do_barrier_wait},
    {"futex_wait", do_futex_wait},
    {"hour_sem", do_hour_sem},
    {"hour_cond", do_hour_cond},
    {"hour_mutex", do_hour_mutex},
    {"hour_poll", do_hour_poll},
    {"hour_sleep", do_hour_sleep},
    {"join", do_join},
    {"fork", do_fork},
    {"exit", do_exit},
    {NULL, NULL},
};

// SPDX-License-Identifier: BSD-3-Clause
// Threads that sleep in calls to the system, each in another way, and one that does not. After
// their number each prints its id and what is true of it: the call, what ends it, whether it ends
// after a time, and of a futex whether other processes have its word.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 1000 }; // seconds

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t own, *shared;
static pthread_t first;
static int pipe_ends[2];

static struct timespec
deadline(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += LONG;
    return at;
}

static void
poll_for_ever(void)
{
    struct pollfd end = {pipe_ends[0], POLLIN, 0};
    poll(&end, 1, -1);
}

static void
poll_long(void)
{
    struct pollfd end = {pipe_ends[0], POLLIN, 0};
    poll(&end, 1, LONG * 1000);
}

static void
poll_nothing(void)
{
    poll(NULL, 0, LONG * 1000);
}

static void
epoll(void)
{
    struct epoll_event event;
    for (int set = epoll_create1(0);;) // it does not go on when a debugger has stopped it
        epoll_wait(set, &event, 1, -1);
}

static void
select_for_ever(void)
{
    fd_set ends;
    FD_ZERO(&ends);
    FD_SET(pipe_ends[0], &ends);
    select(pipe_ends[0] + 1, &ends, NULL, NULL, NULL);
}

static void
select_long(void)
{
    select(0, NULL, NULL, NULL, &(struct timeval){LONG, 0});
}

static void
read_pipe(void)
{
    char byte;
    if (read(pipe_ends[0], &byte, 1) < 0)
        perror("read");
}

static void
sleep_again(void)
{
    for (;;)
        sleep(1);
}

static void
sleep_long(void)
{
    nanosleep(&(struct timespec){LONG, 0}, NULL);
}

static void
wait_semaphore(void)
{
    sem_wait(&own);
}

static void
wait_semaphore_long(void)
{
    struct timespec end = deadline();
    sem_timedwait(&own, &end);
}

static void
wait_shared_semaphore(void)
{
    sem_wait(shared);
}

static void
wait_condition(void)
{
    pthread_mutex_lock(&free_mutex);
    pthread_cond_wait(&condition, &free_mutex);
}

static void
wait_condition_long(void)
{
    struct timespec end = deadline();
    pthread_mutex_lock(&free_mutex);
    pthread_cond_timedwait(&condition, &free_mutex, &end);
}

static void
lock(void)
{
    pthread_mutex_lock(&held);
}

static void
lock_long(void)
{
    struct timespec end = deadline();
    pthread_mutex_timedlock(&held, &end);
}

static void
join(void)
{
    pthread_join(first, NULL);
}

static void
wait_signal(void)
{
    for (;;)
        pause();
}

static void
wait_signal_long(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (;;)
        sigtimedwait(&set, NULL, &(struct timespec){LONG, 0});
}

static void
wait_child(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent)
            pause();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void
receive(void)
{
    struct {
        long type;
        char text[8];
    } message;
    int queue = msgget(IPC_PRIVATE, 0600);
    printf("queue %d\n", queue);
    msgrcv(queue, &message, sizeof message.text, 0, 0);
}

static void
compute(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

static const struct {
    void (*function)(void);
    const char *call, *waits_for, *ends, *word; // "times_out", "lasts"; "private", "shared"
} kinds[] = {
    {poll_for_ever, "poll", "file", "lasts", ""},
    {poll_long, "poll", "file", "times_out", ""},
    {poll_nothing, "poll", "file", "times_out", ""},
    {epoll, "epoll_wait", "file", "lasts", ""},
    {select_for_ever, "pselect6", "file", "lasts", ""},
    {select_long, "pselect6", "file", "times_out", ""},
    {read_pipe, "read", "file", "lasts", ""},
    {sleep_again, "clock_nanosleep", "time", "times_out", ""},
    {sleep_long, "clock_nanosleep", "time", "times_out", ""},
    {wait_semaphore, "futex", "memory", "lasts", "private"},
    {wait_semaphore_long, "futex", "memory", "times_out", "private"},
    {wait_shared_semaphore, "futex", "memory", "lasts", "shared"},
    {wait_condition, "futex", "memory", "lasts", "private"},
    {wait_condition_long, "futex", "memory", "times_out", "private"},
    {lock, "futex", "memory", "lasts", "private"},
    {lock_long, "futex", "memory", "times_out", "private"},
    {join, "futex", "memory", "lasts", "private"},
    {wait_signal, "pause", "signal", "lasts", ""},
    {wait_signal_long, "rt_sigtimedwait", "signal", "times_out", ""},
    {wait_child, "wait4", "child", "lasts", ""},
    {receive, "msgrcv", "process", "lasts", ""},
    {compute, "-", "-", "-", ""},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *
run(void *number)
{
    size_t i = (size_t) number;
    printf("thread %ld %s %s %s %s\n", syscall(SYS_gettid), kinds[i].call, kinds[i].waits_for,
           kinds[i].ends, kinds[i].word);
    kinds[i].function();
    fprintf(stderr, "%s has ended\n", kinds[i].call);
    exit(1);
}

int
main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe(pipe_ends) != 0 || sem_init(shared, 1, 0) != 0 ||
        sem_init(&own, 0, 0) != 0 || pthread_mutex_lock(&held) != 0)
        return 1;
    printf("%d\n", KINDS);
    for (size_t i = 0; i < KINDS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, (void *) i) != 0)
            return 1;
        first = i == 0 ? thread : first;
    }
    sleep(LONG);
}

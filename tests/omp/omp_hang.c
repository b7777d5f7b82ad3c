// SPDX-License-Identifier: BSD-3-Clause
// OpenMP programs that hang, and busy ones of the same constructs that do not. A word behind "//"
// at the end of a line is by which the test knows the line again.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SHORT_US = 1000 };

static omp_lock_t lock_a, lock_b;
static omp_nest_lock_t nest_a, nest_b;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int come; // threads that are where the others want them
static volatile double sum;

static void
arrive(void)
{
#pragma omp atomic
    come++;
}

static void
await(int threads)
{
    while (come < threads)
        usleep(SHORT_US);
}

/** Says that everything is in its place but for what follows at once. */
static void
ready(void)
{
    puts("ready");
    fflush(stdout);
}

static void
compute(void)
{
    for (;;)
        sum += 1; // compute
}

static void
add_some(void)
{
    for (int i = 0; i < 100; i++)
        sum += i;
}

// Programs that hang.

static void
take_both(omp_lock_t *first, omp_lock_t *second)
{
    omp_set_lock(first);
    arrive();
    await(2);
    omp_set_lock(second); // second_lock
}

static void
locks(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            take_both(&lock_a, &lock_b);
        if (omp_get_thread_num() == 2)
            take_both(&lock_b, &lock_a);
    } // locks_end
}

static void
take_both_nested(omp_nest_lock_t *first, omp_nest_lock_t *second)
{
    omp_set_nest_lock(first);
    arrive();
    await(2);
    omp_set_nest_lock(second); // second_nest_lock
}

static void
nest_locks(void)
{
#pragma omp parallel num_threads(2)
    take_both_nested(omp_get_thread_num() == 0 ? &nest_a : &nest_b,
                     omp_get_thread_num() == 0 ? &nest_b : &nest_a);
}

static void
lock_twice(void)
{
    omp_set_lock(&lock_a);
    omp_set_lock(&lock_a); // own_lock
}

static void
own_lock(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        lock_twice();
}

static void
meet(void)
{
#pragma omp barrier // barrier
    sum += 1;
}

static void
barrier(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 2)
            await(1);
        if (omp_get_thread_num() != 1) {
#pragma omp critical(x) // critical
            {
                arrive();
                meet();
            }
        } else {
            meet();
        }
    }
}

static void
use_x(void)
{
    arrive();
#pragma omp critical(x) // task_critical
    sum += 1;
}

static void
taskwait(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp critical(x)
        {
#pragma omp task
            use_x();
            await(1); // it is another thread's
#pragma omp taskwait  // taskwait
            sum += 1;
        }
    }
}

static void
missing(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 3)
            compute();
        meet();
    }
}

/** Half of a team leaves out a barrier, as those do who have caught an exception. */
static void
left_out(void)
{
#pragma omp parallel num_threads(4) // left_out
    if (omp_get_thread_num() < 2)
        meet();
}

/** One has a mutex at a barrier, for which another one waits. */
static void
with_mutex(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            pthread_mutex_lock(&queue_lock);
            arrive();
        }
        if (omp_get_thread_num() == 2) {
            await(1);
            pthread_mutex_lock(&queue_lock); // mutex
        }
        meet();
    }
}

/** An iteration that no other one hears of. */
static void
doacross(void)
{
#pragma omp parallel for ordered(1) num_threads(2)
    for (int i = 0; i < 6; i++) {
#pragma omp ordered depend(sink : i - 1)
        if (i != 2) {
#pragma omp ordered depend(source)
        }
    }
}

static omp_event_handle_t done; // of a task that is detached

static void *
fulfil_later(void *unused)
{
    (void) unused;
    sleep(1000); // fulfil_later
    omp_fulfill_event(done);
    return NULL;
}

/** A detached task whose event nobody fulfils, or a thread that is not OpenMP's. */
static void
detach(bool later)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
        pthread_t thread;
#pragma omp task detach(event)
        {
            done = event;
            if (later)
                pthread_create(&thread, NULL, fulfil_later, NULL);
        }
#pragma omp taskwait // detached
    }
}

static void
detached(void)
{
    detach(false);
}

static void
fulfilled(void)
{
    detach(true);
}

/** Forks. @return whether this is the child, which ends with its parent */
static bool
is_child(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(300);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    return true;
}

/** Ends as the child did. */
static void
await_child(void)
{
    int status;
    wait(&status);
    _exit(status == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void
add_in_parallel(void)
{
#pragma omp parallel num_threads(3)
    add_some();
}

/** A process that is forked has the thread of fork() alone. */
static void
forked(void)
{
    add_in_parallel();
    if (is_child()) {
        add_in_parallel();
        _exit(EXIT_SUCCESS);
    }
    await_child();
}

/** Likewise one that is forked in a region. */
static void
forked_inside(void)
{
#pragma omp parallel num_threads(3) // forked_inside
    {
        if (omp_get_thread_num() != 0)
            await(1);
        else if (!is_child())
            await_child();
    }
}

/** What another thread has that is forked is never given up. */
static void
forked_critical(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp critical(x)
            {
                arrive();
                pause();
            }
        }
        await(1);
        if (is_child())
            use_x();
        await_child();
    }
}

/** A condition that only a thread signals that stayed behind. */
static void
forked_condition(void)
{
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    add_in_parallel();
    if (is_child()) {
        pthread_mutex_lock(&queue_lock);
        pthread_cond_wait(&condition, &queue_lock); // condition
    }
    await_child();
}

/** Two threads of which one gives the other what it waits for, if there are two. */
static void
hand_over(void)
{
    omp_set_lock(&lock_a);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&lock_a); // starved
        else
            omp_unset_lock(&lock_a);
    }
}

static void
starved(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            hand_over();
    }
}

// Programs that work.

static void
busy_locks(void)
{
#pragma omp parallel num_threads(THREADS)
    for (;;) {
        omp_set_lock(&lock_a);
        omp_set_lock(&lock_b);
        add_some();
        omp_unset_lock(&lock_b);
        omp_unset_lock(&lock_a);
    }
}

static void
busy_critical(void)
{
#pragma omp parallel num_threads(THREADS)
    for (;;) {
#pragma omp critical(x)
        sum += 1;
    }
}

static void
busy_barrier(void)
{
#pragma omp parallel num_threads(THREADS)
    for (;;) {
#pragma omp barrier
    }
}

static void
busy_tasks(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (;;) {
        for (int i = 0; i < THREADS; i++) {
#pragma omp task
            add_some();
        }
#pragma omp taskwait
    }
}

static void
busy_nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    for (;;) {
#pragma omp parallel num_threads(2)
        {
            add_some();
#pragma omp barrier
#pragma omp critical(x)
            add_some();
        }
    }
}

// Long waits: all but one sleep in the runtime, that one in the system.
static void
slow_lock(void)
{
#pragma omp parallel num_threads(THREADS)
    for (;;) {
        omp_set_lock(&lock_a);
        usleep(200 * SHORT_US);
        omp_unset_lock(&lock_a);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"locks", locks},
    {"nest_locks", nest_locks},
    {"own_lock", own_lock},
    {"barrier", barrier},
    {"taskwait", taskwait},
    {"missing", missing},
    {"starved", starved},
    {"left_out", left_out},
    {"with_mutex", with_mutex},
    {"doacross", doacross},
    {"detached", detached},
    {"fulfilled", fulfilled},
    {"forked", forked},
    {"forked_inside", forked_inside},
    {"forked_critical", forked_critical},
    {"forked_condition", forked_condition},
    {"busy_locks", busy_locks},
    {"busy_critical", busy_critical},
    {"busy_barrier", busy_barrier},
    {"busy_tasks", busy_tasks},
    {"busy_nested", busy_nested},
    {"slow_lock", slow_lock},
};

int
main(int argc, char **argv)
{
    omp_init_lock(&lock_a);
    omp_init_lock(&lock_b);
    omp_init_nest_lock(&nest_a);
    omp_init_nest_lock(&nest_b);
    omp_set_dynamic(0);
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(programs[i].name, argv[1]) != 0)
            continue;
        alarm(300); // whoever started it may have died
        ready();
        programs[i].run();
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
    return EXIT_FAILURE;
}

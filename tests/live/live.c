// SPDX-License-Identifier: BSD-3-Clause
// What every live program does: start, post an operation and record it, block or park for ever.
#include "live.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { GATE_TAG = 9999, SETTLE_MS = 300, TURN_MS = 200, RESTS = 10, POLLS_NS = 30000000 };

static void
sleep_ms(long milliseconds)
{
    struct timespec time = {.tv_nsec = milliseconds * 1000000};
    nanosleep(&time, NULL);
}

struct live
live_start(int *argc, char ***argv, int thread_level, int ranks)
{
    struct live live;
    int provided;
    MPI_Comm parent;
    MPI_Init_thread(argc, argv, thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &live.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &live.size);
    if (provided < thread_level || (ranks > 0 && live.size != ranks)) {
        fprintf(stderr, "%s: needs %d ranks and thread level %d, has %d and %d\n", (*argv)[0],
                ranks, thread_level, live.size, provided);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_get_parent(&parent);
    truth_init(parent != MPI_COMM_NULL);
    live.world = truth_comm(MPI_COMM_WORLD);
    live.self = truth_comm(MPI_COMM_SELF);
    return live;
}

struct truth_comm *
live_name(MPI_Comm comm, const char *name)
{
    MPI_Comm_set_name(comm, name);
    return truth_comm(comm);
}

void *
live_buffer(int count, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    void *buffer = calloc((size_t) count + 1, (size_t) extent);
    if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return buffer;
}

struct post
post_receive(struct truth_comm *comm, int source, int tag, int count, MPI_Datatype type)
{
    struct post post;
    void *buffer = live_buffer(count, type);
    post.op = truth_receive(comm, source, tag, count, type, buffer);
    MPI_Irecv(buffer, count, type, source, tag, truth_handle(comm), &post.request);
    return post;
}

static const struct {
    const char *kind;
    int (*start)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
} send_modes[] = {
    [STANDARD] = {"send", MPI_Isend},
    [SYNCHRONOUS] = {"ssend", MPI_Issend},
    [BUFFERED] = {"bsend", MPI_Ibsend},
    [READY] = {"rsend", MPI_Irsend},
};

struct post
post_send(struct truth_comm *comm, enum send_mode mode, int dest, int tag, int count,
          MPI_Datatype type)
{
    struct post post;
    void *buffer = live_buffer(count, type);
    post.op = truth_send(comm, send_modes[mode].kind, dest, tag, count, type, buffer);
    send_modes[mode].start(buffer, count, type, dest, tag, truth_handle(comm), &post.request);
    return post;
}

void
post_collect(struct post *post)
{
    MPI_Wait(&post->request, MPI_STATUS_IGNORE);
    truth_forget(post->op);
    post->op = NULL;
}

void
post_settle(struct post *posts, int count)
{
    for (int round = 0; round < SETTLE_MS; round++) {
        for (int i = 0; i < count; i++) {
            int done = 0;
            if (posts[i].op != NULL)
                MPI_Test(&posts[i].request, &done, MPI_STATUS_IGNORE);
            if (done)
                post_collect(&posts[i]);
        }
        sleep_ms(1);
    }
}

void
send_unexpected(struct truth_comm *comm, int dest, int tag, int bytes)
{
    void *buffer = live_buffer(bytes, MPI_BYTE);
    MPI_Send(buffer, bytes, MPI_BYTE, dest, tag, truth_handle(comm));
}

void
gate_open(struct truth_comm *comm, int dest)
{
    MPI_Send(NULL, 0, MPI_BYTE, dest, GATE_TAG, truth_handle(comm));
}

void
gate_pass(struct truth_comm *comm, int source)
{
    MPI_Recv(NULL, 0, MPI_BYTE, source, GATE_TAG, truth_handle(comm), MPI_STATUS_IGNORE);
}

void
block_in_receive(struct truth_comm *comm, int source, int tag, int count, MPI_Datatype type)
{
    void *buffer = live_buffer(count, type);
    truth_receive(comm, source, tag, count, type, buffer);
    TRUTH_CALL("MPI_Recv", 2, "all", &tag, 1);
    truth_write();
    MPI_Recv(buffer, count, type, source, tag, truth_handle(comm), MPI_STATUS_IGNORE);
}

static atomic_int current_turn;
static atomic_int turn_ended_by; // the id of the thread

// Nanoseconds of CPU time of a thread; 0 when it is gone.
static long
cpu_time(pid_t tid)
{
    // The kernel's number of a thread's clock.
    clockid_t clock = (clockid_t) (~(unsigned) tid << 3 | 6);
    struct timespec time = {.tv_sec = 0};
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static bool
sleeps(pid_t tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int) tid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

// A thread is in its blocking call when it has slept, or polled, for a while.
static void
await_rest(pid_t tid)
{
    long begin = cpu_time(tid);
    for (int at_rest = 0; at_rest < RESTS && cpu_time(tid) - begin < POLLS_NS;) {
        sleep_ms(TURN_MS / RESTS);
        at_rest = sleeps(tid) ? at_rest + 1 : 0;
    }
}

void
live_await_turn(int turn)
{
    while (atomic_load(&current_turn) != turn)
        sleep_ms(1);
    if (turn > 0)
        await_rest(atomic_load(&turn_ended_by));
}

void
live_end_turn(void)
{
    atomic_store(&turn_ended_by, (int) syscall(SYS_gettid));
    atomic_fetch_add(&current_turn, 1);
}

void
live_park(void)
{
    truth_write();
    // Short sleeps, so that one can see from outside whether the process runs.
    for (;;)
        sleep_ms(50);
}

void
live_compute(void)
{
    // With rests, as the other ranks need the cores to get where they hang.
    const struct timespec rest = {.tv_nsec = 5000000};
    for (double sum = 0; sum >= 0; nanosleep(&rest, NULL)) {
        for (int i = 1; i < 10000; i++)
            sum += 1.0 / i;
    }
    abort();
}

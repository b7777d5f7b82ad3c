// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Runs a test and writes what it cost into a file: seconds elapsed, processor seconds of the test
 * and of all that it started (also of what outlived its parent), those in the kernel among them,
 * and how often mqshow was started, or "-" where the kernel does not let us count that. Ranks among
 * them give way meanwhile (give_way.h).
 *
 * Usage: tests/cost FILE PROGRAM [ARGUMENT...]
 *
 * The exit status is the program's; 128 + N where a signal ended it.
 */
#include "give_way.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 64, RING_PAGES = 16, NAME_MAX_SIZE = 16, EVERY_MS = 200 };

// The kernel's record of a process that became another program, and of more of it than is read.
struct comm_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[NAME_MAX_SIZE];
};

// What one processor says of programs started on it.
struct ring {
    int fd;
    struct perf_event_mmap_page *page;
};

struct starts {
    struct ring rings[PROCESSORS_MAX];
    size_t count, page_size;
    unsigned long seen;
    bool lost;
};

static double
seconds_of(struct timeval time)
{
    return (double) time.tv_sec + (double) time.tv_usec / 1e6;
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static bool
ring_open(struct ring *ring, pid_t pid, int processor, size_t page_size)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_DUMMY,
        .inherit = 1,
        .comm = 1,
        .comm_exec = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    ring->fd = (int) syscall(SYS_perf_event_open, &attr, pid, processor, -1, PERF_FLAG_FD_CLOEXEC);
    if (ring->fd == -1)
        return false;
    ring->page =
        mmap(NULL, (RING_PAGES + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (ring->page != MAP_FAILED)
        return true;
    close(ring->fd);
    return false;
}

/** Begins to count for process pid and all that it starts. Without the permission nothing is
 * counted. */
static void
starts_open(struct starts *starts, pid_t pid)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    starts->page_size = (size_t) sysconf(_SC_PAGESIZE);
    while (starts->count < (size_t) processors) {
        if (starts->count == PROCESSORS_MAX || !ring_open(&starts->rings[starts->count], pid,
                                                          (int) starts->count, starts->page_size)) {
            starts->lost = true;
            return;
        }
        starts->count++;
    }
}

// Copies part of the ring, which may go on at its start.
static void
ring_copy(const struct ring *ring, size_t page_size, uint64_t at, void *ret, size_t size)
{
    const char *data = (const char *) ring->page + page_size;
    for (size_t i = 0; i < size; i++)
        ((char *) ret)[i] = data[(at + i) % (RING_PAGES * page_size)];
}

static void
ring_read(struct starts *starts, const struct ring *ring)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = ring->page->data_tail;
    while (at < head) {
        struct comm_record record = {0};
        ring_copy(ring, starts->page_size, at, &record.header, sizeof record.header);
        if (record.header.size < sizeof record.header)
            break;
        size_t size = record.header.size < sizeof record ? record.header.size : sizeof record - 1;
        ring_copy(ring, starts->page_size, at, &record, size);
        if (record.header.type == PERF_RECORD_LOST)
            starts->lost = true;
        if (record.header.type == PERF_RECORD_COMM &&
            (record.header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 &&
            strcmp(record.name, "mqshow") == 0)
            starts->seen++;
        at += record.header.size;
    }
    __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static void
starts_read(struct starts *starts)
{
    for (size_t i = 0; i < starts->count; i++)
        ring_read(starts, &starts->rings[i]);
}

// Waits for the program, and for all that was left to us in the meantime. @return its status
static int
await(pid_t pid, struct starts *starts)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const struct timespec every = {.tv_nsec = EVERY_MS * 1000000L};
    int status = 0, one;
    for (bool ended = false; !ended;) {
        sigtimedwait(&child, NULL, &every);
        starts_read(starts);
        give_way_below(getpid());
        pid_t got;
        while ((got = waitpid(-1, &one, WNOHANG)) > 0) {
            if (got == pid) {
                status = one;
                ended = true;
            }
        }
    }
    starts_read(starts);
    return status;
}

static bool
write_costs(const char *path, double elapsed, const struct starts *starts)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    double kernel = seconds_of(usage.ru_stime);
    fprintf(file, "%.2f %.2f %.2f ", elapsed, seconds_of(usage.ru_utime) + kernel, kernel);
    if (starts->lost)
        fprintf(file, "-\n");
    else
        fprintf(file, "%lu\n", starts->seen);
    return fclose(file) == 0;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s FILE PROGRAM [ARGUMENT...]\n", argv[0]);
        return 2;
    }
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1L);

    // The program begins when what counts its starts is there.
    int go[2];
    if (pipe(go) != 0)
        return 99;
    double begun = now();
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(go[1]);
        while (read(go[0], &byte, 1) == -1 && errno == EINTR)
            ;
        close(go[0]);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(argv[2], argv + 2);
        fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    if (pid == -1)
        return 99;
    struct starts starts = {.count = 0};
    starts_open(&starts, pid);
    close(go[0]);
    close(go[1]);
    int status = await(pid, &starts);
    if (!write_costs(argv[1], now() - begun, &starts))
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libcuda.so.1: two threads that poll, waits that spin, sleep and yield.
#include "tests/gpu/standin.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { EVENTS_MS = 100 };

STANDIN_INNER void
poll_events(int limit)
{
    struct pollfd one = {.fd = eventfd(0, 0), .events = POLLIN};
    for (;;)
        poll(&one, 1, limit);
}

STANDIN_INNER void *
handle_events(void *limit)
{
    poll_events((int) (intptr_t) limit);
    STANDIN_STAY;
    return NULL;
}

/** A thread begins with the name of the one that has made it. */
static void
begin(const char *name, void *(*function)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, argument);
    if (name != NULL)
        pthread_setname_np(thread, name);
}

/** The driver opens the files of devices, if there are stand-ins for these, too. */
API int
cuInit(unsigned flags)
{
    const char *told = getenv("STANDIN_DEVICES");
    char *devices = told != NULL ? strdup(told) : NULL;
    for (char *device = devices; device != NULL && *device != '\0';)
        if (open(strsep(&device, " "), O_RDWR) < 0)
            return 1;
    free(devices);
    begin("cuda0000780001f", handle_events, (void *) (intptr_t) -1);
    begin("cuda-EvtHandlr", handle_events, (void *) (intptr_t) EVENTS_MS);
    return (int) flags;
}

STANDIN_INNER int
ask(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return standin_busy();
}

STANDIN_INNER void
spin(void)
{
    while (ask())
        ;
}

STANDIN_INNER int
finish(void)
{
    spin();
    STANDIN_STAY;
    return 0;
}

STANDIN_INNER int
sleep_for_event(void)
{
    struct pollfd one = {.fd = standin_event, .events = POLLIN};
    while (standin_work != 0)
        poll(&one, 1, -1);
    return 0;
}

STANDIN_INNER int
await_room(void)
{
    while (standin_work == STANDIN_FOR_EVER)
        sched_yield();
    return 0;
}

#define WAIT(function, parameters, wait) \
    API int function parameters          \
    {                                    \
        int ret = wait();                \
        STANDIN_STAY;                    \
        return ret;                      \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
WAIT(cuStreamSynchronize, (void *stream), finish)
WAIT(cuEventSynchronize, (void *event), sleep_for_event)
WAIT(cuEventQuery, (void *event), ask)
WAIT(cuCtxSynchronize_v2, (void), finish)
WAIT(cuMemcpyDtoH_v2, (void *to, const void *from, unsigned long bytes), finish)
WAIT(cuMemcpyDtoHAsync_v2, (void *to, const void *from, unsigned long bytes, void *stream), finish)
WAIT(cuMemFree_v2, (void *memory), finish)

/** Addresses at which the processor can do nothing, as the driver reserves them. */
API int
cuMemAlloc_v2(void **ret, unsigned long bytes)
{
    *ret = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return *ret == MAP_FAILED;
}

API int
cuLaunchKernel(void *function, long work)
{
    uint64_t count;
    int ret = await_room();
    ssize_t got = read(standin_event, &count, sizeof count);
    standin_work = (sig_atomic_t) work;
    return got < 0 ? ret : 0;
}

struct host_function {
    void (*function)(void *);
    void *data;
};

STANDIN_INNER void *
call_host(void *of)
{
    struct host_function *host = of;
    host->function(host->data);
    STANDIN_STAY;
    poll_events(-1);
    return NULL;
}

API int
cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    static struct host_function host;
    host = (struct host_function){function, data};
    begin(NULL, call_host, &host);
    return 0;
}

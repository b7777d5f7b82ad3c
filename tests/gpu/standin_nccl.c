// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libnccl.so.2: its threads poll, and its collective yields until all are there.
#include "tests/gpu/standin.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/eventfd.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { SERVICE_MS = 500, SERVICES = 2 };

STANDIN_INNER void *
serve(void *argument)
{
    struct pollfd one = {.fd = eventfd(0, 0), .events = POLLIN};
    for (;;)
        poll(&one, 1, SERVICE_MS);
    return argument;
}

int
ncclCommInitRank(void **comm, int count, int rank)
{
    pthread_t thread;
    int ret = 0;
    for (int i = 0; i < SERVICES; i++)
        ret |= pthread_create(&thread, NULL, serve, NULL);
    return ret;
}

STANDIN_INNER int
await_others(void)
{
    while (standin_work == STANDIN_FOR_EVER)
        sched_yield();
    return 0;
}

int
ncclAllReduce(const void *from, void *to, unsigned long count, void *comm)
{
    int ret = await_others();
    STANDIN_STAY;
    return ret;
}

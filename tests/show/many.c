// SPDX-License-Identifier: BSD-3-Clause
// THREADS FRAMES: has so many more threads, and so many calls within each other; says when it is
// so.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STACK_BYTES = 64 * 1024 };

static void *
idle(void *arg)
{
    for (;;)
        pause();
    return arg;
}

static void
start(int count)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 0; i < count; i++)
        if (pthread_create(&thread, &attributes, idle, NULL) != 0)
            exit(EXIT_FAILURE);
}

static int descend(int depth);

// The compiler is not to make a loop of the calls.
static int (*volatile again)(int depth) = descend;

static int
descend(int depth)
{
    if (depth > 0)
        return again(depth - 1) + 1;
    puts("ready");
    fflush(stdout);
    idle(NULL);
    return 0;
}

int
main(int argc, char **argv)
{
    start(argc > 1 ? atoi(argv[1]) : 0);
    return descend(argc > 2 ? atoi(argv[2]) : 0);
}

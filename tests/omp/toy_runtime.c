// SPDX-License-Identifier: BSD-3-Clause
// A program on an OpenMP runtime that no reader knows, but which names an OMPD library.
//
// Usage: toy_runtime MODE LIBRARY; the mode is what the library does (toy_ompd.c).
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

const char *const *ompd_dll_locations;
uint32_t toy_mode;

int omp_get_num_threads(void);
int
omp_get_num_threads(void)
{
    return 2;
}

static void *
wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int
main(int argc, char **argv)
{
    const char *const locations[] = {argc > 2 ? argv[2] : "", NULL};
    pthread_t thread;
    toy_mode = argc > 1 ? (uint32_t) strtoul(argv[1], NULL, 10) : 0;
    ompd_dll_locations = locations;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    wait_for_ever(NULL);
}

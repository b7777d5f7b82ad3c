// SPDX-License-Identifier: BSD-3-Clause
// OpenMP without MPI. Each thread says on standard output where it stays: "TID FUNCTION LINE".
//
//   alone region   a region of two threads
//   alone teams    two teams of one thread
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// All threads are where they are said to be only when this is on the stack.
static void
stay(const char *function, int line)
{
    printf("%ld %s %d\n", syscall(SYS_gettid), function, line);
    fflush(stdout);
    for (;;)
        pause();
}

static void
share(void)
{
#pragma omp parallel num_threads(2)
    stay(__func__, __LINE__);
}

static void
split(void)
{
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(1)
    stay(__func__, __LINE__);
}

int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "teams") == 0)
        split();
    share();
    return 1;
}

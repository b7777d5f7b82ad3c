// SPDX-License-Identifier: BSD-3-Clause
// Processes, of MPI or not, that know where they are: of each thread a line is printed,
//
//   rank 3 pid 4711 tid 4712 at main>descend>descend>meet>MPI_Barrier
//
// the functions of its stack from the outermost on, then the call. All are in a barrier but for
// one: the last rank sleeps in alone(). Without MPI there is one process, whose arguments are its
// rank and how many there are: "places RANK RANKS".
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

// The code of a parallel region is a function by itself.
#ifdef _OPENMP
#define DOWN_TO_ACT "main>descend>descend>descend>act>act>"
#else
#define DOWN_TO_ACT "main>descend>descend>descend>act>"
#endif

enum { DEPTH = 3, SECONDS = 300 };

static int rank, ranks;

static void
say(const char *places)
{
    printf("rank %d pid %d tid %ld at %s\n", rank, (int) getpid(), syscall(SYS_gettid), places);
    fflush(stdout);
}

/** Waits for nothing of the job. */
__attribute__((noinline)) static void
alone(void)
{
    say(DOWN_TO_ACT "alone>sleep");
    for (;;)
        sleep(SECONDS);
}

__attribute__((noinline)) static void
meet(void)
{
#ifdef WITH_MPI
    say(DOWN_TO_ACT "meet>MPI_Barrier");
    MPI_Barrier(MPI_COMM_WORLD);
#else
    say(DOWN_TO_ACT "meet>pause");
    pause();
#endif
    __asm__ volatile(""); // not a tail call
}

#ifdef _OPENMP
/** The first thread does what it would do without OpenMP; the last one of the last rank is alone.
 */
__attribute__((noinline)) static void
act(void)
{
#pragma omp parallel num_threads(4)
    {
        int number = omp_get_thread_num();
        if (number == 3 && rank == ranks - 1)
            alone();
        if (number == 0 && rank < ranks - 1)
            meet();
        say(DOWN_TO_ACT "barrier");
#pragma omp barrier
    }
}
#else
__attribute__((noinline)) static void
act(void)
{
    if (rank == ranks - 1)
        alone();
    else
        meet();
    __asm__ volatile("");
}
#endif

__attribute__((noinline)) static void
descend(int depth)
{
    if (depth > 1)
        descend(depth - 1);
    else
        act();
    __asm__ volatile("");
}

int
main(int argc, char **argv)
{
#ifdef WITH_MPI
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#else
    rank = argc > 1 ? atoi(argv[1]) : 0;
    ranks = argc > 2 ? atoi(argv[2]) : 1;
#endif
    descend(DEPTH);
    return 0;
}

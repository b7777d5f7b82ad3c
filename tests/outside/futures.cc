// SPDX-License-Identifier: BSD-3-Clause
// Ranks that wait by what C++ and OpenMP have for it, or on their way out, and never end:
//
//   future    Rank 0 waits for a future whose thread duplicates MPI_COMM_WORLD, the others are in
//             a barrier of it.
//   workers   Two ranks receive from each other in the masters of parallel regions, at
//             MPI_THREAD_FUNNELED; the other threads work.
//   jumps     Likewise in the other thread, at MPI_THREAD_MULTIPLE: the master is at a barrier that
//             no call on its stack names, by jumps at the ends of functions.
//   exits     Rank 4 receives from rank 0. The others leave, whereupon MPI_Finalize is called:
//             rank 0 by an exception that nobody catches, rank 1 by Fortran's STOP, rank 2 by
//             exit(), rank 3 by main's end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

static void
ready()
{
    std::puts("ready");
    std::fflush(stdout);
}

static void
duplicate()
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

static void
future(int rank)
{
    ready();
    if (rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        std::async(std::launch::async, duplicate).wait();
}

static void
workers(int rank)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        {
            int value;
            ready();
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
#pragma omp for
        for (int i = 0; i < 30; i++)
            sleep(1000);
    }
}

static void
meet() noexcept
{
#pragma omp barrier
}

static void (*volatile go)() noexcept = meet;

static void
receive(int rank)
{
    static int value; // not on the stack: that would keep the function there, too
    ready();
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
jumps(int rank)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            receive(rank);
        else
            go();
    }
}

static void
finalize()
{
    MPI_Finalize();
    _exit(EXIT_FAILURE);
}

static void
fail()
{
    throw 1;
}

static void
leave()
{
    std::exit(EXIT_FAILURE);
}

extern "C" void stop(void);

static void
exits(int rank)
{
    int value;
    std::set_terminate(finalize);
    std::atexit(finalize);
    ready();
    if (rank == 0)
        fail();
    if (rank == 1)
        stop();
    if (rank == 2)
        leave();
    if (rank == 4)
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    int given = 0, rank;
    bool has_workers = argc == 2 && std::strcmp(argv[1], "workers") == 0;
#pragma omp parallel num_threads(3)
#pragma omp atomic
    given += 1; // OpenMP has begun
    MPI_Init_thread(&argc, &argv, has_workers ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (has_workers)
        workers(rank);
    else if (argc == 2 && std::strcmp(argv[1], "jumps") == 0)
        jumps(rank);
    else if (argc == 2 && std::strcmp(argv[1], "exits") == 0)
        exits(rank);
    else
        future(rank);
    return 0;
}

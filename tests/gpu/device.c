// SPDX-License-Identifier: BSD-3-Clause
// Ranks that wait for a GPU, of which stand-ins for its libraries know: device LEVEL WHAT, where
// LEVEL is MPI's level of threads.
//
//   waits      Rank 1 waits for the device in one call after the other, and prints in which, with
//   its
//              process id; the others wait for rank 1. SIGUSR1 ends such a wait.
//   healthy    All compute on the device for a moment, and meet, again and again.
//   deadlock   Both receive from each other, also into memory of the device.
//   nccl       Rank 0 is in a collective of NCCL, the others in one of MPI.
#include "tests/gpu/standin.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { TAG = 7, DEVICE_TAG = 8, HOST_TAG = 9, BYTES = 1 << 21, WORK = 2000 };

volatile sig_atomic_t standin_work;
int standin_event;

static int rank;
static pthread_mutex_t results = PTHREAD_MUTEX_INITIALIZER;

static void
complete(int number)
{
    uint64_t one = 1;
    standin_work = 0;
    if (write(standin_event, &one, sizeof one) < 0)
        _exit(number);
}

static void
synchronize_stream(void)
{
    cudaStreamSynchronize(NULL);
}

static void
synchronize_event(void)
{
    cudaEventSynchronize(NULL);
}

static void
synchronize_device(void)
{
    cudaDeviceSynchronize();
}

static void
copy(void)
{
    cudaMemcpy(NULL, NULL, 0, 0);
}

static void
copy_async(void)
{
    cudaMemcpyAsync(NULL, NULL, 0, 0, NULL);
}

static void
give_back(void)
{
    cudaFree(NULL);
}

static void
launch(void)
{
    cudaLaunchKernel(NULL, 0);
}

static void
synchronize_context(void)
{
    cuCtxSynchronize_v2();
}

static void
synchronize_hip(void)
{
    hipStreamSynchronize(NULL);
}

static void
take_results(void *of)
{
    pthread_mutex_lock(of);
    pthread_mutex_unlock(of);
}

/** The device waits for a function that waits for what the thread has that waits for the device. */
static void
await_function(void)
{
    pthread_mutex_lock(&results);
    cuLaunchHostFunc(NULL, take_results, &results);
    cudaStreamSynchronize(NULL);
    pthread_mutex_unlock(&results);
}

static const struct {
    const char *call;
    void (*wait)(void);
} waits[] = {
    {"cudaStreamSynchronize", synchronize_stream},
    {"cudaEventSynchronize", synchronize_event},
    {"cudaDeviceSynchronize", synchronize_device},
    {"cudaMemcpy", copy},
    {"cudaMemcpyAsync", copy_async},
    {"cudaFree", give_back},
    {"cudaLaunchKernel", launch},
    {"cuCtxSynchronize", synchronize_context},
    {"hipStreamSynchronize", synchronize_hip},
    {"cudaStreamSynchronize", await_function},
};

enum { WAITS = sizeof waits / sizeof *waits };

static void
wait_one_by_one(void)
{
    int value = 0;
    for (size_t i = 0; i < WAITS; i++) {
        if (rank == 1) {
            printf("%d %s\n", (int) getpid(), waits[i].call);
            cudaLaunchKernel(NULL, STANDIN_FOR_EVER);
            waits[i].wait();
        }
        MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void
compute_and_meet(void)
{
    int value = 0, sum;
    printf("%d\n", (int) getpid());
    for (;;) {
        cudaLaunchKernel(NULL, WORK);
        cudaStreamSynchronize(NULL);
        cudaMemcpyAsync(NULL, NULL, 0, 0, NULL);
        while (cuEventQuery(NULL))
            ;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void
receive(void)
{
    int value, more;
    void *memory;
    MPI_Request requests[2];
    if (cudaMalloc(&memory, BYTES) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Irecv(memory, BYTES, MPI_BYTE, 1 - rank, DEVICE_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&more, 1, MPI_INT, 1 - rank, HOST_TAG, MPI_COMM_WORLD, &requests[1]);
    printf("%d\n", (int) getpid());
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
part_ways(void)
{
    printf("%d\n", (int) getpid());
    cudaLaunchKernel(NULL, STANDIN_FOR_EVER);
    if (rank == 0)
        ncclAllReduce(NULL, NULL, 0, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    int level = argc > 1 ? atoi(argv[1]) : 0, provided;
    const char *what = argc > 2 ? argv[2] : "";
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    setvbuf(stdout, NULL, _IOLBF, 0);
    standin_event = eventfd(0, EFD_NONBLOCK);
    signal(SIGUSR1, complete);
    MPI_Init_thread(&argc, &argv, levels[level], &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cuInit(0);
    ncclCommInitRank(NULL, 0, rank);
    if (strcmp(what, "waits") == 0)
        wait_one_by_one();
    else if (strcmp(what, "healthy") == 0)
        compute_and_meet();
    else if (strcmp(what, "nccl") == 0)
        part_ways();
    else
        receive();
    MPI_Finalize();
    return 0;
}

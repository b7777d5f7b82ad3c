// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for libraries of GPUs: the names, the threads and the waits of the real ones, as they
// were seen (the documents beside), and no device.
#ifndef TESTS_GPU_STANDIN_H
#define TESTS_GPU_STANDIN_H

#include <signal.h>

/** What the device still has to do: it is asked so often until it has done it. */
enum { STANDIN_FOR_EVER = -1 };

/** The device, in the program: what it has to do, and an eventfd that is set when that is done and
 * does not block. */
extern volatile sig_atomic_t standin_work;
extern int standin_event;

/** A part of a library, without a name in it. */
#define STANDIN_INNER __attribute__((noinline)) static

/** Keeps a call from becoming a jump, as what follows it must be done. */
#define STANDIN_STAY __asm__ volatile("")

/** Whether the device has something to do, which it does a part of. */
static inline int
standin_busy(void)
{
    if (standin_work > 0)
        standin_work--;
    return standin_work != 0;
}

// libcuda.so.1
int cuInit(unsigned flags);
int cuStreamSynchronize(void *stream);
int cuEventSynchronize(void *event);
int cuEventQuery(void *event);
int cuCtxSynchronize_v2(void);
int cuMemcpyDtoH_v2(void *to, const void *from, unsigned long bytes);
int cuMemcpyDtoHAsync_v2(void *to, const void *from, unsigned long bytes, void *stream);
int cuMemAlloc_v2(void **memory, unsigned long bytes);
int cuMemFree_v2(void *memory);
int cuLaunchKernel(void *function, long work);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);

// libcudart.so.12, or linked in
int cudaStreamSynchronize(void *stream);
int cudaEventSynchronize(void *event);
int cudaDeviceSynchronize(void);
int cudaMemcpy(void *to, const void *from, unsigned long bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, unsigned long bytes, int kind, void *stream);
int cudaMalloc(void **memory, unsigned long bytes);
int cudaFree(void *memory);
int cudaLaunchKernel(void *function, long work);

// libhsa-runtime64.so.1, libamdhip64.so.6
long hsa_signal_wait_scacquire(void *signal);
int hipStreamSynchronize(void *stream);

// libnccl.so.2
int ncclCommInitRank(void **comm, int count, int rank);
int ncclAllReduce(const void *from, void *to, unsigned long count, void *comm);

#endif

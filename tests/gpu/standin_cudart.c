// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libcudart.so.12, also to link in: all of it is done by the driver.
#include "tests/gpu/standin.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CALL(function, parameters, arguments, driver)        \
    STANDIN_INNER int libcudart_static_##function parameters \
    {                                                        \
        int ret = driver;                                    \
        STANDIN_STAY;                                        \
        return ret;                                          \
    }                                                        \
    int function parameters                                  \
    {                                                        \
        int ret = libcudart_static_##function arguments;     \
        STANDIN_STAY;                                        \
        return ret;                                          \
    }

CALL(cudaStreamSynchronize, (void *stream), (stream), cuStreamSynchronize(stream))
CALL(cudaEventSynchronize, (void *event), (event), cuEventSynchronize(event))
CALL(cudaDeviceSynchronize, (void), (), cuCtxSynchronize_v2())
CALL(cudaMemcpy, (void *to, const void *from, unsigned long bytes, int kind),
     (to, from, bytes, kind), cuMemcpyDtoH_v2(to, from, bytes))
CALL(cudaMemcpyAsync, (void *to, const void *from, unsigned long bytes, int kind, void *stream),
     (to, from, bytes, kind, stream), cuMemcpyDtoHAsync_v2(to, from, bytes, stream))
CALL(cudaMalloc, (void **memory, unsigned long bytes), (memory, bytes),
     cuMemAlloc_v2(memory, bytes))
CALL(cudaFree, (void *memory), (memory), cuMemFree_v2(memory))
CALL(cudaLaunchKernel, (void *function, long work), (function, work),
     cuLaunchKernel(function, work))

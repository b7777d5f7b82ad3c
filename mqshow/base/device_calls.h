// SPDX-License-Identifier: BSD-3-Clause
// The functions that wait for a device, such as a GPU, and the libraries in which a thread does.
#ifndef MQSHOW_BASE_DEVICE_CALLS_H
#define MQSHOW_BASE_DEVICE_CALLS_H

#include <stdbool.h>

enum device_api {
    DEVICE_CUDA,
    DEVICE_HIP,
    DEVICE_LEVEL_ZERO,
    DEVICE_OPENCL,
    DEVICE_SYCL,
    DEVICE_OPENMP,
    DEVICE_OPENACC,
    DEVICE_NCCL,
    DEVICE_RCCL,
    DEVICE_ONECCL,
    DEVICE_KOKKOS,
    DEVICE_TORCH
};

/** What a thread waits for. */
enum device_waits {
    DEVICE_WAITS_STREAM, // all work that was given to a stream or queue
    DEVICE_WAITS_EVENT,
    DEVICE_WAITS_DEVICE, // all work of the device
    DEVICE_WAITS_COPY,
    DEVICE_WAITS_MEMORY,  // it is allocated, freed or mapped
    DEVICE_WAITS_CODE,    // it is loaded
    DEVICE_WAITS_REGION,  // code that runs on the device, and the data that this needs
    DEVICE_WAITS_LAUNCH,  // room in the queue of the device, if it sleeps or gives up the processor
    DEVICE_WAITS_RANKS,   // other processes, perhaps, that are to call the same
    DEVICE_WAITS_NOTHING, // it asks
    DEVICE_WAITS_PART     // not known: a function within such calls, which users do not call
};

struct device_call {
    const char *name;
    enum device_api api;
    enum device_waits waits;
    bool above; // may run without a device: a thread in it waits for one if such a call is in it
};

/** The line of a function, by its name in the source or that of the linker; NULL: there is none. */
const struct device_call *device_call_find(const char *function);

/** Whether a function of Python is one of torch.distributed that users call and that waits for
 * other ranks, whatever does that for it. @param file of its source */
bool device_is_torch_call(const char *function, const char *file);

/** A library of such functions. */
struct device_library {
    const char *file, *name; // a pattern; "libcuda"
    enum device_api api;
    bool drives; // whatever the function: a thread in it waits for the device, or works for it
};

/** By the path of its file; NULL: it is none. */
const struct device_library *device_library_find(const char *path);

/** The name of a function for free(), without what tells its variants apart: "cuMemcpyDtoH". */
char *device_call_plain(const char *function);

/** "CUDA", ... */
const char *device_api_name(enum device_api api);

/** Whether those who use it call what it drives a GPU. */
bool device_is_gpu(const char *api);

#endif

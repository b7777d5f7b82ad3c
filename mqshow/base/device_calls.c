// SPDX-License-Identifier: BSD-3-Clause
// The functions that wait for a device, such as a GPU, and the libraries in which a thread does.
#include "mqshow/base/device_calls.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

static const struct device_call calls[] = {
#define CALL(call, of, for, ...)                                                  \
    {.name = call, .api = DEVICE_##of, .waits = DEVICE_WAITS_##for, ##__VA_ARGS__ \
    }                                                                             \
    ,
#include "mqshow/base/device_calls.def"
#undef CALL
};

static const struct device_library libraries[] = {
    {"libcuda.so*", "libcuda", DEVICE_CUDA, true},
    {"libcudart[.-]*", "libcudart", DEVICE_CUDA, false},
    {"libamdhip64.so*", "libamdhip64", DEVICE_HIP, false},
    {"libhsa-runtime64.so*", "libhsa-runtime64", DEVICE_HIP, true},
    {"libhsakmt.so*", "libhsakmt", DEVICE_HIP, true},
    {"libze_loader.so*", "libze_loader", DEVICE_LEVEL_ZERO, false},
    {"libze_intel_gpu.so*", "libze_intel_gpu", DEVICE_LEVEL_ZERO, true},
    {"libOpenCL.so*", "libOpenCL", DEVICE_OPENCL, false},
    {"libigdrcl.so*", "libigdrcl", DEVICE_OPENCL, true},
    {"libnvidia-opencl.so*", "libnvidia-opencl", DEVICE_OPENCL, true},
    {"libamdocl64.so*", "libamdocl64", DEVICE_OPENCL, false},
    {"libsycl.so*", "libsycl", DEVICE_SYCL, false},
    {"libpi_*.so*", "libpi", DEVICE_SYCL, false},
    {"libur_*.so*", "libur", DEVICE_SYCL, false},
    {"libomptarget*.so*", "libomptarget", DEVICE_OPENMP, false},
    {"libgomp[.-]*", "libgomp", DEVICE_OPENMP, false},
    {"libnccl.so*", "libnccl", DEVICE_NCCL, false},
    {"librccl.so*", "librccl", DEVICE_RCCL, false},
    {"libccl.so*", "libccl", DEVICE_ONECCL, false},
    {"libacc*.so*", "libacc", DEVICE_OPENACC, false},
};

static bool
is_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char) text[i]))
            return false;
    return length > 0;
}

/** Length of a name without what tells variants of a function apart: "cuMemcpyDtoH_v2_ptds". */
static size_t
plain_length(const char *name)
{
    static const char *const variants[] = {"_ptsz", "_ptds", "_spt"};
    size_t length = strcspn(name, "@"), start;
    do {
        start = length;
        while (start > 0 && name[start - 1] != '_')
            start--;
        if (start > 1 && name[start] == 'v' && is_digits(name + start + 1, length - start - 1))
            length = start - 1;
        for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
            if (start > 1 && strlen(variants[i]) == length - start + 1 &&
                strncmp(name + start - 1, variants[i], strlen(variants[i])) == 0)
                length = start - 1;
    } while (length + 1 == start);
    return length;
}

/** NCCL's functions have a second name, for profilers. */
static const char *
public_name(const char *function)
{
    return function + (strncmp(function, "pnccl", strlen("pnccl")) == 0);
}

static bool
fits(const char *name, const char *function, size_t length)
{
    size_t own = strcspn(name, "*");
    return name[own] == '*' ? length >= own && strncmp(function, name, own) == 0
                            : length == own && strncmp(function, name, own) == 0;
}

const struct device_call *
device_call_find(const char *function)
{
    function = public_name(function);
    size_t length = plain_length(function);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (fits(calls[i].name, function, length))
            return &calls[i];
    return NULL;
}

bool
device_is_torch_call(const char *function, const char *file)
{
    static const char *const names[] = {"all_gather*",
                                        "all_reduce*",
                                        "all_to_all*",
                                        "barrier",
                                        "broadcast*",
                                        "gather*",
                                        "init_process_group",
                                        "monitored_barrier",
                                        "new_*group*",
                                        "recv*",
                                        "reduce*",
                                        "scatter*",
                                        "send*",
                                        "split_group",
                                        "destroy_process_group"};
    if (fnmatch("*/torch/distributed/distributed_c10d.py", file, 0) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], function, 0) == 0)
            return true;
    return false;
}

const struct device_library *
device_library_find(const char *path)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (fnmatch(libraries[i].file, base_name(path), 0) == 0)
            return &libraries[i];
    return NULL;
}

char *
device_call_plain(const char *function)
{
    function = public_name(function);
    return alloc_format("%.*s", (int) plain_length(function), function);
}

static const char *const apis[] = {
    [DEVICE_CUDA] = "CUDA",       [DEVICE_HIP] = "HIP",       [DEVICE_LEVEL_ZERO] = "Level Zero",
    [DEVICE_OPENCL] = "OpenCL",   [DEVICE_SYCL] = "SYCL",     [DEVICE_OPENMP] = "OpenMP",
    [DEVICE_OPENACC] = "OpenACC", [DEVICE_NCCL] = "NCCL",     [DEVICE_RCCL] = "RCCL",
    [DEVICE_ONECCL] = "oneCCL",   [DEVICE_KOKKOS] = "Kokkos", [DEVICE_TORCH] = "torch.distributed",
};

const char *
device_api_name(enum device_api api)
{
    return apis[api];
}

bool
device_is_gpu(const char *api)
{
    return strcmp(api, apis[DEVICE_CUDA]) == 0 || strcmp(api, apis[DEVICE_HIP]) == 0;
}

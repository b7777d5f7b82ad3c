// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libnvidia-ml.so.1: of two devices, the second one in the order of the library has
// the first file, as in a container. It prints what it is told by the environment, and sleeps for
// ever where that says so, as the library does when a device does not answer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS, NOT_SUPPORTED = 3, INVALID = 2, TOO_SMALL = 7, DEVICES = 2 };

static char devices[DEVICES];

/** A number of the environment; -1: it has none. */
static int
told(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

API int
nvmlInit_v2(void)
{
    if (told("STANDIN_NVML_HANGS") > 0)
        pause();
    return SUCCESS;
}

API int
nvmlDeviceGetHandleByIndex_v2(unsigned index, char **ret)
{
    *ret = &devices[index < DEVICES ? index : 0];
    return index < DEVICES ? SUCCESS : INVALID;
}

API int
nvmlDeviceGetMinorNumber(const char *device, unsigned *ret)
{
    *ret = device == &devices[0] ? 1 : 0;
    return SUCCESS;
}

API int
nvmlDeviceGetName(const char *device, char *ret, unsigned size)
{
    snprintf(ret, size, "Stand-in %d", device == &devices[0] ? 1 : 0);
    return SUCCESS;
}

API int
nvmlDeviceGetUUID(const char *device, char *ret, unsigned size)
{
    snprintf(ret, size, "GPU-0000-%d", device == &devices[0] ? 1 : 0);
    return SUCCESS;
}

API int
nvmlDeviceGetUtilizationRates(const char *device, unsigned ret[2])
{
    int busy = told("STANDIN_NVML_BUSY");
    ret[0] = (unsigned) busy;
    ret[1] = 0;
    return busy < 0 || device == &devices[0] ? NOT_SUPPORTED : SUCCESS;
}

struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned instances[2];
};

API int
nvmlDeviceGetComputeRunningProcesses_v3(const char *device, unsigned *count, struct process *ret)
{
    int user = device == &devices[0] ? -1 : told("STANDIN_NVML_USER");
    unsigned wanted = user > 0;
    int status = *count < wanted ? TOO_SMALL : SUCCESS;
    if (status == SUCCESS && wanted > 0)
        *ret = (struct process){.pid = (unsigned) user};
    *count = wanted;
    return status;
}

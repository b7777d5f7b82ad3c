// SPDX-License-Identifier: BSD-3-Clause
// What the driver of a GPU says of it.
//
// NVML's functions and records: "NVML API Reference Guide", sections "Device Queries" and "Device
// Structs". Those of AMD's files: Linux, Documentation/gpu/amdgpu/thermal.rst and
// driver-misc.rst.
#include "mqshow/process/device_state.h"

#include "mqshow/base/clock.h"
#include "mqshow/process/child.h"
#include "mqshow/process/procfs.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 5, NVML_SUCCESS = 0, NVML_TOO_SMALL = 7, NVML_DEVICES_MAX = 256 };

typedef void *nvml_device;

struct nvml_utilization {
    unsigned gpu, memory; // percent
};

struct nvml_process {
    unsigned pid;
    unsigned long long memory;
    unsigned instances[2];
};

struct nvml {
    int (*init)(void);
    int (*by_index)(unsigned, nvml_device *);
    int (*minor)(nvml_device, unsigned *);
    int (*name)(nvml_device, char *, unsigned);
    int (*uuid)(nvml_device, char *, unsigned);
    int (*utilization)(nvml_device, struct nvml_utilization *);
    int (*processes)(nvml_device, unsigned *, struct nvml_process *);
};

/** What the child works with. */
struct question {
    const char *const *files;
    size_t count;
};

static bool
nvml_load(struct nvml *nvml)
{
    void *file = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return false;
    nvml->init = (__typeof__(nvml->init)) dlsym(file, "nvmlInit_v2");
    nvml->by_index = (__typeof__(nvml->by_index)) dlsym(file, "nvmlDeviceGetHandleByIndex_v2");
    nvml->minor = (__typeof__(nvml->minor)) dlsym(file, "nvmlDeviceGetMinorNumber");
    nvml->name = (__typeof__(nvml->name)) dlsym(file, "nvmlDeviceGetName");
    nvml->uuid = (__typeof__(nvml->uuid)) dlsym(file, "nvmlDeviceGetUUID");
    nvml->utilization =
        (__typeof__(nvml->utilization)) dlsym(file, "nvmlDeviceGetUtilizationRates");
    // The first one has another record.
    nvml->processes =
        (__typeof__(nvml->processes)) dlsym(file, "nvmlDeviceGetComputeRunningProcesses_v3");
    return nvml->init && nvml->by_index && nvml->minor && nvml->init() == NVML_SUCCESS;
}

static void
set_users(struct device_state *state, const struct nvml *nvml, nvml_device device)
{
    struct nvml_process processes[DEVICE_USERS_MAX];
    unsigned count = DEVICE_USERS_MAX;
    int status = nvml->processes(device, &count, processes);
    if ((status != NVML_SUCCESS && status != NVML_TOO_SMALL) || count > INT32_MAX)
        return;
    state->n_users = (int32_t) count;
    for (unsigned i = 0; status == NVML_SUCCESS && i < count && i < DEVICE_USERS_MAX; i++)
        state->users[state->n_listed++] = (int32_t) processes[i].pid;
}

static void
set_state(struct device_state *state, const struct nvml *nvml, nvml_device device)
{
    struct nvml_utilization utilization;
    if (nvml->name && nvml->name(device, state->name, DEVICE_NAME_MAX) != NVML_SUCCESS)
        *state->name = '\0';
    if (nvml->uuid && nvml->uuid(device, state->uuid, DEVICE_NAME_MAX) != NVML_SUCCESS)
        *state->uuid = '\0';
    if (nvml->utilization && nvml->utilization(device, &utilization) == NVML_SUCCESS &&
        utilization.gpu <= 100)
        state->busy = (int32_t) utilization.gpu;
    if (nvml->processes)
        set_users(state, nvml, device);
}

/** The number in the name of NVIDIA's file; -1: it is of another driver. */
static long
nvidia_minor(const char *file)
{
    static const char prefix[] = "/dev/nvidia";
    char *end;
    if (strncmp(file, prefix, sizeof prefix - 1) != 0)
        return -1;
    long number = strtol(file + sizeof prefix - 1, &end, 10);
    return end > file + sizeof prefix - 1 && !*end && number >= 0 && number <= INT32_MAX ? number
                                                                                         : -1;
}

static void
forget(struct device_state *states, size_t count)
{
    for (size_t i = 0; i < count; i++)
        states[i] = (struct device_state){.busy = -1, .n_users = -1};
}

static void
work(void *context, int requests, int replies)
{
    const struct question *question = context;
    struct device_state states[DEVICE_STATES_MAX];
    struct nvml nvml;
    nvml_device device;
    unsigned minor;
    (void) requests;
    forget(states, question->count);
    if (!nvml_load(&nvml))
        _exit(EXIT_FAILURE);
    for (unsigned i = 0; i < NVML_DEVICES_MAX && nvml.by_index(i, &device) == NVML_SUCCESS; i++)
        for (size_t k = 0; nvml.minor(device, &minor) == NVML_SUCCESS && k < question->count; k++)
            if (nvidia_minor(question->files[k]) == (long) minor)
                set_state(&states[k], &nvml, device);
    packet_send_or_exit(replies, 0, (const char *) states, question->count * sizeof *states);
    _exit(EXIT_SUCCESS);
}

/** What another process has sent is not believed. */
static void
check(struct device_state *state)
{
    state->name[DEVICE_NAME_MAX - 1] = state->uuid[DEVICE_NAME_MAX - 1] = '\0';
    if (state->n_listed < 0 || state->n_listed > DEVICE_USERS_MAX)
        state->n_listed = 0;
}

static void
ask_nvidia(const struct question *question, struct device_state *ret)
{
    struct child child;
    struct question copy = *question;
    if (!child_start(&child, work, &copy))
        return;
    enum packet_event event =
        packet_wait(&child.packet, child.replies, clock_us() + (int64_t) PATIENCE_S * 1000000);
    if (event == PACKET_WHOLE && child.packet.head.size == question->count * sizeof *ret) {
        memcpy(ret, child.packet.text, question->count * sizeof *ret);
        for (size_t i = 0; i < question->count; i++)
            check(&ret[i]);
    }
    child_kill(&child);
}

/** The first line of one of a device's files in /sys; empty: there is none. */
static void
read_line(char *ret, size_t size, const char *file, const char *name)
{
    const char *base = strrchr(file, '/') + 1;
    char *text = procfs_read(NULL, "/sys/class/drm/%s/device/%s", base, name);
    snprintf(ret, size, "%.*s", text ? (int) strcspn(text, "\n") : 0, text ? text : "");
    free(text);
}

static void
ask_amd(const char *file, struct device_state *ret)
{
    char busy[sizeof "100"], *end;
    read_line(busy, sizeof busy, file, "gpu_busy_percent");
    long percent = strtol(busy, &end, 10);
    if (end > busy && !*end && percent >= 0 && percent <= 100)
        ret->busy = (int32_t) percent;
    read_line(ret->name, sizeof ret->name, file, "product_name");
    read_line(ret->uuid, sizeof ret->uuid, file, "unique_id");
}

void
device_states_ask(const char *const *files, size_t count, struct device_state *ret)
{
    struct question question = {files, count < DEVICE_STATES_MAX ? count : DEVICE_STATES_MAX};
    bool has_nvidia = false;
    forget(ret, count);
    for (size_t i = 0; i < question.count; i++)
        has_nvidia |= nvidia_minor(files[i]) >= 0;
    if (has_nvidia)
        ask_nvidia(&question, ret);
    for (size_t i = 0; i < question.count; i++)
        if (strncmp(files[i], "/dev/dri/", strlen("/dev/dri/")) == 0)
            ask_amd(files[i], &ret[i]);
}

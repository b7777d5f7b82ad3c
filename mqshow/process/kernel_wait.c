// SPDX-License-Identifier: BSD-3-Clause
// Where in the kernel a thread sleeps, from /proc, and which driver's files these are.
#include "mqshow/process/kernel_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

/** Drivers of accelerators and networks: the beginning of the paths of their files, and the names
 * of their modules, longer ones first where they begin alike.
 */
static const struct {
    const char *path, *module, *name;
} drivers[] = {
    {"/dev/nvidia-uvm", "nvidia_uvm", "NVIDIA's driver (nvidia_uvm)"},
    {"/dev/nvidia-modeset", "nvidia_modeset", "NVIDIA's driver (nvidia_modeset)"},
    {"/dev/nvidia", "nvidia", "NVIDIA's driver (nvidia)"},
    {"/dev/kfd", "amdgpu", "AMD's driver (amdgpu)"},
    {"/dev/dri/", NULL, "the driver of a GPU (DRM)"},
    {NULL, "i915", "Intel's driver (i915)"},
    {NULL, "xe", "Intel's driver (xe)"},
    {NULL, "nouveau", "NVIDIA's driver (nouveau)"},
    {"/dev/accel/", NULL, "the driver of an accelerator"},
    {"/dev/davinci", "drv_davinci", "Ascend's driver"},
    {"/dev/gdrdrv", "gdrdrv", "NVIDIA's driver (gdrdrv)"},
    {"/dev/infiniband/", "ib_uverbs", "the driver of InfiniBand (ib_uverbs)"},
    {"/dev/xpmem", "xpmem", "XPMEM's driver"},
    {"/dev/knem", "knem", "KNEM's driver"},
    {"/dev/cxi", "cxi_user", "Slingshot's driver (cxi)"},
    {"/dev/hfi1", "hfi1", "Omni-Path's driver (hfi1)"},
};

enum { DRIVERS = sizeof drivers / sizeof *drivers };

const char *
driver_of_file(const char *path)
{
    for (size_t i = 0; i < DRIVERS; i++)
        if (drivers[i].path && strncmp(path, drivers[i].path, strlen(drivers[i].path)) == 0)
            return drivers[i].name;
    return NULL;
}

const char *
driver_of_module(const char *module)
{
    for (size_t i = 0; i < DRIVERS; i++)
        if (drivers[i].module && strcmp(module, drivers[i].module) == 0)
            return drivers[i].name;
    return NULL;
}

void
kernel_wait_parse(struct kernel_wait *wait, char *stack)
{
    char function[NAME_MAX_BYTES + 1], module[NAME_MAX_BYTES + 1], *rest = NULL;
    for (char *line = stack ? strtok_r(stack, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        // "[<0>] nfs_wait_bit_killable+0x1f/0x80 [nfs]"
        int count =
            sscanf(line, "[<%*x>] %64[A-Za-z0-9_.]+%*x/%*x [%64[A-Za-z0-9_-]]", function, module);
        if (count >= 1 && !wait->function)
            wait->function = alloc_text(function);
        if (count == 2 && !wait->module)
            wait->module = alloc_text(module);
    }
}

struct kernel_wait
kernel_wait_read(pid_t pid, pid_t tid)
{
    struct kernel_wait wait = {.function = NULL};
    struct procfs_stat stat;
    char name[NAME_MAX_BYTES + 1];
    wait.uninterruptible = procfs_stat(pid, tid, &stat) && stat.letter == 'D';
    char *text = procfs_read(NULL, "/proc/%d/task/%d/stack", (int) pid, (int) tid);
    kernel_wait_parse(&wait, text);
    free(text);
    text = wait.function ? NULL : procfs_read(NULL, "/proc/%d/task/%d/wchan", (int) pid, (int) tid);
    if (text && sscanf(text, "%64[A-Za-z0-9_.]", name) == 1 && strcmp(name, "0") != 0)
        wait.function = alloc_text(name);
    free(text);
    return wait;
}

void
kernel_wait_deinit(struct kernel_wait *wait)
{
    free(wait->function);
    free(wait->module);
    *wait = (struct kernel_wait){.function = NULL};
}

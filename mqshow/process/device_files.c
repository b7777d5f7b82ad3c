// SPDX-License-Identifier: BSD-3-Clause
// The GPUs and other accelerators that a process has open, from /proc.
#include "mqshow/process/device_files.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/open_files.h"
#include "mqshow/process/procfs.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** One for each device, as opposed to what is one for all of them. */
static const char *const files[] = {"/dev/nvidia[0-9]*", "/dev/dri/renderD*", "/dev/accel/accel*",
                                    "/dev/davinci[0-9]*"};

enum { CHOICE_MAX = 100 };

static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};

static bool
is_device(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (fnmatch(files[i], path, 0) == 0)
            return true;
    return false;
}

static int
compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *) left, *(char *const *) right);
}

size_t
device_files_find(pid_t pid, char *ret[DEVICE_FILES_MAX])
{
    int *numbers;
    size_t found = 0;
    ssize_t count = open_files_list(pid, &numbers);
    for (ssize_t i = 0; i < count && found < DEVICE_FILES_MAX; i++) {
        struct open_file file;
        size_t k = 0;
        if (!open_file_read(&file, pid, numbers[i]))
            continue;
        while (k < found && strcmp(ret[k], file.link) != 0)
            k++;
        if (k == found && is_device(file.link))
            ret[found++] = alloc_text(file.link);
        open_file_deinit(&file);
    }
    free(numbers);
    qsort(ret, found, sizeof *ret, compare_paths);
    return found;
}

char *
device_choice_find(pid_t pid)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        char *value = procfs_environment(pid, variables[i]);
        char *ret = value ? alloc_format("%s=%.*s", variables[i], CHOICE_MAX, value) : NULL;
        free(value);
        if (ret)
            return ret;
    }
    return NULL;
}

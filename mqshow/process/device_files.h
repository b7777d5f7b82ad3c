// SPDX-License-Identifier: BSD-3-Clause
// The GPUs and other accelerators that a process has open, from /proc.
#ifndef MQSHOW_PROCESS_DEVICE_FILES_H
#define MQSHOW_PROCESS_DEVICE_FILES_H

#include <stddef.h>
#include <sys/types.h>

enum { DEVICE_FILES_MAX = 16 };

/** The paths of their files, in order, each once, to free(). A driver may have opened more than the
 * process uses. @return how many */
size_t device_files_find(pid_t pid, char *ret[DEVICE_FILES_MAX]);

/** "CUDA_VISIBLE_DEVICES=3", by which the process was started with a choice of them, to free();
 * NULL: by none. */
char *device_choice_find(pid_t pid);

#endif

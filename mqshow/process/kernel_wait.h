// SPDX-License-Identifier: BSD-3-Clause
// Where in the kernel a thread sleeps, and which driver's files these are.
#ifndef MQSHOW_PROCESS_KERNEL_WAIT_H
#define MQSHOW_PROCESS_KERNEL_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

struct kernel_wait {
    bool uninterruptible; // state D: no signal ends it, no debugger stops it
    char *function;       // of the kernel; NULL: not known
    char *module;         // the innermost one of its stack, which only root sees; NULL: not known
};

struct kernel_wait kernel_wait_read(pid_t pid, pid_t tid);
void kernel_wait_deinit(struct kernel_wait *wait);

/** Takes function and module from the text of /proc/PID/stack. */
void kernel_wait_parse(struct kernel_wait *wait, char *stack);

/** The driver that a file is of, such as "NVIDIA's driver (nvidia)" of /dev/nvidia0; NULL: none
 * that is known. @param path as the system names it
 */
const char *driver_of_file(const char *path);

/** Likewise, by the name of its module. */
const char *driver_of_module(const char *module);

#endif

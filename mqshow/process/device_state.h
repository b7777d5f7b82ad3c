// SPDX-License-Identifier: BSD-3-Clause
// What the driver of a GPU says of it: which one it is, whether it is busy, who uses it.
//
// NVIDIA's driver is asked through libnvidia-ml.so.1 (NVML), where that is installed, by a process
// of its own: the library may wait for a device that does not answer. AMD's says it in /sys.
#ifndef MQSHOW_PROCESS_DEVICE_STATE_H
#define MQSHOW_PROCESS_DEVICE_STATE_H

#include <stddef.h>
#include <stdint.h>

enum { DEVICE_NAME_MAX = 96, DEVICE_USERS_MAX = 64, DEVICE_STATES_MAX = 64 };

/** Not known: an empty text, a negative number. */
struct device_state {
    char name[DEVICE_NAME_MAX]; // of the product
    char uuid[DEVICE_NAME_MAX];
    int32_t busy; // percent of the last second, or less, in which it ran something
    int32_t n_users;
    int32_t n_listed;                // of these, in `users`
    int32_t users[DEVICE_USERS_MAX]; // their process ids, as the first PID namespace has them
};

/** Asks about devices of this machine; gives up after a few seconds.
 * @param files their files, such as "/dev/nvidia0"; at most DEVICE_STATES_MAX are asked about
 * @param ret   as many
 */
void device_states_ask(const char *const *files, size_t count, struct device_state *ret);

#endif

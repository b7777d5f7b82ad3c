// SPDX-License-Identifier: BSD-3-Clause
// The environment of the process, out of which the runtime takes its settings.
#ifndef OMPD_BRIDGE_KMP_ENVIRON_H
#define OMPD_BRIDGE_KMP_ENVIRON_H

#include "ompd-bridge/kmp.h"

enum {
    KMP_SETTING_MAX = 1024,   // bytes of "NAME=VALUE"; longer ones are cut
    KMP_ENVIRON_MAX = 1 << 12 // variables of the environment
};

/** "NAME=VALUE" number `index` of the environment, as it is now.
 * @param size of `ret`, 1 or more; what does not fit is cut
 * @return STATUS_END past the last; STATUS_UNSUPPORTED when the environment cannot be found;
 * STATUS_UNREADABLE, STATUS_CORRUPT
 */
CHECKED enum status kmp_environ_at(const struct kmp *kmp, unsigned index, size_t size, char *ret);

/** Value of a variable. @return as kmp_environ_at(), and STATUS_ABSENT when it is not set */
CHECKED enum status
kmp_environ_get(const struct kmp *kmp, const char *name, size_t size, char *ret);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The settings of LLVM's OpenMP runtime.
#ifndef OMPD_BRIDGE_LLVM_KMP_SETTINGS_H
#define OMPD_BRIDGE_LLVM_KMP_SETTINGS_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/llvm/kmp.h"

enum kmp_variable {
#define VARIABLE(id, name, size, function) KMP_##id,
#include "ompd-bridge/llvm/kmp_variables.def"
#undef VARIABLE
    KMP_VARIABLES
};

/** Address of a variable: by its name, or out of the code of the function that returns it (x86-64).
 * @return STATUS_ABSENT when there is neither; STATUS_UNREADABLE
 */
CHECKED enum status
kmp_variable_addr(const struct kmp *kmp, enum kmp_variable variable, taddr *ret);

/** Value of a variable that is a number or a pointer, zero extended. @return likewise */
CHECKED enum status
kmp_variable_read(const struct kmp *kmp, enum kmp_variable variable, uint64_t *ret);

enum {
    KMP_SETTING_MAX = 1024,   // bytes of "NAME=VALUE"; longer ones are cut
    KMP_ENVIRON_MAX = 1 << 12 // variables of the environment
};

/** Value of a variable of the environment, as it is now.
 * @param size of `ret`, 1 or more; what does not fit is cut
 * @return STATUS_ABSENT when it is not set; STATUS_UNSUPPORTED when the environment cannot be
 * found; STATUS_UNREADABLE, STATUS_CORRUPT
 */
CHECKED enum status
kmp_environ_get(const struct kmp *kmp, const char *name, size_t size, char *ret);

/** Emits "NAME=VALUE" for each variable that the runtime lists, and for others of its kind in the
 * environment.
 *
 * libompd would give the runtime's list as it stands, which has none of the environment's values.
 * @return STATUS_UNSUPPORTED when the environment cannot be found; STATUS_UNREADABLE,
 * STATUS_CORRUPT, STATUS_NOMEM
 */
CHECKED enum status kmp_control_vars(const struct kmp *kmp, struct text_sink *sink);

#endif

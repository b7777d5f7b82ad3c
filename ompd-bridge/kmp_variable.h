// SPDX-License-Identifier: BSD-3-Clause
// The settings of LLVM's OpenMP runtime, in variables that only unstripped runtimes name.
#ifndef OMPD_BRIDGE_KMP_VARIABLE_H
#define OMPD_BRIDGE_KMP_VARIABLE_H

#include "ompd-bridge/kmp.h"

enum kmp_variable {
#define VARIABLE(id, name, size, function) KMP_##id,
#include "ompd-bridge/kmp_variables.def"
#undef VARIABLE
    KMP_VARIABLES
};

/** Address of a variable: by its name, or out of the code of the function that returns it (x86-64).
 * @return STATUS_ABSENT when neither tells; STATUS_UNREADABLE
 */
CHECKED enum status
kmp_variable_addr(const struct kmp *kmp, enum kmp_variable variable, taddr *ret);

/** Value of a variable that is a number or a pointer, zero extended. @return likewise */
CHECKED enum status
kmp_variable_read(const struct kmp *kmp, enum kmp_variable variable, uint64_t *ret);

#endif

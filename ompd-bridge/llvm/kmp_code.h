// SPDX-License-Identifier: BSD-3-Clause
// A look at the machine code of the runtime's functions, for variables that have no name.
#ifndef OMPD_BRIDGE_LLVM_KMP_CODE_H
#define OMPD_BRIDGE_LLVM_KMP_CODE_H

#include "ompd-bridge/llvm/kmp.h"

/** Address of the variable whose value a function of the interface returns, or copies from.
 * @param function a string literal
 * @param size     bytes of the variable: 4 or 8
 * @return STATUS_ABSENT when the function is not there or its code is of no known shape (other
 * machines, other compilers); STATUS_UNREADABLE
 */
CHECKED enum status
kmp_code_returned(const struct kmp *kmp, const char *function, uint64_t size, taddr *ret);

#endif

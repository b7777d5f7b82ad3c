// SPDX-License-Identifier: BSD-3-Clause
// Struct layouts of releases of LLVM's OpenMP runtime that publish none.
#ifndef OMPD_BRIDGE_LLVM_BUILTIN_H
#define OMPD_BRIDGE_LLVM_BUILTIN_H

#include "ompd-bridge/llvm/kmp.h"

/** The layout number `number`, from 0; its words and addresses are 0, as are sizes of variables
 * that the release does not have. It is to be confirmed.
 * @return false past the last one of the data model */
bool builtin_layout(const struct inferior *inf, unsigned number, struct published *ret);

/** Names all releases of one maker: "11, 13". */
void builtin_list(enum published_maker maker, size_t size, char *ret);

/** Whether the threads of the process are as the layout of `kmp` has them: known to the C library,
 * listed by their teams, whose implicit tasks are theirs and have control variables that make
 * sense, and executing that task or an explicit one. More threads must be so than not.
 * @return STATUS_MISMATCH when it is another layout, or no thread is in a region's team */
CHECKED enum status builtin_confirm(const struct kmp *kmp);

#endif

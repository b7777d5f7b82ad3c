// SPDX-License-Identifier: BSD-3-Clause
// Tasks of LLVM's OpenMP runtime.
#ifndef OMPD_BRIDGE_LLVM_KMP_TASK_H
#define OMPD_BRIDGE_LLVM_KMP_TASK_H

#include "ompd-bridge/llvm/kmp_team.h"

struct kmp_task {
    taddr addr;   // of its kmp_taskdata_t
    taddr team;   // whose region generated it
    taddr parent; // the task that generated it; 0: none
    uint32_t flags;
};

/** Reads a task.
 * @return STATUS_ABSENT when the runtime has given its memory back; STATUS_CORRUPT when it cannot
 * be a task; STATUS_UNREADABLE
 */
CHECKED enum status kmp_read_task(const struct kmp *kmp, taddr addr, struct kmp_task *ret);

/** Whether a task has a flag. @param flag a FLAG_* */
bool kmp_task_is(const struct kmp *kmp, const struct kmp_task *task, enum published_entry flag);

/** Whether it is the implicit task of a thread of its team; the published flag says "explicit". */
bool kmp_task_is_implicit(const struct kmp *kmp, const struct kmp_task *task);

/** Address of the implicit task of a team's thread. @param num within the team */
CHECKED enum status
kmp_implicit_task(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret);

/** Whether the implicit task is one of those of its team; explicit ones are not checked. */
CHECKED enum status
kmp_check_implicit(const struct kmp *kmp, const struct kmp_team *team, const struct kmp_task *task);

#endif

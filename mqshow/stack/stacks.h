// SPDX-License-Identifier: BSD-3-Clause
// Following the stacks of threads.
#ifndef MQSHOW_STACK_STACKS_H
#define MQSHOW_STACK_STACKS_H

#include "mqshow/stack/threads.h"

/** Follows the stack of each thread of a core, or of a process as far as image->copy has it. What
 * is found stands in `threads`; symbolize_threads() finds out what it means.
 * @return false when the threads could not be listed
 */
bool stacks_unwind(struct threads *threads, struct image *image);

#endif

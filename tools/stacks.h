// SPDX-License-Identifier: BSD-3-Clause
// Following the stacks of threads.
#ifndef TOOLS_STACKS_H
#define TOOLS_STACKS_H

#include "tools/threads.h"

/** Follows the stack of each thread of a core, or of a process as far as image->copy has it. What
 * is found stands in `threads`; threads_tell() finds out what it means.
 * @return false when the threads could not be listed
 */
bool stacks_gather(struct threads *threads, struct image *image);

#endif

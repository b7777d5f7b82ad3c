// SPDX-License-Identifier: BSD-3-Clause
// What the user is told on standard error: complaints and a progress line.
#ifndef MQSHOW_BASE_SAY_H
#define MQSHOW_BASE_SAY_H

#include "mqshow/base/alloc.h"

/** Exit codes of the program. */
enum { EXIT_ALL_SHOWN = 0, EXIT_SOMETHING_MISSING = 1, EXIT_USAGE = 2 };

/** Prints "mqshow: " and the text as a line of its own. */
void say(const char *format, ...) PRINTF(1, 2);

/** Like say(), then ends the program with EXIT_SOMETHING_MISSING. The kernel lets every process
 * that is still stopped go on.
 */
_Noreturn void say_and_exit(const char *format, ...) PRINTF(1, 2);

/** Shows what is going on, on a terminal only; the next text or progress replaces it. */
void say_progress(const char *format, ...) PRINTF(1, 2);

/** Shows what the progress from now on is a part of. */
void say_stage(const char *format, ...) PRINTF(1, 2);

/** Ends that part. */
void say_stage_over(void);

/** Shows no progress from now on: for a process whose parent does. */
void say_progress_no_more(void);

/** Takes the progress line away. */
void say_no_progress(void);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics for the user on standard error, and a progress line.
#ifndef MQSHOW_BASE_DIAG_H
#define MQSHOW_BASE_DIAG_H

#include "mqshow/base/alloc.h"

/** Exit codes of the program. */
enum { EXIT_ALL_SHOWN = 0, EXIT_SOMETHING_MISSING = 1, EXIT_USAGE = 2 };

/** Prints "mqshow: " and the text as a line of its own. */
void diag(const char *format, ...) PRINTF(1, 2);

/** Like diag(), then ends the program with EXIT_SOMETHING_MISSING. The kernel lets every process
 * that is still stopped go on.
 */
_Noreturn void die(const char *format, ...) PRINTF(1, 2);

/** Shows what is going on, on a terminal only; the next text or progress replaces it. */
void diag_progress(const char *format, ...) PRINTF(1, 2);

/** Shows what the progress from now on is a part of. */
void diag_stage(const char *format, ...) PRINTF(1, 2);

/** Ends that part. */
void diag_stage_end(void);

/** Shows no progress from now on: for a process whose parent does. */
void diag_progress_disable(void);

/** Takes the progress line away. */
void diag_progress_clear(void);

#endif

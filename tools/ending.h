// SPDX-License-Identifier: BSD-3-Clause
// Signals that end this program, put off until its workers are gone: when it is gone itself, no
// process stands still any more.
#ifndef TOOLS_ENDING_H
#define TOOLS_ENDING_H

#include <stdbool.h>

/** Puts them off, those that somebody else handles or ignores excepted. System calls that wait
 * return EINTR when one comes. */
void ending_put_off(void);

/** Whether one has come. */
bool ending_is_near(void);

/** Lets them end the program again, at once if one has come. In a worker, call it first. */
void ending_let(void);

#endif

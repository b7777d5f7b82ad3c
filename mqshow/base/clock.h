// SPDX-License-Identifier: BSD-3-Clause
// Time that passes.
#ifndef MQSHOW_BASE_CLOCK_H
#define MQSHOW_BASE_CLOCK_H

#include <stdint.h>

/** Microseconds on a clock that is never set. */
int64_t clock_us(void);

/** The time so many seconds from now; 0: one that never comes. */
int64_t clock_after(int seconds);

#endif

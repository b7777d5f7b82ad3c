// SPDX-License-Identifier: BSD-3-Clause
// Time that passes.
#include "mqshow/base/clock.h"

#include <time.h>

int64_t
clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_after(int seconds)
{
    return seconds > 0 ? clock_us() + seconds * INT64_C(1000000) : INT64_MAX;
}

// SPDX-License-Identifier: BSD-3-Clause
// Numbers that look random and are the same every time.
#ifndef TESTS_FUZZ_RANDOM_H
#define TESTS_FUZZ_RANDOM_H

#include <stdint.h>

/** @return a state that differs for each seed */
static inline uint64_t
random_begin(uint64_t seed)
{
    return seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static inline uint64_t
random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * How much is tested (tests/README.md): CHECK_SET is "quick" for what the packages of the
 * distribution suffice for, "all" for all releases and all places where something can fail, else it
 * is "full".
 */
#ifndef MQS_TESTS_CHECK_SET_H
#define MQS_TESTS_CHECK_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Each set has what is in those before; nothing is in the last one. */
enum check_set { QUICK_SET, FULL_SET, ALL_SET, NO_SET };

/** The set that is run. */
static inline enum check_set
check_set(void)
{
    const char *name = getenv("CHECK_SET");
    if (name != NULL && strcmp(name, "quick") == 0)
        return QUICK_SET;
    return name != NULL && strcmp(name, "all") == 0 ? ALL_SET : FULL_SET;
}

/** Whether only the packages of the distribution are to be tested. */
static inline bool
check_set_is_quick(void)
{
    return check_set() == QUICK_SET;
}

/** One of three numbers, by how much is tested. */
static inline unsigned
check_set_pick(unsigned quick, unsigned full, unsigned all)
{
    const unsigned of_sets[] = {[QUICK_SET] = quick, [FULL_SET] = full, [ALL_SET] = all};
    return of_sets[check_set()];
}

/** How many builds are to be tested of a list that begins with those of the distribution. */
static inline unsigned
check_set_builds(unsigned packaged, unsigned all)
{
    return check_set_is_quick() ? packaged : all;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * How much is tested: `make check` tests everything, `make check-quick` what the packages of the
 * distribution suffice for.
 */
#ifndef MQS_TESTS_CHECK_SET_H
#define MQS_TESTS_CHECK_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Whether only the packages of the distribution are to be tested: CHECK_SET=quick. */
static inline bool
check_set_is_quick(void)
{
    const char *set = getenv("CHECK_SET");
    return set != NULL && strcmp(set, "quick") == 0;
}

/** How many builds are to be tested of a list that begins with those of the distribution. */
static inline unsigned
check_set_builds(unsigned packaged, unsigned all)
{
    return check_set_is_quick() ? packaged : all;
}

#endif

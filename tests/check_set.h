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

static inline bool
check_set_is(const char *name)
{
    const char *set = getenv("CHECK_SET");
    return strcmp(set != NULL && *set != '\0' ? set : "full", name) == 0;
}

/** Whether only the packages of the distribution are to be tested. */
static inline bool
check_set_is_quick(void)
{
    return check_set_is("quick");
}

/** One of three numbers, by how much is tested. */
static inline unsigned
check_set_pick(unsigned quick, unsigned full, unsigned all)
{
    return check_set_is("quick") ? quick : check_set_is("all") ? all : full;
}

/** How many builds are to be tested of a list that begins with those of the distribution. */
static inline unsigned
check_set_builds(unsigned packaged, unsigned all)
{
    return check_set_is_quick() ? packaged : all;
}

#endif

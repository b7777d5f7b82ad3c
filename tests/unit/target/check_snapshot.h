// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the snapshot share: one of a made-up target, and what is read of it.
#ifndef TESTS_UNIT_TARGET_CHECK_SNAPSHOT_H
#define TESTS_UNIT_TARGET_CHECK_SNAPSHOT_H

#include "tests/unit/target/fake.h"

enum {
    PAGE = SNAPSHOT_PAGE,
    MIB = 1024 * 1024,
    FIRST_RUN = SNAPSHOT_FIRST_RUN * PAGE,
    LONGEST_RUN = SNAPSHOT_LAST_RUN * PAGE,
};

extern struct fake fake;
extern struct snapshot *snapshot;

/** A fixture: the target has no memory yet. */
void snapshot_setup(void);
void snapshot_teardown(void);

/** Adds memory to the target. */
void map(taddr addr, uint64_t size);

/** Reads, and fails the test unless the bytes are the target's. */
void expect(taddr addr, size_t size);

void expect_unreadable(taddr addr, size_t size);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Names for the structs of needs.def, and a layout of them that passes all checks.
#ifndef TESTS_UNIT_TARGET_NEEDS_H
#define TESTS_UNIT_TARGET_NEEDS_H

#define NEEDS_FILE   "tests/unit/target/needs.def"
#define NEEDS_PREFIX check
#include "target/layout_decl.h"

#include "tests/unit/target/fake.h"

/** Teaches the fake host all structs, as its data model lays them out. */
void needs_types(struct fake *fake);

/** The host's description of a struct. */
struct fake_type *needs_type(struct fake *fake, unsigned number);

/** The host's offset of a field. */
int64_t *needs_offset(struct fake *fake, unsigned field);

/** An unresolved struct has nothing that could be used by mistake. */
void needs_expect_unresolved(const struct layout *layout, unsigned number);

#endif

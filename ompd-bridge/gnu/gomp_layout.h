// SPDX-License-Identifier: BSD-3-Clause
// Names for the structs of GNU's runtime that gomp_needs.def lists.
#ifndef OMPD_BRIDGE_GNU_GOMP_LAYOUT_H
#define OMPD_BRIDGE_GNU_GOMP_LAYOUT_H

#include "ompd-bridge/gnu/gomp_decode.h"
#include "target/view.h"

#define NEEDS_FILE   "ompd-bridge/gnu/gomp_needs.def"
#define NEEDS_PREFIX gomp
#include "target/layout_decl.h"

/** Makes the layout of debug information, as far as there is any, and of what the code tells.
 * @return STATUS_ABSENT when what is needed most is in neither; STATUS_MISMATCH when they
 * contradict each other; the trail says it for the user
 */
CHECKED enum status
gomp_layout_resolve(struct inferior *inf, const struct gomp_facts *facts, struct layout *ret);

#endif

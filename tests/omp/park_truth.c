// SPDX-License-Identifier: BSD-3-Clause
// The tables of the records' fields.
#include "tests/omp/park_truth.h"

#define RECORD(kind)          static const struct park_field kind##_fields[] = {
#define NUMBER(kind, name)    {#name, offsetof(struct park_##kind, name), 1, 10},
#define ADDRESS(kind, name)   {#name, offsetof(struct park_##kind, name), 1, 16},
#define NUMBERS(kind, name)   {#name, offsetof(struct park_##kind, name), PARK_LEVELS, 10},
#define ADDRESSES(kind, name) {#name, offsetof(struct park_##kind, name), PARK_LEVELS, 16},
#define END(kind)                                 \
    }                                             \
    ;                                             \
    const struct park_kind park_##kind##_kind = { \
        #kind, sizeof(kind##_fields) / sizeof(kind##_fields[0]), kind##_fields};
#include "tests/omp/park_truth.def"

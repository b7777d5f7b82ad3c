// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "tests/kit/toympi/toympi.h"

#include "target/layout_define.h"

#define BLOCK(label, pointer_size)  {ROW_BLOCK, pointer_size, 0, label},
#define SIZE(type, size)            {ROW_SIZE, S(type), size, NULL},
#define OFFSET(type, field, offset) {ROW_OFFSET, F(type, field), offset, NULL},

const struct builtin_row toympi_builtin[] = {
#include "tests/kit/toympi/builtin.def"
};

const unsigned toympi_builtin_rows = sizeof(toympi_builtin) / sizeof(toympi_builtin[0]);

// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "target/layout_define.h"

#define BLOCK(label, pointer_size)  {ROW_BLOCK, pointer_size, 0, label},
#define LIKE(label)                 {ROW_LIKE, 0, 0, label},
#define SIZE(type, size)            {ROW_SIZE, S(type), size, NULL},
#define OFFSET(type, field, offset) {ROW_OFFSET, F(type, field), offset, NULL},

const struct builtin_row openmpi_builtin[] = {
#include "mpi-impl-adapters/openmpi/builtin.def"
};

const unsigned openmpi_builtin_rows = sizeof(openmpi_builtin) / sizeof(openmpi_builtin[0]);

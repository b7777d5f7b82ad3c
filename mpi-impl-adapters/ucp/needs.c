// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/ucp/layout.h"

#include "target/layout_define.h"

#define BLOCK(label, pointer_size)  {ROW_BLOCK, pointer_size, 0, label},
#define LIKE(label)                 {ROW_LIKE, 0, 0, label},
#define SIZE(type, size)            {ROW_SIZE, S(type), size, NULL},
#define OFFSET(type, field, offset) {ROW_OFFSET, F(type, field), offset, NULL},

const struct builtin_row ucp_builtin[] = {
#include "mpi-impl-adapters/ucp/builtin.def"
};

const unsigned ucp_builtin_rows = sizeof(ucp_builtin) / sizeof(ucp_builtin[0]);

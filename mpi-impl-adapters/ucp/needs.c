// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/ucp/layout.h"

#include "target/layout_define.h"

const struct builtin_row ucp_builtin[] = {
#include "mpi-impl-adapters/ucp/builtin.def"
};

const unsigned ucp_builtin_rows = sizeof(ucp_builtin) / sizeof(ucp_builtin[0]);

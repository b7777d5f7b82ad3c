// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/ofi/layout.h"

#include "target/layout_define.h"

const struct builtin_row ofi_builtin[] = {
#include "mpi-impl-adapters/ofi/builtin.def"
};

const unsigned ofi_builtin_rows = sizeof(ofi_builtin) / sizeof(ofi_builtin[0]);

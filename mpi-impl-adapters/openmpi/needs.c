// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "target/layout_define.h"

const struct builtin_row openmpi_builtin[] = {
#include "mpi-impl-adapters/openmpi/builtin.def"
};

const unsigned openmpi_builtin_rows = sizeof(openmpi_builtin) / sizeof(openmpi_builtin[0]);

// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "mpi-impl-adapters/mpich/mpich.h"

#include "target/layout_define.h"

const struct builtin_row mpich_builtin[] = {
#include "mpi-impl-adapters/mpich/builtin.def"
};

const unsigned mpich_builtin_rows = sizeof(mpich_builtin) / sizeof(mpich_builtin[0]);

// SPDX-License-Identifier: BSD-3-Clause
// The tables made of needs.def and builtin.def.
#include "tests/kit/toympi/toympi.h"

#include "target/layout_define.h"

const struct builtin_row toympi_builtin[] = {
#include "tests/kit/toympi/builtin.def"
};

const unsigned toympi_builtin_rows = sizeof(toympi_builtin) / sizeof(toympi_builtin[0]);

// SPDX-License-Identifier: BSD-3-Clause
// The list of adapters of the library that is built for the tests of the kit.
#include "mqs/adapter.h"

extern const struct adapter toympi_stage_1, toympi_stage_2, toympi_adapter;

const struct adapter *const adapters[] = {&toympi_stage_1, &toympi_stage_2, &toympi_adapter, NULL};

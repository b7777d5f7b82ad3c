// SPDX-License-Identifier: BSD-3-Clause
// The toympi adapter as it is after the first stages of the guide: each serves for what it has.
#include "tests/kit/toympi/toympi.h"

static const char *const stage_1[] = {"toympi_version", "toympi_kit_stage_1", NULL};
static const char *const stage_2[] = {"toympi_version", "toympi_kit_stage_2", NULL};

extern const struct adapter toympi_stage_1, toympi_stage_2;

const struct adapter toympi_stage_1 = {
    .name = "toympi",
    .needs = &toympi_needs,
    .symbols = stage_1,
    .resolve = toympi_resolve,
};

const struct adapter toympi_stage_2 = {
    .name = "toympi",
    .needs = &toympi_needs,
    .symbols = stage_2,
    .resolve = toympi_resolve,
    .comms = toympi_comms,
    .group = toympi_group,
};

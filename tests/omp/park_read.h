// SPDX-License-Identifier: BSD-3-Clause
// Reads the records that omp_park prints.
#ifndef TESTS_OMP_PARK_READ_H
#define TESTS_OMP_PARK_READ_H

#include "tests/omp/park.h"

/** Replaces all records by those that the process prints, up to "ready".
 * @return false: it printed something else, or ended */
bool park_read(struct park *park);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names of the thread states of OpenMP 5.x.
#ifndef OMPD_BRIDGE_STATES_H
#define OMPD_BRIDGE_STATES_H

#include <stdbool.h>
#include <stdint.h>

enum omp_state {
#define STATE(number, name) OMP_STATE_##name = number,
#include "ompd-bridge/states.def"
#undef STATE
    OMP_STATE_OWN = 0x200 // from here on a runtime's own
};

/** Name of a state, "wait_lock"; NULL when the specification has none for the number. */
const char *omp_state_name(int64_t state);

/** Whether it is a number that a state can have. */
bool omp_state_valid(int64_t state);

/** The states of the specification one by one, from 0. @return false past the last */
bool omp_state_at(unsigned index, int64_t *ret_state, const char **ret_name);

#endif

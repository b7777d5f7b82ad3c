// SPDX-License-Identifier: BSD-3-Clause
// Names of the thread states of OpenMP 5.x.
#include "ompd-bridge/states.h"

#include <stddef.h>

static const struct {
    int64_t number;
    const char *name;
} states[] = {
#define STATE(number, name) {number, #name},
#include "ompd-bridge/states.def"
#undef STATE
};

enum { N_STATES = sizeof(states) / sizeof(states[0]) };

const char *
omp_state_name(int64_t state)
{
    for (size_t i = 0; i < N_STATES; i++)
        if (states[i].number == state)
            return states[i].name;
    return NULL;
}

bool
omp_state_valid(int64_t state)
{
    return state >= OMP_STATE_OWN || omp_state_name(state);
}

bool
omp_state_at(unsigned index, int64_t *ret_state, const char **ret_name)
{
    if (index >= N_STATES)
        return false;
    *ret_state = states[index].number;
    *ret_name = states[index].name;
    return true;
}

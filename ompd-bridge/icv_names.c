// SPDX-License-Identifier: BSD-3-Clause
// Control variables that OpenMP 5.0 named otherwise than 5.2 does.
#include "ompd-bridge/icv_names.h"

#include <string.h>

const struct old_icv_name old_icv_names[OLD_ICV_NAMES] = {
    {"ompd-num-procs-var", "num-procs-var"},    {"ompd-thread-num-var", "thread-num-var"},
    {"ompd-final-var", "final-task-var"},       {"ompd-final-task-var", "final-task-var"},
    {"ompd-implicit-var", "implicit-task-var"}, {"ompd-implicit-task-var", "implicit-task-var"},
    {"ompd-team-size-var", "team-size-var"},
};

const char *
icv_name(const char *name)
{
    for (unsigned i = 0; i < OLD_ICV_NAMES; i++)
        if (strcmp(old_icv_names[i].old, name) == 0)
            return old_icv_names[i].name;
    return name;
}

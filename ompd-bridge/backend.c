// SPDX-License-Identifier: BSD-3-Clause
// What all readers and those who ask them share: codes and names.
#include "ompd-bridge/backend.h"

ompd_rc_t
rc_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return ompd_rc_ok;
    case STATUS_UNREADABLE:
        return ompd_rc_device_read_error;
    case STATUS_NOMEM:
        return ompd_rc_nomem;
    default:
        return ompd_rc_error;
    }
}

const struct old_icv_name old_icv_names[OLD_ICV_NAMES] = {
    {"ompd-num-procs-var", "num-procs-var"},    {"ompd-thread-num-var", "thread-num-var"},
    {"ompd-final-var", "final-task-var"},       {"ompd-final-task-var", "final-task-var"},
    {"ompd-implicit-var", "implicit-task-var"}, {"ompd-implicit-task-var", "implicit-task-var"},
    {"ompd-team-size-var", "team-size-var"},
};

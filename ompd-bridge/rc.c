// SPDX-License-Identifier: BSD-3-Clause
// The code of OMPD for a status.
#include "ompd-bridge/rc.h"

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

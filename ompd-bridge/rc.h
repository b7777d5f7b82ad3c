// SPDX-License-Identifier: BSD-3-Clause
// The code of OMPD for a status.
#ifndef OMPD_BRIDGE_RC_H
#define OMPD_BRIDGE_RC_H

#include "ompd-bridge/ompd.h"
#include "target/status.h"

/** ompd_rc_error for whatever OMPD has no word for; what is absent or not supported, the caller
 * knows better. */
ompd_rc_t rc_of(enum status status);

/** Leaves the calling function with the code of `call` unless that is ompd_rc_ok. */
#define RC_TRY(call)                \
    do {                            \
        ompd_rc_t try_rc_ = (call); \
        if (try_rc_ != ompd_rc_ok)  \
            return try_rc_;         \
    } while (0)

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What went wrong, as OMPD says it.
#ifndef OMPD_BRIDGE_CODE_H
#define OMPD_BRIDGE_CODE_H

#include "ompd-bridge/ompd.h"
#include "target/status.h"

/** ompd_rc_error for whatever OMPD has no word for; what is absent or not supported, the caller
 * knows better. */
ompd_rc_t code_of(enum status status);

#endif

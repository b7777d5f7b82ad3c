// SPDX-License-Identifier: BSD-3-Clause
// The settings that LLVM's runtime was started with.
#ifndef OMPD_BRIDGE_KMP_SETTINGS_H
#define OMPD_BRIDGE_KMP_SETTINGS_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/kmp.h"

/** Emits "NAME=VALUE" for each variable that the runtime lists, and for others of its kind in the
 * environment.
 *
 * libompd would give the runtime's list as it stands, which has none of the environment's values.
 * @return STATUS_UNSUPPORTED when the environment cannot be found; STATUS_UNREADABLE,
 * STATUS_CORRUPT, STATUS_NOMEM
 */
CHECKED enum status kmp_control_vars(const struct kmp *kmp, struct text_sink *sink);

#endif

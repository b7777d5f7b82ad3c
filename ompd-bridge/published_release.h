// SPDX-License-Identifier: BSD-3-Clause
// Which release of LLVM's OpenMP runtime a published table is from.
#ifndef OMPD_BRIDGE_PUBLISHED_RELEASE_H
#define OMPD_BRIDGE_PUBLISHED_RELEASE_H

#include "ompd-bridge/published.h"

/** Recognises the release by the offsets that move from one to the next.
 *
 * What the table does not say is known of the releases seen only, so that others are refused,
 * unless the environment of the debugger has MQS_OMPD_UNKNOWN_RUNTIME=1.
 * @param ret set to "14" or the like, a constant; "" for an unknown one that is read all the same
 * @return STATUS_UNSUPPORTED when it is unknown, and the trail says what is known and what was
 * found
 */
CHECKED enum status
published_release(const struct published *published, struct inferior *inf, const char **ret);

#endif

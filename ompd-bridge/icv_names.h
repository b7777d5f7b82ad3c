// SPDX-License-Identifier: BSD-3-Clause
// Control variables that OpenMP 5.0 named otherwise than 5.2 does.
#ifndef OMPD_BRIDGE_ICV_NAMES_H
#define OMPD_BRIDGE_ICV_NAMES_H

enum { OLD_ICV_NAMES = 7 };

extern const struct old_icv_name {
    const char *old, *name;
} old_icv_names[OLD_ICV_NAMES];

/** The name in 5.2 of a variable of either name. */
const char *icv_name(const char *name);

#endif

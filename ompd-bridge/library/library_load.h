// SPDX-License-Identifier: BSD-3-Clause
// An OMPD library, found, checked, loaded and ready to be called.
#ifndef OMPD_BRIDGE_LIBRARY_LIBRARY_LOAD_H
#define OMPD_BRIDGE_LIBRARY_LIBRARY_LOAD_H

#include "ompd-bridge/diagnostics.h"
#include "ompd-bridge/ompd.h"
#include "target/inferior.h"

#include <limits.h>

struct ompd_library {
    void *handle;
    struct ompd_functions call;
    char path[PATH_MAX];
};

/** Loads the first library that passes all checks: of those that the user names, then of those that
 * the runtime names in ompd_dll_locations.
 * @return STATUS_ABSENT when there is none, with an empty trail, or when it cannot be loaded and
 * the trail has the reason; diagnostics say why others were refused
 */
CHECKED enum status
ompd_library_open(struct inferior *inf, struct diagnostics *diagnostics, struct ompd_library *ret);

/** Unloads it, as far as the library allows that. */
void ompd_library_close(struct ompd_library *library);

#endif

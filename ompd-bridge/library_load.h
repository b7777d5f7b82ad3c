// SPDX-License-Identifier: BSD-3-Clause
// An OMPD library, found, checked, loaded and ready to be called.
#ifndef OMPD_BRIDGE_LIBRARY_LOAD_H
#define OMPD_BRIDGE_LIBRARY_LOAD_H

#include "ompd-bridge/kmp.h"
#include "ompd-bridge/notes.h"
#include "ompd-bridge/ompd.h"

#include <limits.h>

struct ompd_library {
    void *handle;
    struct ompd_functions call;
    char path[PATH_MAX];
};

/** Loads the first library that passes all checks: of those that the user names, then of those that
 * the runtime names.
 * @return STATUS_ABSENT when there is none, with an empty trail, or when it cannot be loaded and
 * the trail says why; notes say why others were refused
 */
CHECKED enum status
ompd_library_open(const struct kmp *kmp, struct notes *notes, struct ompd_library *ret);

/** Unloads it, as far as the library allows that. */
void ompd_library_close(struct ompd_library *library);

#endif

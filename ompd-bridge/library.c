// SPDX-License-Identifier: BSD-3-Clause
// The backend that asks the OMPD library of LLVM's runtime; so far it never offers itself.
#include "ompd-bridge/backend.h"

static enum status
library_detect(struct inferior *inf)
{
    return trail_begin(&inf->trail, STATUS_ABSENT, "no OMPD library is used");
}

const struct backend backend_library = {.name = "libompd", .detect = library_detect};

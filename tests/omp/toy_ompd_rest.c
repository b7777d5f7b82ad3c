// SPDX-License-Identifier: BSD-3-Clause
// The functions of an OMPD library that toy_ompd.c does not have: unsupported.
#define EXPORT __attribute__((visibility("default")))

EXPORT int toy_unsupported(void);
int
toy_unsupported(void)
{
    return 5;
}

#define FUNCTION(name, ...) \
    extern EXPORT __attribute__((weak, alias("toy_unsupported"))) int ompd_##name(void);
#include "ompd-bridge/ompd_functions.def"

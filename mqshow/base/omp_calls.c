// SPDX-License-Identifier: BSD-3-Clause
// The functions of the OpenMP runtimes that programs call: what a thread in one waits for.
#include "mqshow/base/omp_calls.h"

#include <stddef.h>
#include <string.h>

static const struct omp_call calls[] = {
#define CALL(call, ...) {.name = call, __VA_ARGS__},
#include "mqshow/base/omp_calls.def"
#undef CALL
};

/** Length of a symbol without its version and without what Fortran puts behind it. */
static size_t
length_of(const char *symbol)
{
    size_t length = strcspn(symbol, "@");
    return length > 0 && symbol[length - 1] == '_' ? length - 1 : length;
}

static bool
fits(const char *name, const char *symbol, size_t length)
{
    size_t own = strlen(name);
    return name[own - 1] == '*' ? length >= own - 1 && strncmp(symbol, name, own - 1) == 0
                                : length == own && strncmp(symbol, name, own) == 0;
}

const struct omp_call *
omp_call_find(const char *symbol)
{
    // A second name that the functions of GNU's runtime have where it is linked in.
    static const char alias[] = "gomp_ialias_";
    if (symbol && strncmp(symbol, alias, sizeof alias - 1) == 0)
        symbol += sizeof alias - 1;
    size_t length = symbol ? length_of(symbol) : 0;
    for (size_t i = 0; length > 0 && i < sizeof calls / sizeof *calls; i++)
        if (fits(calls[i].name, symbol, length))
            return &calls[i];
    return NULL;
}

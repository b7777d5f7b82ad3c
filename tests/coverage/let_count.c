// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD by which the workers of mqshow count the lines that they run: they are
// not confined, as they write their counts to files, and end as programs do that have something to
// write. A test of how they are confined names what they try in FAKE_TRIES.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT _Noreturn void _exit(int status);
EXPORT int seccomp_load(void *filter);

void
_exit(int status)
{
    static int ending;
    if (strcmp(program_invocation_short_name, "mqshow") == 0 && !ending++)
        exit(status);
    _Exit(status);
}

int
seccomp_load(void *filter)
{
    int (*real)(void *) = (int (*)(void *)) dlsym(RTLD_NEXT, "seccomp_load");
    return getenv("FAKE_TRIES") != NULL ? real(filter) : 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD by which the workers of mqshow count the lines that they run: they are
// not confined, as they write their counts to files, and end as programs do that have something to
// write. Tests of how they are confined set FAKE_TRIES or FAKE_DIES.
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
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
    bool tested = getenv("FAKE_TRIES") != NULL || getenv("FAKE_DIES") != NULL;
    return tested ? real(filter) : 0;
}

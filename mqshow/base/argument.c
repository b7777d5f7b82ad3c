// SPDX-License-Identifier: BSD-3-Clause
// Words of the command line that are numbers or one of a few names.
#include "mqshow/base/argument.h"

#include "mqshow/base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MAX = 1000000 };

_Noreturn void
argument_exit(void)
{
    fputs("Try 'mqshow --help'.\n", stderr);
    exit(EXIT_USAGE);
}

_Noreturn void
argument_wrong(const char *what, const char *value)
{
    diag("%s: %s", what, value);
    argument_exit();
}

long
argument_number(const char *text, long low, long high, const char *what)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high)
        argument_wrong(what, text);
    return value;
}

double
argument_seconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    // Not a number is neither more nor less.
    if (end == text || *end != '\0' || !(value >= 0.001 && value <= SECONDS_MAX))
        argument_wrong("no number of seconds", text);
    return value;
}

int
argument_choice(const char *text, const char *const *names, const char *what)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    argument_wrong(what, text);
}

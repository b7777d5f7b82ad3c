// SPDX-License-Identifier: BSD-3-Clause
// A short list of messages for the user, fit to be shown as it is.
#include "ompd-bridge/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
diagnostics_reset(struct diagnostics *diagnostics)
{
    diagnostics->count = 0;
}

void
text_make_harmless(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '%')
            *text = '?';
}

static int
has(const struct diagnostics *diagnostics, const char *text)
{
    for (unsigned i = 0; i < diagnostics->count; i++)
        if (strcmp(diagnostics->texts[i], text) == 0)
            return 1;
    return 0;
}

void
diagnostics_add(struct diagnostics *diagnostics, const char *format, ...)
{
    char text[DIAGNOSTIC_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    text_make_harmless(text);
    if (diagnostics->count < DIAGNOSTICS_MAX && !has(diagnostics, text))
        memcpy(diagnostics->texts[diagnostics->count++], text, sizeof(text));
}

// SPDX-License-Identifier: BSD-3-Clause
// A short list of messages for the user, fit to be shown as it is.
#include "ompd-bridge/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
notes_reset(struct notes *notes)
{
    notes->count = 0;
}

void
text_make_harmless(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '%')
            *text = '?';
}

static int
has(const struct notes *notes, const char *text)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->texts[i], text) == 0)
            return 1;
    return 0;
}

void
notes_add(struct notes *notes, const char *format, ...)
{
    char text[NOTE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    text_make_harmless(text);
    if (notes->count < NOTES_MAX && !has(notes, text))
        memcpy(notes->texts[notes->count++], text, sizeof(text));
}

// SPDX-License-Identifier: BSD-3-Clause
// Texts of the status codes, and the trail.
#include "target/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
#define STATUS(name, text) text,
#include "target/status.def"
#undef STATUS
};

// A text to be added; longer than any trail, so that its end is what survives a cut.
struct piece {
    char text[1024];
    size_t length;
};

const char *
status_text(int status)
{
    return status >= 0 && status < STATUS_COUNT ? texts[status] : "an unknown status";
}

void
trail_reset(struct trail *trail)
{
    trail->start = sizeof(trail->buffer) - 1;
    trail->buffer[trail->start] = '\0';
}

// The buffer ends with two bytes more than the text takes, for a separator.
static void
piece_format(struct piece *piece, const char *format, va_list args)
{
    size_t room = sizeof(piece->text) - 2;
    int length = vsnprintf(piece->text, room, format, args);
    if (length < 0)
        length = 0;
    piece->length = (size_t) length < room ? (size_t) length : room - 1;
}

// Puts as much of the end of a text in front of the trail as there is room for.
static void
push_front(struct trail *trail, const char *text, size_t length)
{
    size_t kept = length < trail->start ? length : trail->start;
    trail->start -= kept;
    memcpy(trail->buffer + trail->start, text + (length - kept), kept);
    if (kept < length)
        trail->buffer[0] = '<';
}

enum status
trail_begin(struct trail *trail, enum status status, const char *format, ...)
{
    struct piece piece;
    va_list args;
    va_start(args, format);
    piece_format(&piece, format, args);
    va_end(args);
    trail_reset(trail);
    push_front(trail, piece.text, piece.length);
    return status;
}

enum status
trail_prepend(struct trail *trail, enum status status, const char *format, ...)
{
    struct piece piece;
    va_list args;
    va_start(args, format);
    piece_format(&piece, format, args);
    va_end(args);
    const char *last = status_text((int) status);
    if (*trail_text(trail) == '\0')
        push_front(trail, last, strlen(last));
    memcpy(piece.text + piece.length, ": ", 2);
    push_front(trail, piece.text, piece.length + 2);
    return status;
}

const char *
trail_text(const struct trail *trail)
{
    return trail->buffer + trail->start;
}

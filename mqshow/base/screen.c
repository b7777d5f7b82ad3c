// SPDX-License-Identifier: BSD-3-Clause
// How much text a terminal has room for.
#include "mqshow/base/screen.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS_USUAL = 24, ROWS_MIN = 4 };

struct screen
screen_of(FILE *out)
{
    struct winsize size;
    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return (struct screen){.rows = ROWS_USUAL};
    return (struct screen){.rows = size.ws_row < ROWS_MIN ? ROWS_MIN : size.ws_row,
                           .columns = size.ws_col};
}

/** Columns that a line takes: a character is as wide as any other. */
static size_t
line_width(const char *line, size_t length)
{
    size_t width = 0;
    bool is_sequence = false;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\033')
            is_sequence = true;
        else if (is_sequence)
            is_sequence = line[i] != 'm';
        else
            width += ((unsigned char) line[i] & 0xc0) != 0x80;
    }
    return width;
}

static size_t
line_rows(const struct screen *screen, const char *line, size_t length)
{
    size_t width = line_width(line, length);
    return screen->columns == 0 || width == 0 ? 1 : (width - 1) / screen->columns + 1;
}

size_t
screen_rows(const struct screen *screen, const char *text)
{
    size_t rows = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        rows += line_rows(screen, text, length);
    }
    return rows;
}

static size_t
count_lines(const char *text)
{
    static const struct screen endless = {.columns = 0};
    return screen_rows(&endless, text);
}

size_t
screen_print(const struct screen *screen, FILE *out, const char *text, size_t rows)
{
    size_t used = screen_rows(screen, text);
    if (used <= rows) {
        fputs(text, out);
        return used;
    }
    used = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n"), more = line_rows(screen, text, length);
        // A heading is for what follows it.
        bool is_heading = length > 0 && text[length - 1] == ':';
        if (used + more + is_heading + 1 > rows)
            break;
        fprintf(out, "%.*s\n", (int) length, text);
        used += more;
        text += length + (text[length] == '\n');
    }
    size_t left = count_lines(text);
    if (rows > 0)
        fprintf(out, "  ... %zu more line%s; --all shows all\n", left, left == 1 ? "" : "s");
    return used + (rows > 0);
}

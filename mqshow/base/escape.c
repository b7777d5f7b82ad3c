// SPDX-License-Identifier: BSD-3-Clause
// Texts from the target, made harmless.
#include "mqshow/base/escape.h"

#include "mqshow/base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** How sequences of UTF-8 start, by their length. */
static const struct {
    unsigned char mask, lead;
    size_t length;
    uint32_t lowest; // a smaller code point has a shorter sequence
} leads[] = {
    {0x80, 0x00, 1, 0},
    {0xe0, 0xc0, 2, 0x80},
    {0xf0, 0xe0, 3, 0x800},
    {0xf8, 0xf0, 4, 0x10000},
};

/** Code points that must not reach a terminal. */
static const struct {
    uint32_t first, last;
} harmful[] = {
    {0x00, 0x1f},     // C0
    {0x7f, 0x9f},     // DEL, C1
    {0x61c, 0x61c},   // Arabic letter mark
    {0x200e, 0x200f}, // left-to-right and right-to-left mark
    {0x2028, 0x202e}, // separators, embeddings, overrides
    {0x2066, 0x2069}, // isolates
    {0xd800, 0xdfff}, // surrogates
    {0xfdd0, 0xfdef}, // not characters
    {0xfeff, 0xfeff}, // byte order mark
    {0x110000, 0xffffffff},
};

static bool
is_harmful(uint32_t point)
{
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++)
        if (point >= harmful[i].first && point <= harmful[i].last)
            return true;
    return false;
}

/** Length of the harmless character at `s`; 0 when there is none. */
static size_t
harmless_length(const unsigned char *s, size_t left)
{
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        if ((s[0] & leads[i].mask) != leads[i].lead || leads[i].length > left)
            continue;
        uint32_t point = s[0] & (uint32_t) (unsigned char) ~leads[i].mask;
        for (size_t k = 1; k < leads[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (s[k] & 0x3f);
        }
        return point < leads[i].lowest || is_harmful(point) ? 0 : leads[i].length;
    }
    return 0;
}

char *
escape_text(const char *text, size_t max)
{
    size_t left = strnlen(text, max);
    char *escaped = alloc_zeroed(4 * left + 1, 1);
    char *end = escaped;
    const unsigned char *s = (const unsigned char *) text;
    while (left > 0) {
        size_t length = *s >= ' ' && *s < 0x7f ? 1 : harmless_length(s, left);
        if (length == 1)
            *end++ = (char) *s;
        else if (length == 0)
            end += sprintf(end, "\\x%02x", *s);
        else
            end = mempcpy(end, s, length);
        length = length > 0 ? length : 1;
        s += length;
        left -= length;
    }
    return escaped;
}

bool
text_equals(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

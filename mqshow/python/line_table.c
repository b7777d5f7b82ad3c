// SPDX-License-Identifier: BSD-3-Clause
// Which line of its source a code object's instruction is of.
#include "mqshow/python/line_table.h"

#include <stdbool.h>

enum { LINE_MAX = 1 << 30 };

static int
checked(int64_t line)
{
    return line > 0 && line <= LINE_MAX ? (int) line : 0;
}

/** 3.9: pairs of how many bytes further the line changes by how much. */
static int
find_by_changes(const unsigned char *table, size_t size, int64_t line, int64_t at)
{
    int64_t start = 0;
    for (size_t i = 0; i + 1 < size && (start += table[i]) <= at; i += 2)
        line += (signed char) table[i + 1];
    return checked(line);
}

/** 3.10: pairs of a number of bytes and by how much their line differs; -128: they have none. */
static int
find_by_ranges(const unsigned char *table, size_t size, int64_t line, int64_t at)
{
    int64_t end = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        signed char change = (signed char) table[i + 1];
        line += change != INT8_MIN ? change : 0;
        end += table[i];
        if (at < end)
            return change != INT8_MIN ? checked(line) : 0;
    }
    return 0;
}

/** A number of six bits a byte, the lowest first; of damaged data what fits. */
static uint32_t
take_number(const unsigned char *table, size_t size, size_t *i)
{
    uint32_t ret = 0;
    for (unsigned shift = 0; *i < size; shift += 6) {
        unsigned char byte = table[(*i)++];
        ret |= shift < 32 ? (uint32_t) (byte & 63) << shift : 0;
        if ((byte & 64) == 0)
            break;
    }
    return ret;
}

enum { CODE_ONE_LINE = 10, CODE_NO_COLUMNS = 13, CODE_LONG = 14, CODE_NONE = 15 };

/** By how much the line of an entry differs from that of the one before. */
static int64_t
take_change(const unsigned char *table, size_t size, size_t *i, int code)
{
    if (code == CODE_NO_COLUMNS || code == CODE_LONG) {
        uint32_t number = take_number(table, size, i);
        return (number & 1) != 0 ? -(int64_t) (number >> 1) : (int64_t) (number >> 1);
    }
    return code >= CODE_ONE_LINE && code < CODE_NO_COLUMNS ? code - CODE_ONE_LINE : 0;
}

/** 3.11 and later: entries that begin with a byte whose highest bit is set. */
static int
find_by_entries(const unsigned char *table, size_t size, int64_t line, int64_t at)
{
    int64_t end = 0;
    for (size_t i = 0; i < size;) {
        int code = table[i] >> 3 & 15;
        end += 2 * ((table[i++] & 7) + 1);
        line += take_change(table, size, &i, code);
        if (at < end)
            return code != CODE_NONE ? checked(line) : 0;
        while (i < size && (table[i] & 128) == 0)
            i++;
    }
    return 0;
}

int
line_table_find(int minor, const unsigned char *table, size_t size, int first, int64_t at)
{
    if (minor < 10)
        return find_by_changes(table, size, first, at);
    return minor == 10 ? find_by_ranges(table, size, first, at)
                       : find_by_entries(table, size, first, at);
}

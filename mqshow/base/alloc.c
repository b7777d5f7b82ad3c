// SPDX-License-Identifier: BSD-3-Clause
// Allocation for the tool: it ends the program when there is no memory.
#include "mqshow/base/alloc.h"

#include "mqshow/base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *
alloc_or_die(void *memory)
{
    if (memory == NULL)
        die("out of memory");
    return memory;
}

static int first_errno;

bool
alloc_check_errno(void)
{
    bool failed = errno == ENOMEM || errno == EIO;
    if (failed && first_errno == 0)
        first_errno = errno;
    return failed;
}

int
alloc_first_errno(void)
{
    int error = first_errno;
    first_errno = 0;
    return error;
}

void *
alloc_bytes(size_t size)
{
    return alloc_or_die(malloc(size > 0 ? size : 1));
}

void *
alloc_zeroed(size_t count, size_t size)
{
    return alloc_or_die(calloc(count > 0 ? count : 1, size));
}

char *
alloc_text(const char *text)
{
    return text == NULL ? NULL : alloc_or_die(strdup(text));
}

char *
alloc_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    return alloc_or_die(length < 0 ? NULL : text);
}

void *
alloc_grow(void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    items = alloc_or_die(reallocarray(items, wanted, item_size));
    *capacity = wanted;
    return items;
}

void *
alloc_shrink(void *items, size_t count, size_t *capacity, size_t item_size)
{
    void *smaller = count > 0 ? realloc(items, count * item_size) : NULL;
    if (count == 0)
        free(items);
    *capacity = count;
    return smaller != NULL || count == 0 ? smaller : items;
}

char *
alloc_append(char *bytes, size_t *size, size_t *capacity, const void *more, size_t count)
{
    while (*size + count > *capacity)
        bytes = alloc_grow(bytes, *capacity, capacity, 1);
    if (count > 0)
        memcpy(bytes + *size, more, count);
    *size += count;
    return bytes;
}

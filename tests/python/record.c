// SPDX-License-Identifier: BSD-3-Clause
// record PID FILE: records what is read of a process for its Python frames.
#include "tests/python/recording.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/python/python.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool __real_memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret);
bool __wrap_memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret);
bool __real_memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width,
                             uint64_t *ret);
bool __wrap_memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width,
                             uint64_t *ret);

/** What was read, from an address to another one. */
static struct piece {
    uint64_t start, end;
} * pieces;
static size_t n_pieces, capacity;

static bool
note(bool could, uint64_t addr, size_t size)
{
    if (could)
        *ALLOC_ADD(pieces, n_pieces, capacity) = (struct piece){addr, addr + size};
    return could;
}

bool
__wrap_memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret)
{
    return note(__real_memory_read(debuggee, addr, size, ret), addr, size);
}

bool
__wrap_memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width, uint64_t *ret)
{
    return note(__real_memory_read_uint(debuggee, addr, width, ret), addr, width);
}

static int
compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/** Makes one of those that are beside each other or have bytes in common. */
static void
join_pieces(void)
{
    size_t kept = 0;
    qsort(pieces, n_pieces, sizeof *pieces, compare_pieces);
    for (size_t i = 1; i < n_pieces; i++) {
        struct piece *last = &pieces[kept];
        if (pieces[i].start > last->end)
            pieces[++kept] = pieces[i];
        else if (pieces[i].end > last->end)
            last->end = pieces[i].end;
    }
    n_pieces = n_pieces > 0 ? kept + 1 : 0;
}

static void
write_head(FILE *out, const struct image *image)
{
    static const char *const names[] = RECORDED_SYMBOLS;
    uint64_t addr;
    for (size_t i = 0; i < image->n_modules; i++) {
        const char *name = base_name(image->modules[i].file->path);
        if (strncmp(name, "python3.", 8) == 0 || strncmp(name, "libpython3.", 11) == 0)
            fprintf(out, "file %s\n", name);
    }
    for (size_t i = 0; i < RECORDED_MAX; i++)
        if (image_symbol(image, names[i], SYMBOL_VARIABLE, &addr))
            fprintf(out, "symbol %s 0x%" PRIx64 "\n", names[i], addr);
    for (size_t i = 0; i < n_pieces; i++)
        fprintf(out, "memory 0x%" PRIx64 " %" PRIu64 "\n", pieces[i].start,
                pieces[i].end - pieces[i].start);
    fputc('\n', out);
}

static void
write_bytes(FILE *out, const struct image *image)
{
    for (size_t i = 0; i < n_pieces; i++) {
        size_t size = (size_t) (pieces[i].end - pieces[i].start);
        char *bytes = alloc_zeroed(size, 1);
        if (!__real_memory_read(&image->debuggee, pieces[i].start, size, bytes))
            die("the process has moved");
        fwrite(bytes, 1, size, out);
        free(bytes);
    }
}

int
main(int argc, char **argv)
{
    struct objfiles files = {.first = NULL};
    struct python python = {.threads = NULL};
    struct image image;
    FILE *out = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (out == NULL)
        die("usage: %s PID FILE", argv[0]);
    char *problem = image_init(&image, &files, atoi(argv[1]));
    if (problem != NULL)
        die("%s", problem);
    n_pieces = 0;
    python_read(&python, &image);
    if (python.problem != NULL || python.n_threads == 0)
        die("%s", python.problem != NULL ? python.problem : "it runs no Python");
    join_pieces();
    write_head(out, &image);
    write_bytes(out, &image);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

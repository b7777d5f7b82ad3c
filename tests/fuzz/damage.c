// SPDX-License-Identifier: BSD-3-Clause
// A file in memory that is damaged as the bytes of an input say, and mended afterwards.
#include "tests/fuzz/damage.h"

#include "mqshow/base/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, CUT_ONE_IN = 64, NUMBERS = 12 };

/** Bytes that were overwritten or cut off. */
struct damage_kept {
    uint64_t offset;
    size_t size;
    uint8_t *bytes;
};

static void
need(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

/** Long cores are mostly zeros, which take no room. */
static bool
copy(struct damage *damage, int from)
{
    static const uint8_t zeros[BLOCK];
    uint8_t block[BLOCK];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0) {
        if (memcmp(block, zeros, (size_t) n) != 0)
            need(pwrite(damage->fd, block, (size_t) n, (off_t) damage->size) == n, "memfd");
        damage->size += (uint64_t) n;
    }
    return n == 0 && ftruncate(damage->fd, (off_t) damage->size) == 0;
}

bool
damage_init(struct damage *damage, const char *path)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    *damage = (struct damage){.fd = from >= 0 ? memfd_create("damaged", MFD_CLOEXEC) : -1};
    snprintf(damage->path, sizeof damage->path, "/proc/self/fd/%d", damage->fd);
    bool copied = damage->fd >= 0 && copy(damage, from);
    if (from >= 0)
        close(from);
    return copied;
}

void
damage_add_region(struct damage *damage, uint64_t offset, uint64_t size)
{
    if (offset >= damage->size || size == 0)
        return;
    uint64_t room = damage->size - offset;
    damage->regions =
        alloc_grow(damage->regions, damage->n_regions, &damage->capacity, sizeof *damage->regions);
    damage->regions[damage->n_regions++] =
        (struct damage_region){offset, size < room ? size : room};
}

static void
keep(struct damage *damage, uint64_t offset, size_t size)
{
    struct damage_kept kept = {offset, size, alloc_zeroed(size, 1)};
    need(pread(damage->fd, kept.bytes, size, (off_t) offset) == (ssize_t) size, "memfd");
    damage->kept =
        alloc_grow(damage->kept, damage->n_kept, &damage->kept_capacity, sizeof *damage->kept);
    damage->kept[damage->n_kept++] = kept;
}

/** A number that is worth trying, near the one that is there or not. */
static uint64_t
number(unsigned pattern, uint16_t value, uint64_t old)
{
    const uint64_t numbers[NUMBERS] = {
        0,
        UINT64_MAX,
        UINT64_C(1) << value % 64,
        (UINT64_C(1) << value % 64) - 1,
        old + 1,
        old - 1,
        old + value,
        old ^ UINT64_C(1) << value % 64,
        0x7fffffff,
        old - value,
        value,
        (uint64_t) value << 16,
    };
    return numbers[pattern % NUMBERS];
}

static void
write_number(struct damage *damage, const uint8_t *data)
{
    static const size_t widths[] = {8, 4, 2, 1};
    unsigned where = data[0] | (unsigned) data[1] << 8, pattern = data[3];
    const struct damage_region *region = &damage->regions[where % damage->n_regions];
    size_t width = widths[pattern / NUMBERS % 4];
    uint64_t at = (data[4] | (uint64_t) data[5] << 8 | (uint64_t) data[2] << 16) * width, old = 0;
    if (region->size < width)
        return;
    at = region->offset + at % (region->size - width + 1);
    if (pread(damage->fd, &old, width, (off_t) at) != (ssize_t) width)
        return; // it was cut off
    uint64_t now = number(pattern, (uint16_t) (data[6] | data[7] << 8), old);
    keep(damage, at, width);
    need(pwrite(damage->fd, &now, width, (off_t) at) == (ssize_t) width, "memfd");
}

/** Cuts off an end, which is not long: it is kept. */
static void
cut(struct damage *damage, const uint8_t *data)
{
    off_t size = lseek(damage->fd, 0, SEEK_END);
    size_t off = (size_t) (data[4] | data[5] << 8 | data[6] << 16);
    off = off < (size_t) size ? off : (size_t) size;
    keep(damage, (uint64_t) size - off, off);
    need(ftruncate(damage->fd, size - (off_t) off) == 0, "memfd");
}

void
damage_do(struct damage *damage, const uint8_t *data, size_t size)
{
    for (; size >= DAMAGE_BYTES; data += DAMAGE_BYTES, size -= DAMAGE_BYTES) {
        if (data[3] == UINT8_MAX && data[7] % CUT_ONE_IN == 0)
            cut(damage, data);
        else if (damage->n_regions > 0)
            write_number(damage, data);
    }
}

void
damage_mend(struct damage *damage)
{
    while (damage->n_kept > 0) {
        struct damage_kept *kept = &damage->kept[--damage->n_kept];
        need(pwrite(damage->fd, kept->bytes, kept->size, (off_t) kept->offset) ==
                 (ssize_t) kept->size,
             "memfd");
        free(kept->bytes);
    }
}

void
damage_deinit(struct damage *damage)
{
    damage_mend(damage);
    if (damage->fd >= 0)
        close(damage->fd);
    free(damage->kept);
    free(damage->regions);
}

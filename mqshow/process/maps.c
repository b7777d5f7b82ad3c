// SPDX-License-Identifier: BSD-3-Clause
// The memory map of a process.
#include "mqshow/process/maps.h"

#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>

enum { HEAP_BYTES = 64 << 20 }; // HEAP_MAX_SIZE in glibc's malloc/arena.c, of 64 bits

static uint64_t
hash_line(uint64_t hash, const char *line)
{
    for (const char *s = line; *s != '\0'; s++)
        hash = (hash ^ (unsigned char) *s) * 1099511628211u;
    return hash;
}

static void
add_mapping(struct maps *maps, const char *line)
{
    char *end;
    struct mapping found = {.start = strtoull(line, &end, 16)};
    if (*end != '-')
        return;
    found.end = strtoull(end + 1, &end, 16);
    const char *flags = end + 1;
    if (*end != ' ' || strnlen(flags, 4) < 4)
        return;
    found.shared = flags[3] == 's';
    found.reserved = strncmp(flags, "---", 3) == 0;
    if (!found.reserved && strncmp(flags, "rw", 2) != 0)
        return;
    *ALLOC_ADD(maps->items, maps->count, maps->capacity) = found;
}

uint64_t
maps_pages(pid_t pid)
{
    long pages = procfs_number(procfs_read(NULL, "/proc/%d/statm", (int) pid), "");
    return pages > 0 ? (uint64_t) pages : 0;
}

void
maps_init(struct maps *maps, pid_t pid)
{
    *maps = (struct maps){.pages = maps_pages(pid)};
    char *text = procfs_read(NULL, "/proc/%d/maps", (int) pid), *rest = text;
    if (text == NULL)
        return;
    maps->signature = 14695981039346656037u; // FNV-1a
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (strchr(line, '/') != NULL)
            maps->signature = hash_line(maps->signature, line);
        add_mapping(maps, line);
    }
    free(text);
}

void
maps_deinit(struct maps *maps)
{
    free(maps->items);
    *maps = (struct maps){.count = 0};
}

static int
compare_address(const void *key, const void *item)
{
    const uint64_t *addr = key;
    const struct mapping *mapping = item;
    return *addr < mapping->start ? -1 : *addr >= mapping->end;
}

static const struct mapping *
find(const struct maps *maps, uint64_t addr)
{
    return maps->count > 0
               ? bsearch(&addr, maps->items, maps->count, sizeof *maps->items, compare_address)
               : NULL;
}

const struct mapping *
maps_find(const struct maps *maps, uint64_t addr)
{
    const struct mapping *found = find(maps, addr);
    return found && !found->reserved ? found : NULL;
}

/** Whether a heap of glibc, but for its first one, is to grow into it. */
static bool
is_of_heap(const struct maps *maps, const struct mapping *mapping)
{
    const struct mapping *before = mapping > maps->items ? mapping - 1 : NULL;
    return before && !before->reserved && before->end == mapping->start &&
           before->start % HEAP_BYTES == 0 && mapping->end - before->start == HEAP_BYTES;
}

bool
maps_is_reserved(const struct maps *maps, uint64_t addr)
{
    const struct mapping *found = find(maps, addr);
    return found && found->reserved && !is_of_heap(maps, found);
}

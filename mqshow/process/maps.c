// SPDX-License-Identifier: BSD-3-Clause
// The memory map of a process.
#include "mqshow/process/maps.h"

#include "mqshow/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_READ = 4500 }; // a path and what is before it

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
    struct mapping found;
    char flags[5];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &found.start, &found.end, flags) != 3 ||
        strncmp(flags, "rw", 2) != 0)
        return;
    maps->items = alloc_grow(maps->items, maps->count, &maps->capacity, sizeof found);
    maps->items[maps->count++] = found;
}

void
maps_init(struct maps *maps, pid_t pid)
{
    char path[32], line[LINE_MAX_READ];
    *maps = (struct maps){.count = 0};
    snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    maps->signature = 14695981039346656037u; // FNV-1a
    while (fgets(line, sizeof line, file) != NULL) {
        if (strchr(line, '/') != NULL)
            maps->signature = hash_line(maps->signature, line);
        add_mapping(maps, line);
    }
    fclose(file);
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

const struct mapping *
maps_find(const struct maps *maps, uint64_t addr)
{
    return maps->count > 0
               ? bsearch(&addr, maps->items, maps->count, sizeof *maps->items, compare_address)
               : NULL;
}

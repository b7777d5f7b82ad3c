// SPDX-License-Identifier: BSD-3-Clause
// The order in which the dynamic linker of a process searches its files.
//
// The linker publishes it as `struct r_debug` and a list of `struct link_map`, whose members are
// all as wide as a pointer in memory.
#include "mqshow/symbols/linkmap.h"

#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"

#include <string.h>

enum { LINKMAP_MAX = 65536 };                      // entries of the list
enum { DEBUG_MAP = 1 };                            // member of r_debug: the first link_map
enum { MAP_DYNAMIC = 2, MAP_NEXT = 3, MAP_WORDS }; // members of link_map

static bool
read_words(const struct image *image, uint64_t addr, size_t count, uint64_t *ret)
{
    unsigned char bytes[MAP_WORDS * sizeof(uint64_t)];
    size_t width = (size_t) image->debuggee.pointer_size;
    if (!memory_read(&image->debuggee, addr, count * width, bytes))
        return false;
    for (size_t i = 0; i < count; i++)
        ret[i] = memory_uint(bytes + i * width, width);
    return true;
}

static bool
first_map(const struct image *image, uint64_t *ret)
{
    uint64_t debug, words[DEBUG_MAP + 1];
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct module *module = &image->modules[i];
        const struct symbol *symbol =
            objfile_is_linker(module->file)
                ? objfile_symbol(module->file, "_r_debug", SYMBOL_VARIABLE)
                : NULL;
        if (symbol == NULL)
            continue;
        debug = symbol->value + module->bias;
        if (!read_words(image, debug, DEBUG_MAP + 1, words))
            return false;
        *ret = words[DEBUG_MAP];
        return true;
    }
    return false;
}

/** Moves the module that holds an address to place `*done`, and counts that up. */
static void
move_up(struct image *image, uint64_t addr, size_t *done)
{
    for (size_t i = *done; i < image->n_modules; i++) {
        struct module module = image->modules[i];
        if (addr < module.start || addr >= module.end)
            continue;
        memmove(&image->modules[*done + 1], &image->modules[*done], (i - *done) * sizeof module);
        image->modules[(*done)++] = module;
        return;
    }
}

void
linkmap_sort(struct image *image)
{
    uint64_t map, words[MAP_WORDS];
    size_t done = 0;
    if (!first_map(image, &map))
        return;
    for (int i = 0; i < LINKMAP_MAX && map != 0 && done < image->n_modules; i++) {
        if (!read_words(image, map, MAP_WORDS, words))
            return;
        move_up(image, words[MAP_DYNAMIC], &done);
        map = words[MAP_NEXT];
    }
}

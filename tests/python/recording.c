// SPDX-License-Identifier: BSD-3-Clause
// What was read of a process that ran Python, in a file.
#include "tests/python/recording.h"

#include "mqshow/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

GElf_Half __wrap_image_machine(const struct image *image);

/** Recordings are of this one: their modules are no files. */
GElf_Half
__wrap_image_machine(const struct image *image)
{
    (void) image;
    return EM_X86_64;
}

static void
add_symbol(struct recording *recording, const char *name, uint64_t value)
{
    static const char *const names[] = RECORDED_SYMBOLS;
    for (size_t i = 0; i < RECORDED_MAX; i++)
        if (strcmp(name, names[i]) == 0 && recording->file.n_symbols < RECORDED_MAX)
            recording->symbols[recording->file.n_symbols++] =
                (struct symbol){.name = names[i],
                                .order = objfile_symbol_order(name),
                                .value = value,
                                .kind = SYMBOL_VARIABLE};
}

static void
add_line(struct recording *recording, const char *line)
{
    struct core *core = &recording->core;
    char name[RECORDED_NAME];
    uint64_t addr, size;
    if (sscanf(line, "symbol %63s 0x%" SCNx64, name, &addr) == 2)
        add_symbol(recording, name, addr);
    else if (sscanf(line, "memory 0x%" SCNx64 " %" SCNu64, &addr, &size) == 2)
        *ALLOC_ADD(core->segments, core->n_segments, core->segments_capacity) =
            (struct core_segment){.start = addr, .size = size, .held = size, .writable = true};
    else
        sscanf(line, "file %63s", recording->name);
}

/** Where the bytes are, behind the lines. */
static void
place_bytes(struct core *core, uint64_t offset)
{
    for (size_t i = 0; i < core->n_segments; i++) {
        core->segments[i].offset = offset;
        offset += core->segments[i].held;
    }
}

bool
recording_init(struct recording *recording, int fd)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t offset = 0;
    int copy = dup(fd);
    FILE *lines = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "r") : NULL;
    *recording = (struct recording){.core = {.fd = fd}};
    for (ssize_t n; lines != NULL && (n = getline(&line, &room, lines)) > 1; offset += (size_t) n)
        add_line(recording, line);
    place_bytes(&recording->core, offset + 1);
    free(line);
    if (lines != NULL)
        fclose(lines);
    recording->file.path = recording->name;
    recording->file.symbols = recording->symbols;
    recording->file.symbols_are_read = true;
    recording->module = (struct module){.file = &recording->file};
    recording->image = (struct image){.debuggee = {.core = &recording->core, .pointer_size = 8},
                                      .modules = &recording->module,
                                      .n_modules = 1};
    return recording->file.n_symbols > 0 && recording->core.n_segments > 0;
}

void
recording_deinit(struct recording *recording)
{
    free(recording->core.segments);
}

// SPDX-License-Identifier: BSD-3-Clause
// The files that one process has loaded: symbols and types by name over all of them.
#include "mqshow/symbols/image.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/core.h"
#include "mqshow/process/maps.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKMAP_MAX = 65536 }; // entries of the dynamic linker's list
enum { DEBUG_MAP = 1 };       // word of r_debug: the first entry

struct collection {
    struct image *image;
    struct objfiles *files;
};

static int
collect_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, void *arg)
{
    (void) userdata, (void) name, (void) base;
    struct collection *collection = arg;
    struct image *image = collection->image;
    struct module found = {.file = NULL};
    GElf_Addr start, end;
    found.file = objfiles_get(collection->files, module, &found.bias);
    if (found.file == NULL)
        return DWARF_CB_OK;
    dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    found.start = start;
    found.end = end;
    *ALLOC_ADD(image->modules, image->n_modules, image->capacity) = found;
    return DWARF_CB_OK;
}

/** Where the linker publishes its list: the first entry is in its `struct r_debug`. */
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
        if (!memory_read_map(&image->debuggee, debug, DEBUG_MAP + 1, words))
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

/** Sorts the modules into the order in which the dynamic linker searches them; those it does not
 * know come last. When its list cannot be read, they stay in the order of their addresses.
 */
static void
sort_modules(struct image *image)
{
    uint64_t map, words[MAP_WORDS];
    size_t done = 0;
    if (!first_map(image, &map))
        return;
    for (int i = 0; i < LINKMAP_MAX && map != 0 && done < image->n_modules; i++) {
        if (!memory_read_map(&image->debuggee, map, MAP_WORDS, words))
            return;
        move_up(image, words[MAP_DYNAMIC], &done);
        map = words[MAP_NEXT];
    }
}

/** Width of a pointer from the header of the program; 0 when it cannot be read. */
static int
read_pointer_size(pid_t pid)
{
    char path[32];
    unsigned char ident[EI_NIDENT];
    snprintf(path, sizeof path, "/proc/%d/exe", (int) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, ident, sizeof ident);
    close(fd);
    if (n != sizeof ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return 0;
    return ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}

bool
image_read_map(struct image *image)
{
    uint64_t before = image->maps.signature;
    if (image->maps.pages == maps_pages(image->debuggee.pid))
        return true;
    maps_deinit(&image->maps);
    maps_init(&image->maps, image->debuggee.pid);
    return image->maps.signature == before;
}

/** Sessions that are kept between samples, each of which has a descriptor for each file. */
enum { HELD_MAX = 8 };
static size_t held;

/** @return whether the session that stacks are followed with may stay */
static bool
hold_stacks(struct image *image)
{
    const struct debuggee *source = &image->debuggee;
    if (!image->holds && held < HELD_MAX && source->core == NULL && source->stub == NULL) {
        image->holds = true;
        held++;
    }
    return image->holds;
}

void
image_end_stacks(struct image *image)
{
    if (image->holds && image->attached)
        return;
    dwfl_end(image->stacks);
    image->stacks = NULL;
    image->attached = false;
}

/** Sessions whose modules files may refer to. */
static struct {
    Dwfl **items;
    size_t count, capacity;
} sessions;

void
image_close_sessions(void)
{
    for (size_t i = 0; i < sessions.count; i++)
        dwfl_end(sessions.items[i]);
    free(sessions.items);
    sessions.items = NULL;
    sessions.count = sessions.capacity = 0;
}

/** Lists the files. @return NULL, or why not, to free() */
static char *
list_modules(struct image *image, struct objfiles *files)
{
    Dwfl *session = debuginfo_session(image, false);
    if (session == NULL)
        return alloc_format("cannot read the files of process %d: %s", (int) image->debuggee.pid,
                            dwfl_errmsg(-1));
    const struct objfile *newest = files->first;
    struct collection collection = {image, files};
    dwfl_getmodules(session, collect_module, &collection, 0);
    // A session keeps a descriptor for each file: only those that are read through it stay.
    if (files->first != newest)
        *ALLOC_ADD(sessions.items, sessions.count, sessions.capacity) = session;
    else if (hold_stacks(image))
        image->stacks = session;
    else
        dwfl_end(session);
    if (image->stacks != NULL) // which has the files open, and need not search for others
        debuginfo_end_search(session);
    sort_modules(image);
    return NULL;
}

char *
image_init(struct image *image, struct objfiles *files, pid_t pid)
{
    *image = (struct image){.debuggee = {.pid = pid, .pointer_size = read_pointer_size(pid)}};
    if (image->debuggee.pointer_size == 0)
        return alloc_format("cannot read the program of process %d: %s", (int) pid,
                            strerror(errno));
    maps_init(&image->maps, pid);
    image->path = procfs_program(pid);
    if (image->path == NULL)
        image->path = alloc_text("");
    return list_modules(image, files);
}

char *
image_init_core(struct image *image, struct objfiles *files, const struct core *core)
{
    *image = (struct image){
        .debuggee = {.pid = core->pid, .core = core, .pointer_size = (int) sizeof(void *)},
        .path = alloc_text(core->program)};
    return list_modules(image, files);
}

char *
image_init_stub(struct image *image, struct objfiles *files, struct stub *stub)
{
    *image = (struct image){
        .debuggee = {.pid = stub->pid, .stub = stub, .pointer_size = stub->pointer_size},
        .path = alloc_text(stub->n_modules > 0 ? stub->modules[0].path : stub->program)};
    return list_modules(image, files);
}

void
image_prepare(struct image *image)
{
    for (size_t i = 0; i < image->n_modules; i++)
        objfile_prepare(image->modules[i].file);
    if (image->stacks == NULL)
        image->stacks = debuginfo_session(image, true);
    hold_stacks(image);
}

void
image_deinit(struct image *image)
{
    dwfl_end(image->stacks);
    held -= image->holds;
    maps_deinit(&image->maps);
    free(image->modules);
    free(image->path);
    *image = (struct image){.path = NULL};
}

GElf_Half
image_machine(const struct image *image)
{
    GElf_Addr bias;
    GElf_Ehdr header;
    Elf *elf =
        image->n_modules > 0 ? dwfl_module_getelf(image->modules[0].file->module, &bias) : NULL;
    return elf != NULL && gelf_getehdr(elf, &header) != NULL ? header.e_machine : EM_NONE;
}

const struct module *
image_module_at(const struct image *image, uint64_t addr)
{
    for (size_t i = 0; i < image->n_modules; i++)
        if (addr >= image->modules[i].start && addr < image->modules[i].end)
            return &image->modules[i];
    return NULL;
}

enum runtime
image_runtime_at(const struct image *image, uint64_t addr)
{
    const struct module *module = image_module_at(image, addr);
    return module != NULL ? objfile_runtime_at(module->file, addr - module->bias) : RUNTIME_NONE;
}

bool
image_symbol(const struct image *image, const char *name, enum symbol_kind kind, uint64_t *ret)
{
    const uint64_t order = objfile_symbol_order(name);
    const struct module *best = NULL;
    bool is_local = true;
    for (size_t i = 0; i < image->n_modules && is_local; i++) {
        const struct module *module = &image->modules[i];
        const struct symbol *symbol = objfile_symbol_at(module->file, name, order, kind);
        if (symbol == NULL || (symbol->local && best != NULL))
            continue;
        best = module;
        is_local = symbol->local;
        *ret = symbol->value + module->bias;
    }
    if (best != NULL)
        best->file->is_asked = true;
    return best != NULL;
}

static bool
find_type(const struct image *image, const char *name, bool tag_only, struct type_entry *ret)
{
    for (size_t i = 0; i < image->n_modules; i++)
        if (objfile_type(image->modules[i].file, name, tag_only, ret))
            return true;
    return false;
}

bool
image_type(const struct image *image, const char *name, struct type_entry *ret)
{
    static const char *const keywords[] = {"struct ", "union ", "class ", "enum "};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        size_t length = strlen(keywords[i]);
        if (strncmp(name, keywords[i], length) == 0)
            return find_type(image, name + length, true, ret);
    }
    if (find_type(image, name, false, ret))
        return true;
    // One file may have only the typedef, another the struct behind it.
    for (size_t i = 0; i < image->n_modules; i++) {
        const char *tag = types_incomplete_tag(&image->modules[i].file->types, name);
        if (tag != NULL && find_type(image, tag, true, ret))
            return true;
    }
    return false;
}

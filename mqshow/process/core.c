// SPDX-License-Identifier: BSD-3-Clause
// The core of a process: opening it, and reading the process's memory.
#include "mqshow/process/core.h"

#include "mqshow/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 1 << 20 };

static int
compare_segments(const void *left, const void *right)
{
    const struct core_segment *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static void
add_segment(struct core *core, const GElf_Phdr *header)
{
    if (header->p_type != PT_LOAD || header->p_memsz == 0 ||
        header->p_vaddr + header->p_memsz < header->p_vaddr)
        return;
    core->segments = alloc_grow(core->segments, core->n_segments, &core->segments_capacity,
                                sizeof *core->segments);
    uint64_t held = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;
    core->segments[core->n_segments++] = (struct core_segment){header->p_vaddr,
                                                               header->p_memsz,
                                                               header->p_offset,
                                                               held,
                                                               (header->p_flags & PF_W) != 0,
                                                               (header->p_flags & PF_X) != 0};
}

static void
read_segments(struct core *core)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(core->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++)
        if (gelf_getphdr(core->elf, (int) i, &header) != NULL)
            add_segment(core, &header);
    if (core->n_segments > 0)
        qsort(core->segments, core->n_segments, sizeof *core->segments, compare_segments);
}

/** Why a file is no core of a process of this machine; NULL: it is one. */
static const char *
check_kind(Elf *elf)
{
    GElf_Ehdr header, own;
    Elf *self = NULL;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        self = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool known = self != NULL && gelf_getehdr(self, &own) != NULL;
    elf_end(self);
    if (fd >= 0)
        close(fd);
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        header.e_type != ET_CORE)
        return "not the core of a process";
    bool same = known && header.e_machine == own.e_machine &&
                memcmp(header.e_ident + EI_CLASS, own.e_ident + EI_CLASS, 2) == 0;
    return same ? NULL : "the core of a process of another kind of machine";
}

static const char *
open_elf(struct core *core)
{
    struct stat st;
    core->fd = open(core->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (core->fd < 0 || fstat(core->fd, &st) != 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "not a file";
    if (st.st_size == 0)
        return "the file is empty";
    elf_version(EV_CURRENT);
    core->elf = elf_begin(core->fd, ELF_C_READ_MMAP, NULL);
    return check_kind(core->elf);
}

/** Says so when the file ends before what its headers list. */
static void
check_length(struct core *core)
{
    struct stat st;
    size_t count = 0;
    GElf_Phdr header;
    if (fstat(core->fd, &st) != 0)
        return;
    uint64_t needed = 0;
    if (elf_getphdrnum(core->elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
        if (gelf_getphdr(core->elf, (int) i, &header) == NULL) {
            count = 0;
            break;
        }
        uint64_t end = header.p_offset + header.p_filesz;
        if (end >= header.p_offset && end > needed)
            needed = end;
    }
    if (count == 0)
        core_add_problem(
            core,
            alloc_format("%s: the core is truncated: its headers are not all there", core->path));
    else if (needed > (uint64_t) st.st_size)
        core_add_problem(core,
                         alloc_format("%s: the core is truncated: %.1f MB of %.1f MB", core->path,
                                      (double) st.st_size / 1e6, (double) needed / 1e6));
}

void
core_add_problem(struct core *core, char *problem)
{
    core->problems =
        alloc_grow(core->problems, core->n_problems, &core->problems_capacity, sizeof(char *));
    core->problems[core->n_problems++] = problem;
}

struct core *
core_create(const char *path, const char *program)
{
    struct core *core = alloc_zeroed(1, sizeof *core);
    *core = (struct core){.path = alloc_text(path), .fd = -1, .program = alloc_text("")};
    const char *problem = open_elf(core);
    if (problem != NULL) {
        core->unusable = alloc_format("%s: %s", path, problem);
        return core;
    }
    check_length(core);
    read_segments(core);
    core_read_notes(core);
    core_open_files(core, program);
    return core;
}

void
core_destroy(struct core *core)
{
    if (core == NULL)
        return;
    for (size_t i = 0; i < core->n_mappings; i++) {
        bool shared = i > 0 && core->mappings[i].fd == core->mappings[i - 1].fd;
        if (core->mappings[i].fd >= 0 && !shared)
            close(core->mappings[i].fd);
        free(core->mappings[i].path);
    }
    for (size_t i = 0; i < core->n_problems; i++)
        free(core->problems[i]);
    elf_end(core->elf);
    if (core->fd >= 0)
        close(core->fd);
    free(core->problems);
    free(core->mappings);
    free(core->segments);
    free(core->program);
    free(core->unusable);
    free(core->path);
    free(core);
}

/** Reads as much as there is of a file. */
static size_t
read_file(int fd, uint64_t offset, size_t size, char *ret)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, ret + done, size - done, (off_t) (offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t) n;
    }
    return done;
}

/** Number of pieces that begin at an address or before it. A piece begins with its address. */
static size_t
count_up_to(const void *pieces, size_t count, size_t size, uint64_t addr)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t start;
        memcpy(&start, (const char *) pieces + middle * size, sizeof start);
        if (start <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t
count_segments(const struct core *core, uint64_t addr)
{
    return count_up_to(core->segments, core->n_segments, sizeof *core->segments, addr);
}

static size_t
smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t) a : b;
}

size_t
core_read_held(const struct core *core, uint64_t addr, size_t size, void *ret)
{
    size_t before = count_segments(core, addr);
    const struct core_segment *segment = before > 0 ? &core->segments[before - 1] : NULL;
    if (segment == NULL || addr - segment->start >= segment->held)
        return 0;
    uint64_t at = addr - segment->start;
    return read_file(core->fd, segment->offset + at, smaller(segment->held - at, size), ret);
}

bool
core_is_code(const struct core *core, uint64_t addr)
{
    size_t before = count_segments(core, addr);
    const struct core_segment *segment = before > 0 ? &core->segments[before - 1] : NULL;
    return segment != NULL && addr - segment->start < segment->size && segment->executable;
}

/** Reads what only a file that was mapped holds: not what the process could have changed. */
static size_t
read_mapped(const struct core *core, uint64_t addr, size_t size, void *ret)
{
    size_t before = count_segments(core, addr);
    const struct core_segment *segment = before > 0 ? &core->segments[before - 1] : NULL;
    if (segment != NULL && segment->writable && addr - segment->start < segment->size)
        return 0;
    size_t n = count_up_to(core->mappings, core->n_mappings, sizeof *core->mappings, addr);
    const struct core_mapping *mapping = n > 0 ? &core->mappings[n - 1] : NULL;
    if (mapping == NULL || addr >= mapping->end || mapping->fd < 0)
        return 0;
    size_t room = smaller(mapping->end - addr, size);
    if (before < core->n_segments)
        room = smaller(core->segments[before].start - addr, room);
    return read_file(mapping->fd, mapping->offset + (addr - mapping->start), room, ret);
}

bool
core_read(const struct core *core, uint64_t addr, size_t size, void *ret)
{
    size_t done = 0;
    if (size == 0 || addr + size < addr)
        return false;
    while (done < size) {
        size_t n = core_read_held(core, addr + done, size - done, (char *) ret + done);
        if (n == 0)
            n = read_mapped(core, addr + done, size - done, (char *) ret + done);
        if (n == 0)
            return false;
        done += n;
    }
    return true;
}

char *
core_find_variable(const char *strings, size_t size, const char *name)
{
    const char *found = NULL;
    size_t length = strlen(name);
    // The last one: below are the arguments, and the stack.
    for (size_t at = 0; at < size; at += strlen(strings + at) + 1)
        if (strncmp(strings + at, name, length) == 0 && strings[at + length] == '=')
            found = strings + at + length + 1;
    return alloc_text(found);
}

char *
core_environment(const struct core *core, const char *name)
{
    enum { STRINGS_MAX = 1 << 18 }; // bytes
    uint64_t end = core->strings_end;
    size_t before = end > 0 ? count_segments(core, end - 1) : 0;
    if (before == 0)
        return NULL;
    uint64_t start = core->segments[before - 1].start;
    start = end - start > STRINGS_MAX ? end - STRINGS_MAX : start;
    char *strings = alloc_zeroed(end - start + 1, 1);
    bool whole = core_read_held(core, start, end - start, strings) == end - start;
    char *found = whole ? core_find_variable(strings, end - start, name) : NULL;
    free(strings);
    return found;
}

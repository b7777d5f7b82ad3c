// SPDX-License-Identifier: BSD-3-Clause
// The core of a process: opening it, its notes, and reading the process's memory.
#include "mqshow/process/core.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/named_file.h"
#include "mqshow/base/search.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/regset.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 1 << 20, PATH_BYTES = 4096 };

/** Of pieces that begin with their address. */
static int
compare_starts(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void
add_segment(struct core *core, const GElf_Phdr *header)
{
    if (header->p_type != PT_LOAD || header->p_memsz == 0 ||
        header->p_vaddr + header->p_memsz < header->p_vaddr)
        return;
    uint64_t held = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;
    *ALLOC_ADD(core->segments, core->n_segments, core->segments_capacity) =
        (struct core_segment){header->p_vaddr,
                              header->p_memsz,
                              header->p_offset,
                              held,
                              (header->p_flags & PF_W) != 0,
                              (header->p_flags & PF_X) != 0};
}

/** Reads them, and says so when the file ends before what its headers list. */
static void
read_segments(struct core *core)
{
    struct stat st;
    size_t count = 0;
    GElf_Phdr header;
    uint64_t needed = 0;
    if (elf_getphdrnum(core->elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
        if (gelf_getphdr(core->elf, (int) i, &header) == NULL) {
            count = 0;
            break;
        }
        add_segment(core, &header);
        uint64_t end = header.p_offset + header.p_filesz;
        if (end >= header.p_offset && end > needed)
            needed = end;
    }
    if (core->n_segments > 0)
        qsort(core->segments, core->n_segments, sizeof *core->segments, compare_starts);
    if (count == 0)
        *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
            alloc_format("%s: the core is truncated: its headers are not all there", core->path);
    else if (fstat(core->fd, &st) == 0 && needed > (uint64_t) st.st_size)
        *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
            alloc_format("%s: the core is truncated: %.1f MB of %.1f MB", core->path,
                         (double) st.st_size / 1e6, (double) needed / 1e6);
}

/** Why a file is no core of a process of this machine; NULL: it is one. */
static const char *
check_kind(Elf *elf)
{
    GElf_Ehdr header;
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        header.e_type != ET_CORE)
        return "not the core of a process";
    return named_file_is_native(&header) ? NULL
                                         : "the core of a process of another kind of machine";
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

/** For search_first(): all pieces that begin at an address or before it count as before it. */
static int
is_behind(const void *addr, const void *piece)
{
    return *(const uint64_t *) addr >= *(const uint64_t *) piece;
}

/** Number of the segments that begin at an address or before it. */
static size_t
count_segments(const struct core *core, uint64_t addr)
{
    return search_first(&addr, core->segments, core->n_segments, sizeof *core->segments, is_behind);
}

/** The segment that an address is in; NULL: none. */
static const struct core_segment *
segment_at(const struct core *core, uint64_t addr)
{
    size_t before = count_segments(core, addr);
    const struct core_segment *segment = before > 0 ? &core->segments[before - 1] : NULL;
    return segment != NULL && addr - segment->start < segment->size ? segment : NULL;
}

static size_t
smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t) a : b;
}

/** Reads from a file of the core's; that the file cannot be read is remembered. @return bytes */
static size_t
read_from(int fd, uint64_t offset, size_t size, void *ret)
{
    int before = errno;
    errno = 0;
    size_t n = bytes_read_file(fd, offset, size, ret);
    alloc_check_errno();
    errno = before;
    return n;
}

size_t
core_read_held(const struct core *core, uint64_t addr, size_t size, void *ret)
{
    const struct core_segment *segment = segment_at(core, addr);
    if (segment == NULL || addr - segment->start >= segment->held)
        return 0;
    uint64_t at = addr - segment->start;
    return read_from(core->fd, segment->offset + at, smaller(segment->held - at, size), ret);
}

bool
core_is_code(const struct core *core, uint64_t addr)
{
    const struct core_segment *segment = segment_at(core, addr);
    return segment != NULL && segment->executable;
}

/** The mapping of a file that an address is in; NULL: none. */
static const struct core_mapping *
mapping_at(const struct core *core, uint64_t addr)
{
    size_t n =
        search_first(&addr, core->mappings, core->n_mappings, sizeof *core->mappings, is_behind);
    return n > 0 && addr < core->mappings[n - 1].end ? &core->mappings[n - 1] : NULL;
}

/** Reads what only a file that was mapped holds: not what the process could have changed. */
static size_t
read_mapped(const struct core *core, uint64_t addr, size_t size, void *ret)
{
    const struct core_segment *segment = segment_at(core, addr);
    if (segment != NULL && segment->writable)
        return 0;
    const struct core_mapping *mapping = mapping_at(core, addr);
    if (mapping == NULL || mapping->fd < 0)
        return 0;
    size_t room = smaller(mapping->end - addr, size), next = count_segments(core, addr);
    if (next < core->n_segments)
        room = smaller(core->segments[next].start - addr, room);
    return read_from(mapping->fd, mapping->offset + (addr - mapping->start), room, ret);
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

/** The next long of a note; false at its end. */
static bool
next_long(const char **at, const char *end, uint64_t *ret)
{
    unsigned long value;
    if ((size_t) (end - *at) < sizeof value)
        return false;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    *ret = value;
    return true;
}

/** Reads the places of the mappings, behind which their paths stand. */
static void
read_mappings(struct core *core, const char *at, const char *end)
{
    uint64_t count, page, place[3];
    if (!next_long(&at, end, &count) || !next_long(&at, end, &page) || page == 0 ||
        count > (uint64_t) (end - at) / (3 * sizeof(unsigned long)))
        return;
    const char *path = at + count * 3 * sizeof(unsigned long);
    for (uint64_t i = 0; i < count && path < end; i++) {
        size_t length = strnlen(path, (size_t) (end - path));
        for (int k = 0; k < 3; k++)
            next_long(&at, end, &place[k]);
        *ALLOC_ADD(core->mappings, core->n_mappings, core->mappings_capacity) =
            (struct core_mapping){.start = place[0],
                                  .end = place[1],
                                  .offset = place[2] * page,
                                  .path = alloc_format("%.*s", (int) length, path),
                                  .fd = -1};
        path += length + 1;
    }
    if (core->n_mappings > 0)
        qsort(core->mappings, core->n_mappings, sizeof *core->mappings, compare_starts);
}

static void
read_auxv(struct core *core, const char *at, const char *end)
{
    uint64_t key, value, name = 0;
    while (next_long(&at, end, &key) && next_long(&at, end, &value)) {
        core->headers = key == AT_PHDR ? value : core->headers;
        core->vdso = key == AT_SYSINFO_EHDR ? value : core->vdso;
        name = key == AT_EXECFN ? value : name;
    }
    core->strings_end = name; // the kernel puts it behind them
    char path[PATH_BYTES];
    size_t n = name != 0 ? core_read_held(core, name, sizeof path, path) : 0;
    if (n > 0 && memchr(path, '\0', n) != NULL) {
        free(core->program);
        core->program = alloc_text(path);
    }
}

static void
read_process(struct core *core, const char *at, const char *end)
{
    struct elf_prpsinfo info;
    if ((size_t) (end - at) < sizeof info)
        return;
    memcpy(&info, at, sizeof info);
    core->pid = info.pr_pid;
    core->flags = info.pr_flag;
}

static void
read_thread(struct core *core, const char *at, const char *end)
{
    struct elf_prstatus status;
    GElf_Ehdr header;
    if ((size_t) (end - at) < sizeof status || gelf_getehdr(core->elf, &header) == NULL)
        return;
    memcpy(&status, at, sizeof status);
    struct core_thread thread = {.tid = status.pr_pid};
    const struct regset *regset = regset_of(header.e_machine);
    thread.call.pthread = regset_pthread(regset, &status.pr_reg, sizeof status.pr_reg);
    thread.call.known =
        regset_call(regset, &status.pr_reg, sizeof status.pr_reg, &thread.call.made);
    *ALLOC_ADD(core->threads, core->n_threads, core->threads_capacity) = thread;
}

/** Notes by their types. */
static const struct {
    GElf_Word type;
    void (*read)(struct core *core, const char *at, const char *end);
} readers[] = {
    {NT_FILE, read_mappings},
    {NT_AUXV, read_auxv},
    {NT_PRPSINFO, read_process},
    {NT_PRSTATUS, read_thread},
};

static void
read_note(struct core *core, const GElf_Nhdr *note, const char *at)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == note->n_type)
            readers[i].read(core, at, at + note->n_descsz);
}

static void
read_note_segment(struct core *core, const GElf_Phdr *header)
{
    Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t) header->p_offset, header->p_filesz,
                                          header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0, name, desc;
    GElf_Nhdr note;
    if (data == NULL)
        *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
            alloc_format("cannot read the notes of %s: %s", core->path, elf_errmsg(-1));
    while (data != NULL && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
        if (note.n_namesz == sizeof "CORE" &&
            memcmp((const char *) data->d_buf + name, "CORE", sizeof "CORE") == 0)
            read_note(core, &note, (const char *) data->d_buf + desc);
}

static int
compare_tids(const void *left, const void *right)
{
    const struct core_thread *a = left, *b = right;
    return COMPARE({a->tid, b->tid});
}

/** Orders the threads, and finds out whose futexes they wait for, now that the files are known. */
static void
finish_threads(struct core *core)
{
    for (size_t i = 0; i < core->n_threads; i++) {
        struct system_state *call = &core->threads[i].call;
        const struct call_kind *kind = call->known ? call_kind_of(&call->made) : NULL;
        uint64_t word = call_open_word(kind, &call->made);
        call->shared = word != 0 && mapping_at(core, word) != NULL; // others may have the file
    }
    if (core->n_threads > 0)
        qsort(core->threads, core->n_threads, sizeof *core->threads, compare_tids);
}

static void
read_notes(struct core *core)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(core->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i <= INT_MAX; i++)
        if (gelf_getphdr(core->elf, (int) i, &header) != NULL && header.p_type == PT_NOTE)
            read_note_segment(core, &header);
    finish_threads(core);
}

const struct system_state *
core_call(const struct core *core, pid_t tid)
{
    const struct core_thread key = {.tid = tid};
    size_t at = search_first(&key, core->threads, core->n_threads, sizeof key, compare_tids);
    return at < core->n_threads && core->threads[at].tid == tid ? &core->threads[at].call : NULL;
}

struct core *
core_create(const char *path, const struct named_places *places)
{
    struct core *core = alloc_zeroed(1, sizeof *core);
    *core = (struct core){.path = alloc_text(path), .fd = -1, .program = alloc_text("")};
    const char *problem = open_elf(core);
    if (problem != NULL) {
        core->unusable = alloc_format("%s: %s", path, problem);
        return core;
    }
    read_segments(core);
    read_notes(core);
    core_open_files(core, places);
    if (alloc_first_errno() != 0)
        *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
            alloc_format("%s or a file that was mapped cannot be read as a whole", path);
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
    free(core->threads);
    free(core->program);
    free(core->unusable);
    free(core->path);
    free(core);
}

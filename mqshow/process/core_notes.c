// SPDX-License-Identifier: BSD-3-Clause
// What the notes of a core say: the process, its program, and the files that it had mapped.
#include "mqshow/process/core.h"

#include "mqshow/base/alloc.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

enum { PATH_BYTES = 4096 };

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

static int
compare_mappings(const void *left, const void *right)
{
    const struct core_mapping *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
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
        core->mappings = alloc_grow(core->mappings, core->n_mappings, &core->mappings_capacity,
                                    sizeof *core->mappings);
        core->mappings[core->n_mappings++] =
            (struct core_mapping){.start = place[0],
                                  .end = place[1],
                                  .offset = place[2] * page,
                                  .path = alloc_format("%.*s", (int) length, path),
                                  .fd = -1};
        path += length + 1;
    }
    if (core->n_mappings > 0)
        qsort(core->mappings, core->n_mappings, sizeof *core->mappings, compare_mappings);
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
}

/** Notes by their types. */
static const struct {
    GElf_Word type;
    void (*read)(struct core *core, const char *at, const char *end);
} readers[] = {
    {NT_FILE, read_mappings},
    {NT_AUXV, read_auxv},
    {NT_PRPSINFO, read_process},
};

static void
read_note(struct core *core, const GElf_Nhdr *note, const char *at)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].type == note->n_type)
            readers[i].read(core, at, at + note->n_descsz);
}

static void
read_segment(struct core *core, const GElf_Phdr *header)
{
    Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t) header->p_offset, header->p_filesz,
                                          header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0, name, desc;
    GElf_Nhdr note;
    while (data != NULL && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
        if (note.n_namesz == sizeof "CORE" &&
            memcmp((const char *) data->d_buf + name, "CORE", sizeof "CORE") == 0)
            read_note(core, &note, (const char *) data->d_buf + desc);
}

void
core_read_notes(struct core *core)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(core->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i <= INT_MAX; i++)
        if (gelf_getphdr(core->elf, (int) i, &header) != NULL && header.p_type == PT_NOTE)
            read_segment(core, &header);
}

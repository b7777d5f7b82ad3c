// SPDX-License-Identifier: BSD-3-Clause
// The files that the process of a core had mapped: finding them, and checking that they are those.
#include "tools/core.h"

#include "tools/alloc.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 1 << 16, ID_BYTES = 64, VDSO_MAX = 1 << 16 };

/** A build-id in hexadecimal; "" when there is none. */
struct build_id {
    char text[2 * ID_BYTES + 1];
};

static struct build_id
build_id_of(Elf *elf)
{
    struct build_id ret = {.text = ""};
    const void *bytes;
    ssize_t length = elf != NULL ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
    for (ssize_t i = 0; i < length && i < ID_BYTES; i++) {
        static const char digits[] = "0123456789abcdef";
        unsigned char byte = ((const unsigned char *) bytes)[i];
        ret.text[2 * i] = digits[byte >> 4];
        ret.text[2 * i + 1] = digits[byte & 15];
        ret.text[2 * i + 2] = '\0';
    }
    return ret;
}

/** What the core tells of a file. */
struct head {
    bool known;  // the core holds its beginning
    bool is_elf; // it is a program or library
    struct build_id id;
};

static struct head
head_in_core(const struct core *core, uint64_t start)
{
    char *bytes = alloc_zeroed(HEAD_BYTES, 1);
    size_t n = core_read_held(core, start, HEAD_BYTES, bytes);
    struct head ret = {.known = n > SELFMAG};
    ret.is_elf = ret.known && memcmp(bytes, ELFMAG, SELFMAG) == 0;
    Elf *elf = ret.is_elf ? elf_memory(bytes, n) : NULL;
    if (elf != NULL)
        ret.id = build_id_of(elf);
    elf_end(elf);
    free(bytes);
    return ret;
}

static void
say_missing(struct core *core, const char *path, const char *why)
{
    core_add_problem(
        core, alloc_format("%s, which the process had loaded, cannot be read: %s", path, why));
}

static void
say_other(struct core *core, const char *path, const struct build_id *found,
          const struct build_id *wanted)
{
    core_add_problem(core,
                     alloc_format("%s is not the file that the process had loaded: its build-id "
                                  "is %s, that of the core %s",
                                  path, *found->text != '\0' ? found->text : "missing",
                                  *wanted->text != '\0' ? wanted->text : "missing"));
}

/** Opens a file that a process had mapped. @return -1 when it is not what the core tells of it */
static int
open_file(struct core *core, const char *path, const struct head *wanted)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (wanted->is_elf)
            say_missing(core, path, fd < 0 ? strerror(errno) : "not a file");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    struct build_id found = {.text = ""};
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF)
        found = build_id_of(elf);
    elf_end(elf);
    if (!wanted->is_elf || strcmp(wanted->id.text, found.text) == 0)
        return fd;
    say_other(core, path, &found, &wanted->id);
    close(fd);
    return -1;
}

static bool
is_elf_file(int fd)
{
    char magic[SELFMAG];
    return fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
           memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/** Number of mappings from the first one on that are of one file. */
static size_t
run_length(const struct core *core, size_t first)
{
    size_t end = first + 1;
    while (end < core->n_mappings &&
           strcmp(core->mappings[end].path, core->mappings[first].path) == 0)
        end++;
    return end - first;
}

static bool
holds(const struct core_mapping *mappings, size_t count, uint64_t addr)
{
    for (size_t i = 0; i < count; i++)
        if (addr >= mappings[i].start && addr < mappings[i].end)
            return true;
    return false;
}

static void
set_path(char **path, const char *text)
{
    char *copy = alloc_text(text);
    free(*path);
    *path = copy;
}

/** Opens one file for all its mappings. */
static void
open_run(struct core *core, struct core_mapping *mappings, size_t count, const char *program)
{
    bool is_program = core->headers != 0 && holds(mappings, count, core->headers);
    struct head wanted = head_in_core(core, mappings[0].start);
    for (size_t i = 0; i < count && is_program && program != NULL; i++)
        set_path(&mappings[i].path, program);
    if (is_program)
        set_path(&core->program, mappings[0].path);
    int fd = open_file(core, mappings[0].path, &wanted);
    for (size_t i = 0; i < count; i++)
        mappings[i].fd = fd;
    mappings[0].is_module =
        mappings[0].offset == 0 && (wanted.known ? wanted.is_elf : true) && is_elf_file(fd);
    if (mappings[0].is_module && !wanted.known)
        core->has_unchecked = true;
}

void
core_open_files(struct core *core, const char *program)
{
    for (size_t i = 0, n; i < core->n_mappings; i += n) {
        n = run_length(core, i);
        open_run(core, &core->mappings[i], n, program);
    }
    if (core->has_unchecked)
        core_add_problem(core,
                         alloc_text("the core does not hold the beginnings of all files: whether "
                                    "these are those that the process had is not known"));
}

/** The kernel's library, which is in no file, as one. @return -1 when the core has none */
static int
copy_vdso(const struct core *core)
{
    char *bytes = alloc_zeroed(VDSO_MAX, 1);
    size_t n = core->vdso != 0 ? core_read_held(core, core->vdso, VDSO_MAX, bytes) : 0;
    int fd = n > 0 ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, bytes, n) != (ssize_t) n) {
        close(fd);
        fd = -1;
    }
    free(bytes);
    return fd;
}

static void
report_file(Dwfl *session, const char *name, int fd, uint64_t start)
{
    // On success the session owns the descriptor.
    if (fd >= 0 && dwfl_report_elf(session, name, name, fd, start, false) == NULL)
        close(fd);
}

bool
core_report(const struct core *core, Dwfl *session)
{
    dwfl_report_begin(session);
    for (size_t i = 0; i < core->n_mappings; i++) {
        const struct core_mapping *mapping = &core->mappings[i];
        if (mapping->is_module)
            report_file(session, mapping->path, fcntl(mapping->fd, F_DUPFD_CLOEXEC, 0),
                        mapping->start);
    }
    report_file(session, "[vdso]", copy_vdso(core), core->vdso);
    return dwfl_report_end(session, NULL, NULL) == 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// The files that the process of a core had mapped: finding them, and checking that they are those.
#include "mqshow/process/core.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/build_id.h"
#include "mqshow/process/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 1 << 16 };

/** What the core has of a file. */
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
    ret.is_elf = build_id_of_start(bytes, n, &ret.id);
    free(bytes);
    return ret;
}

static void
add_missing(struct core *core, const char *path, const char *why)
{
    *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
        alloc_format("%s, which the process had loaded, cannot be read: %s", path, why);
}

static void
add_mismatch(struct core *core, const char *path, const struct build_id *found,
             const struct build_id *wanted)
{
    char *is = build_id_text(found), *was = build_id_text(wanted);
    *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
        alloc_format("%s is not the file that the process had loaded: its build-id is %s, the "
                     "one in the core %s",
                     path, *is != '\0' ? is : "missing", *was != '\0' ? was : "missing");
    free(is);
    free(was);
}

/** Opens a file that a process had mapped. Whoever made the core may have written any name into it:
 * only what has the build-id that stands in the core is read, unless the user named the file.
 * @return -1: it is not to be read
 */
static int
open_file(struct core *core, const char *path, const struct head *wanted, bool is_named)
{
    struct stat st;
    if (wanted->known ? !wanted->is_elf : !is_named)
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        add_missing(core, path, fd < 0 ? strerror(errno) : "not a file");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    errno = 0;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    struct build_id found = build_id_of(elf);
    alloc_check_errno();
    elf_end(elf);
    bool is_it = !wanted->known || build_id_equals(&wanted->id, &found);
    if (is_it && (is_named || found.length > 0))
        return fd;
    if (is_it)
        add_missing(core, path, "it has no build-id, so it may be another file");
    else
        add_mismatch(core, path, &found, &wanted->id);
    close(fd);
    return -1;
}

static bool
is_elf_file(int fd)
{
    char magic[SELFMAG];
    errno = 0;
    size_t n = fd >= 0 ? bytes_read_file(fd, 0, SELFMAG, magic) : 0;
    alloc_check_errno();
    return n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
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
open_run(struct core *core, struct core_mapping *mappings, size_t count,
         const struct named_places *places)
{
    bool is_program = core->headers != 0 && holds(mappings, count, core->headers);
    struct head wanted = head_in_core(core, mappings[0].start);
    bool is_named = is_program && places->program != NULL;
    char *path =
        is_named ? alloc_text(places->program) : named_file_place(places, mappings[0].path);
    for (size_t i = 0; i < count; i++)
        set_path(&mappings[i].path, path);
    free(path);
    if (is_program)
        set_path(&core->program, mappings[0].path);
    int fd = open_file(core, mappings[0].path, &wanted, is_named);
    for (size_t i = 0; i < count; i++)
        mappings[i].fd = fd;
    mappings[0].is_module = mappings[0].offset == 0 && is_elf_file(fd);
    for (size_t i = 0; i < count && fd < 0 && !wanted.known; i++)
        core->has_unknown |= core_is_code(core, mappings[i].start);
}

void
core_open_files(struct core *core, const struct named_places *places)
{
    for (size_t i = 0, n; i < core->n_mappings; i += n) {
        n = run_length(core, i);
        open_run(core, &core->mappings[i], n, places);
    }
    if (core->has_unknown)
        *ALLOC_ADD(core->problems, core->n_problems, core->problems_capacity) =
            alloc_format("%s lacks the headers of some mapped files: these files are not read, as "
                         "they may have changed; write cores with bit 4 of "
                         "/proc/PID/coredump_filter set",
                         core->path);
}

void
core_report_file(Dwfl *session, const char *name, int fd, uint64_t at, bool is_bias)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    // On success the session owns the descriptor.
    if (own >= 0 && dwfl_report_elf(session, name, name, own, at, is_bias) == NULL) {
        alloc_check_errno();
        close(own);
    }
}

bool
core_report_end(Dwfl *session, uint64_t vdso, const void *bytes, size_t size)
{
    int fd = size > 0 ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, bytes, size) == (ssize_t) size)
        core_report_file(session, "[vdso]", fd, vdso, false);
    if (fd >= 0)
        close(fd);
    return dwfl_report_end(session, NULL, NULL) == 0;
}

bool
core_report(const struct core *core, Dwfl *session)
{
    dwfl_report_begin(session);
    for (size_t i = 0; i < core->n_mappings; i++) {
        const struct core_mapping *mapping = &core->mappings[i];
        if (mapping->is_module)
            core_report_file(session, mapping->path, mapping->fd, mapping->start, false);
    }
    char *bytes = alloc_bytes(VDSO_MAX);
    size_t n = core->vdso != 0 ? core_read_held(core, core->vdso, VDSO_MAX, bytes) : 0;
    bool good = core_report_end(session, core->vdso, bytes, n);
    free(bytes);
    return good;
}

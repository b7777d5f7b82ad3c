// SPDX-License-Identifier: BSD-3-Clause
// Files that a process or another file names, and what of them may be read.
#include "mqshow/base/named_file.h"

#include "mqshow/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX     ((int64_t) 8 << 30)  // bytes
#define UNPACKED_MAX ((uint64_t) 2 << 30) // of all compressed sections of a file

static bool
is_elf(int fd)
{
    struct stat st;
    char magic[SELFMAG];
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX &&
           pread(fd, magic, SELFMAG, 0) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

char *
named_file_place(const struct named_places *places, const char *path)
{
    const char *root = places->sysroot != NULL && *path == '/' ? places->sysroot : "";
    return alloc_format("%s%s", root, path);
}

bool
named_file_may_be_opened(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return true; // nor can the library
    int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd < 0)
        return false;
    int before = errno; // of the library that asks
    errno = 0;
    bool good = is_elf(fd);
    alloc_check_errno();
    close(fd);
    errno = before;
    return good;
}

/** Bytes of a section when it is unpacked; 0: it is not compressed. */
static uint64_t
unpacked_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    enum { MAGIC = 4, WHOLE = 12 }; // "ZLIB", and the size, the highest byte first
    GElf_Chdr compressed;
    if ((header->sh_flags & SHF_COMPRESSED) != 0)
        return gelf_getchdr(section, &compressed) != NULL ? compressed.ch_size : UINT64_MAX;
    if (name == NULL || strncmp(name, ".zdebug", strlen(".zdebug")) != 0)
        return 0;
    const Elf_Data *data = elf_rawdata(section, NULL);
    const unsigned char *bytes = data != NULL && data->d_size >= WHOLE ? data->d_buf : NULL;
    uint64_t size = 0;
    for (size_t i = MAGIC; bytes != NULL && i < WHOLE; i++)
        size = size << 8 | bytes[i];
    return size;
}

/** Whether the file that a .gnu_debugaltlink names may be opened: libdw does so by itself. */
static bool
check_other(Elf_Scn *section, const char *path)
{
    const Elf_Data *data = elf_rawdata(section, NULL);
    const char *name = data != NULL ? data->d_buf : NULL;
    if (name == NULL || memchr(name, '\0', data->d_size) == NULL)
        return false;
    const char *slash = strrchr(path, '/');
    int folder = *name != '/' && slash != NULL ? (int) (slash + 1 - path) : 0;
    char *other = alloc_format("%.*s%s", folder, path, name);
    bool good = named_file_may_be_opened(other);
    free(other);
    return good;
}

static bool
check_sections(Elf *elf, const char *path)
{
    size_t names;
    uint64_t unpacked = 0;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true; // it has none
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            return false;
        const char *name = elf_strptr(elf, names, header.sh_name);
        uint64_t size = unpacked_size(section, &header, name);
        if (size > UNPACKED_MAX - unpacked)
            return false;
        unpacked += size;
        if (name != NULL && strcmp(name, ".gnu_debugaltlink") == 0 && !check_other(section, path))
            return false;
    }
    return true;
}

bool
named_file_may_be_read(int fd, const char *path, const struct build_id *wanted)
{
    if (!is_elf(fd))
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    struct build_id found = build_id_of(elf);
    bool good = elf != NULL && elf_kind(elf) == ELF_K_ELF &&
                (wanted == NULL || build_id_equals(&found, wanted)) && check_sections(elf, path);
    elf_end(elf);
    return good;
}

/** The header of this program, where the linker puts it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool
named_file_is_native(const GElf_Ehdr *header)
{
    return header->e_machine == __ehdr_start.e_machine &&
           header->e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS] &&
           header->e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA];
}

// SPDX-License-Identifier: BSD-3-Clause
// What a library is, from its file alone: nothing of it is run.
#include "mqshow/mqd/trust.h"

#include "mqshow/base/alloc.h"
#include "mqshow/mqd/dll.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Elf *
open_elf(const char *path, int *ret_fd)
{
    struct stat st;
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL && fd >= 0)
        close(fd);
    *ret_fd = fd;
    return elf;
}

/** Class, byte order and machine of this very program. */
static bool
read_own_header(GElf_Ehdr *ret)
{
    int fd;
    Elf *elf = open_elf("/proc/self/exe", &fd);
    if (elf == NULL)
        return false;
    bool ok = gelf_getehdr(elf, ret) != NULL;
    elf_end(elf);
    close(fd);
    return ok;
}

static bool
is_for_this_machine(Elf *elf)
{
    GElf_Ehdr header, own;
    return gelf_getehdr(elf, &header) != NULL && read_own_header(&own) && header.e_type == ET_DYN &&
           header.e_machine == own.e_machine && header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
           header.e_ident[EI_DATA] == own.e_ident[EI_DATA];
}

static bool
section_exports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || header->sh_entsize == 0)
        return false;
    size_t count = (size_t) (header->sh_size / header->sh_entsize);
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int) i, &symbol) == NULL)
            return false;
        const char *found = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (found != NULL && symbol.st_shndx != SHN_UNDEF &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC && strcmp(found, name) == 0)
            return true;
    }
    return false;
}

static bool
exports(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM)
            return section_exports(elf, section, &header, name);
    }
    return false;
}

static char *
check_elf(Elf *elf, const char *path)
{
    if (!is_for_this_machine(elf))
        return alloc_format("%s is not a shared library for this machine", path);
    const char *name;
    for (unsigned i = 0; (name = dll_required(i)) != NULL; i++)
        if (!exports(elf, name))
            return alloc_format("%s is not a message queue library: it lacks %s", path, name);
    return NULL;
}

char *
trust_check_elf(const char *path)
{
    int fd;
    errno = 0;
    Elf *elf = open_elf(path, &fd);
    if (elf == NULL)
        return alloc_format("%s: %s", path, errno != 0 ? strerror(errno) : "not a library");
    char *problem = check_elf(elf, path);
    elf_end(elf);
    close(fd);
    return problem;
}

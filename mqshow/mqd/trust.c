// SPDX-License-Identifier: BSD-3-Clause
// Where this project's own library is, and which one that a debugged process names may be loaded.
#include "mqshow/mqd/trust.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/named_file.h"
#include "mqshow/mqd/dll.h"
#include "mqshow/process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char library[] = "libmqs_ompd.so";

/** Folders to try, from the folder of this program's file: where it is built, and beside it. */
static const char *const near[] = {"/.libs", "/../.libs", ""};

static char *
if_readable(char *path)
{
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *
program_folder(void)
{
    char *path = procfs_program(0), *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL)
        *slash = '\0';
    return path;
}

/** Where the library lies when the installation was moved as a whole and this program is in
 * `folder`: the way from BINDIR to DLLDIR, taken from there.
 */
static char *
moved_path(const char *folder)
{
    static const char from[] = BINDIR "/", to[] = DLLDIR "/";
    size_t common = 0;
    for (size_t i = 0; from[i] != '\0' && from[i] == to[i]; i++)
        common = from[i] == '/' ? i + 1 : common;
    char *path = alloc_text(folder);
    for (const char *s = from + common; *s != '\0'; s++) {
        if (*s != '/')
            continue;
        char *up = alloc_format("%s/..", path);
        free(path);
        path = up;
    }
    char *moved = alloc_format("%s/%s%s", path, to + common, library);
    free(path);
    return moved;
}

static char *
find_from(const char *folder)
{
    char *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof near / sizeof *near; i++)
        found = if_readable(alloc_format("%s%s/%s", folder, near[i], library));
    return found != NULL ? found : if_readable(moved_path(folder));
}

char *
own_dll_path(void)
{
    char *folder = program_folder();
    char *found = folder != NULL ? find_from(folder) : NULL;
    free(folder);
    if (found == NULL)
        found = if_readable(alloc_format("%s/%s", DLLDIR, library));
    char *real = found != NULL ? realpath(found, NULL) : NULL;
    free(found);
    return real;
}

/** The folder of our library, to free(); NULL when there is none. */
static char *
own_dll_folder(void)
{
    char *path = own_dll_path();
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL)
        *slash = '\0';
    return path;
}

static const char trusted_variable[] = "MQSHOW_TRUSTED_DIRS";

/** Folders of system libraries, with all that is below them. */
static const char *const system_folders[] = {"/lib",       "/lib64",         "/usr/lib",
                                             "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"};

/** Whether a real path lies below a folder, which may be a link itself. */
static bool
is_below(const char *path, const char *folder)
{
    char *real = realpath(folder, NULL);
    if (real == NULL)
        return false;
    size_t length = strlen(real);
    bool below = strncmp(path, real, length) == 0 && path[length] == '/' && length > 0;
    free(real);
    return below;
}

static bool
is_below_listed(const char *path, const char *list)
{
    char *copy = alloc_text(list != NULL ? list : "");
    char *rest = copy;
    bool below = false;
    for (char *folder; !below && (folder = strsep(&rest, ":")) != NULL;)
        below = *folder == '/' && is_below(path, folder);
    free(copy);
    return below;
}

static bool
is_in_trusted_folder(const char *path)
{
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++)
        if (is_below(path, system_folders[i]))
            return true;
    char *ours = own_dll_folder();
    bool below = ours != NULL && is_below(path, ours);
    free(ours);
    return below || is_below_listed(path, getenv(trusted_variable));
}

/** Whether nobody but root and the user can change a file or folder. */
static bool
is_safe(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || (st.st_uid != 0 && st.st_uid != geteuid()))
        return false;
    // Where only the owner of a file can replace it, as in /tmp, others may write.
    bool sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX) != 0;
    return (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 || sticky;
}

/** The file or the first folder above it that others can change, in `path` itself; NULL: none. */
static const char *
first_unsafe(char *path)
{
    for (;;) {
        if (!is_safe(path))
            return path;
        char *slash = strrchr(path, '/');
        if (slash == NULL || strcmp(path, "/") == 0)
            return NULL;
        slash[slash == path ? 1 : 0] = '\0';
    }
}

static char *
check_place(const char *real)
{
    if (!is_in_trusted_folder(real))
        return alloc_format("%s is not in a trusted folder; if you trust it, give it with --dll or "
                            "its folder in %s",
                            real, trusted_variable);
    char *copy = alloc_text(real);
    const char *unsafe = first_unsafe(copy);
    char *problem =
        unsafe != NULL ? alloc_format("%s can be changed by other users", unsafe) : NULL;
    free(copy);
    return problem;
}

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
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) == NULL || header.e_type != ET_DYN ||
        !named_file_is_native(&header))
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

char *
trust_check(const char *path, char **ret_problem)
{
    char *real = realpath(path, NULL);
    char *problem =
        real == NULL ? alloc_format("%s: %s", path, strerror(errno)) : check_place(real);
    if (problem == NULL)
        problem = trust_check_elf(real);
    if (problem == NULL)
        return real;
    free(real);
    *ret_problem = problem;
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// The checks that a library has to pass before it is loaded: its place, its owners, its ELF
// headers.
#include "ompd-bridge/library/trust.h"

#include "ompd-bridge/library/elf_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEEDED_MAX = 64 }; // libraries that a library may need

static const char file_name[] = "libompd.so";

// Where the distribution and the administrator put software.
static const char *const system_directories[] = {"/usr", "/lib", "/lib64", "/opt"};

// A debugger that loads one of these has a second OpenMP runtime in it.
static const char *const runtimes[] = {"libomp.so", "libomp-", "libomp5",
                                       "libiomp5",  "libgomp", "libnvomp"};

static const char *const exports[] = {
#define FUNCTION(name, ...) "ompd_" #name,
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
};

static bool
is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static bool
is_safe(const struct stat *st)
{
    bool owned = st->st_uid == 0 || st->st_uid == geteuid();
    return owned && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

// Looks at the resolved path and at every directory above it.
static const char *
check_owners(const char *path)
{
    char part[PATH_MAX];
    struct stat st;
    snprintf(part, sizeof(part), "%s", path);
    if (lstat(part, &st) != 0 || !S_ISREG(st.st_mode))
        return "it is not a file";
    if (!is_safe(&st))
        return "others than root and you can write to it";
    for (char *slash = strrchr(part, '/'); slash; slash = strrchr(part, '/')) {
        *slash = '\0';
        if (lstat(part[0] ? part : "/", &st) != 0 || !S_ISDIR(st.st_mode))
            return "its directory cannot be seen";
        if (!is_safe(&st))
            return "others than root and you can write to a directory above it";
    }
    return NULL;
}

static bool
is_runtime(const char *name)
{
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
        if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0)
            return true;
    return false;
}

static const char *
check_needed(const struct elf_file *elf)
{
    char name[ELF_NAME_MAX];
    unsigned i = 0;
    for (; i <= NEEDED_MAX && elf_file_needs(elf, i, name); i++) {
        const char *slash = strrchr(name, '/');
        if (name[0] == '\0' || is_runtime(slash ? slash + 1 : name))
            return "it would load an OpenMP runtime into the debugger";
    }
    return i <= NEEDED_MAX ? NULL : "it needs too many libraries";
}

// This very library has all functions too, but asks another one itself.
static const char own_function[] = "mqs_setup_basic_callbacks";

static const char *
check_exports(const struct elf_file *elf)
{
    if (elf_file_exports(elf, own_function))
        return "it is a library like the one that would load it";
    for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++)
        if (!elf_file_exports(elf, exports[i]))
            return "it lacks functions of an OMPD library";
    return NULL;
}

const char *
trust_check_file(const char *path)
{
    struct elf_file elf;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return "it cannot be opened";
    const char *wrong = elf_file_init(&elf, fd);
    if (!wrong)
        wrong = check_needed(&elf);
    if (!wrong)
        wrong = check_exports(&elf);
    close(fd);
    return wrong;
}

static bool
passes(const char *resolved, struct diagnostics *diagnostics)
{
    const char *wrong = check_owners(resolved);
    if (!wrong)
        wrong = trust_check_file(resolved);
    if (wrong)
        diagnostics_add(diagnostics, "OMPD library %s refused: %s", resolved, wrong);
    return !wrong;
}

static const char *
users_list(void)
{
    const char *list = secure_getenv("MQS_OMPD_LIBRARY");
    return list ? list : "";
}

// Cuts the next place off a list; false at its end.
static bool
next_place(const char **list, char *ret)
{
    size_t length = strcspn(*list, ":");
    if (**list == '\0')
        return false;
    snprintf(ret, PATH_MAX, "%.*s", length < PATH_MAX ? (int) length : PATH_MAX - 1, *list);
    *list += length + ((*list)[length] == ':');
    return true;
}

static bool
resolve(const char *path, char *ret)
{
    char joined[PATH_MAX];
    struct stat st;
    if (!realpath(path, ret) || stat(ret, &st) != 0)
        return false;
    if (!S_ISDIR(st.st_mode))
        return true;
    int length = snprintf(joined, sizeof(joined), "%s/%s", path, file_name);
    return length > 0 && (size_t) length < sizeof(joined) && realpath(joined, ret);
}

bool
trust_users_choice(char *ret, struct diagnostics *diagnostics)
{
    char place[PATH_MAX], resolved[PATH_MAX];
    for (const char *list = users_list(); next_place(&list, place);) {
        if (place[0] != '/' || !resolve(place, resolved)) {
            diagnostics_add(diagnostics, "MQS_OMPD_LIBRARY: no OMPD library in %s", place);
        } else if (passes(resolved, diagnostics)) {
            memcpy(ret, resolved, PATH_MAX);
            return true;
        }
    }
    return false;
}

static bool
is_trusted_place(const char *resolved)
{
    char place[PATH_MAX], directory[PATH_MAX];
    for (size_t i = 0; i < sizeof(system_directories) / sizeof(system_directories[0]); i++)
        if (is_below(resolved, system_directories[i]))
            return true;
    for (const char *list = users_list(); next_place(&list, place);)
        if (realpath(place, directory) && is_below(resolved, directory))
            return true;
    return false;
}

bool
trust_debuggees_choice(const char *path, char *ret, struct diagnostics *diagnostics)
{
    char resolved[PATH_MAX];
    if (path[0] != '/' || !realpath(path, resolved))
        return false;
    if (!is_trusted_place(resolved)) {
        diagnostics_add(diagnostics,
                        "OMPD library %s refused: it is in no trusted directory; "
                        "name it in MQS_OMPD_LIBRARY if you trust it",
                        resolved);
        return false;
    }
    if (!passes(resolved, diagnostics))
        return false;
    memcpy(ret, resolved, PATH_MAX);
    return true;
}

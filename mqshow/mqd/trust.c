// SPDX-License-Identifier: BSD-3-Clause
// Which library that a debugged process names may be loaded into this one.
#include "mqshow/mqd/trust.h"

#include "mqshow/base/alloc.h"
#include "mqshow/mqd/own_dll.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// SPDX-License-Identifier: BSD-3-Clause
// Where this project's own library is.
#include "mqshow/mqd/own_dll.h"

#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>
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

char *
own_dll_folder(void)
{
    char *path = own_dll_path();
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL)
        *slash = '\0';
    return path;
}

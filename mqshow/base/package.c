// SPDX-License-Identifier: BSD-3-Clause
// The distribution's package that a file belongs to.
#include "mqshow/base/package.h"

#include "mqshow/base/alloc.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Whether a list has a line that is the path. */
static bool
has_line(const char *list, const char *path)
{
    FILE *file = fopen(list, "re");
    char *line = NULL;
    size_t room = 0, length = strlen(path);
    bool found = false;
    for (ssize_t n; file != NULL && !found && (n = getline(&line, &room, file)) > 0;)
        found = (size_t) n == length + 1 && memcmp(line, path, length) == 0;
    if (file != NULL)
        fclose(file);
    free(line);
    return found;
}

char *
package_of_mpi(const char *path)
{
    // What dpkg has installed where, a file for each package: NAME.list or NAME:ARCHITECTURE.list.
    static const char pattern[] = "/var/lib/dpkg/info/*mpi*.list";
    glob_t lists;
    char *name = NULL;
    if (glob(pattern, 0, NULL, &lists) != 0)
        return NULL;
    for (size_t i = 0; i < lists.gl_pathc && name == NULL; i++) {
        if (!has_line(lists.gl_pathv[i], path))
            continue;
        const char *start = strrchr(lists.gl_pathv[i], '/') + 1;
        size_t length = strcspn(start, ":");
        if (start[length] == '\0')
            length -= strlen(".list");
        name = alloc_format("%.*s", (int) length, start);
    }
    globfree(&lists);
    return name;
}

// SPDX-License-Identifier: BSD-3-Clause
// The mounts of a process, from /proc/PID/mountinfo.
#include "mqshow/process/mounts.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Types of file systems. A type with a dot behind one of these is of its sort, too. */
static const struct {
    const char *type, *sort; // NULL: of this machine
} sorts[] = {
    {"nfs", "network"},   {"nfs4", "network"},   {"cifs", "network"},
    {"smb3", "network"},  {"smbfs", "network"},  {"lustre", "network"},
    {"gpfs", "network"},  {"beegfs", "network"}, {"ceph", "network"},
    {"9p", "network"},    {"afs", "network"},    {"coda", "network"},
    {"pvfs2", "network"}, {"panfs", "network"},  {"wekafs", "network"},
    {"ocfs2", "network"}, {"gfs2", "network"},   {"virtiofs", "network"},
    {"fuse", "FUSE"},     {"fuseblk", "FUSE"},   {"autofs", "automounter"},
    {"ext2", NULL},       {"ext3", NULL},        {"ext4", NULL},
    {"xfs", NULL},        {"btrfs", NULL},       {"tmpfs", NULL},
    {"ramfs", NULL},      {"f2fs", NULL},        {"jfs", NULL},
    {"zfs", NULL},        {"vfat", NULL},
};

enum { SORTS = sizeof sorts / sizeof *sorts };

static size_t
find_sort(const char *type)
{
    size_t length = strcspn(type, "."), i = 0;
    while (i < SORTS && (strncmp(sorts[i].type, type, length) != 0 || sorts[i].type[length]))
        i++;
    return i;
}

const char *
mount_sort(const char *type)
{
    size_t i = find_sort(type);
    return i < SORTS ? sorts[i].sort : NULL;
}

bool
mount_is_local(const char *type)
{
    size_t i = find_sort(type);
    return i < SORTS && !sorts[i].sort;
}

/** Replaces "\040" and the like, which stand for blanks, by what they mean. */
static void
unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned number;
        if (*from == '\\' && sscanf(from + 1, "%3o", &number) == 1 && number > 0 && number < 256) {
            *to = (char) number;
            from += strlen("\\040");
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/** A line: number, parent, device, root, mount point, options, tags, "-", type, source. */
static bool
parse_line(const char *line, int *ret_number, struct mount *ret)
{
    char device[32], point[PATH_MAX], type[64];
    const char *behind = strstr(line, " - ");
    if (!behind || sscanf(line, "%d %*d %31s %*s %4095s", ret_number, device, point) != 3 ||
        sscanf(behind, " - %63s", type) != 1)
        return false;
    unescape(point);
    *ret = (struct mount){alloc_text(point), alloc_text(type), alloc_text(device)};
    return true;
}

static bool
is_below(const char *path, const char *point)
{
    size_t length = strlen(point);
    return strncmp(path, point, length) == 0 &&
           (path[length] == '/' || path[length] == '\0' || strcmp(point, "/") == 0);
}

/** Finds a mount by its number, or by a path that it has; later ones hide earlier ones. */
static bool
search(struct mount *ret, pid_t pid, int number, const char *path)
{
    char *text = procfs_read(NULL, "/proc/%d/mountinfo", (int) pid), *rest = NULL;
    struct mount mount;
    int found;
    *ret = (struct mount){.point = NULL};
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (!parse_line(line, &found, &mount))
            continue;
        bool is_it = path ? is_below(path, mount.point) &&
                                (!ret->point || strlen(mount.point) >= strlen(ret->point))
                          : found == number;
        if (is_it) {
            mount_deinit(ret);
            *ret = mount;
        } else {
            mount_deinit(&mount);
        }
    }
    free(text);
    return ret->point != NULL;
}

bool
mount_find(struct mount *mount, pid_t pid, int number)
{
    *mount = (struct mount){.point = NULL};
    return number >= 0 && search(mount, pid, number, NULL);
}

bool
mount_of_path(struct mount *mount, pid_t pid, const char *path)
{
    return search(mount, pid, -1, path);
}

void
mount_deinit(struct mount *mount)
{
    free(mount->point);
    free(mount->type);
    free(mount->device);
    *mount = (struct mount){.point = NULL};
}

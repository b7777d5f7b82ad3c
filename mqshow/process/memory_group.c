// SPDX-License-Identifier: BSD-3-Clause
// What the control group of a process says of its memory, of both versions of control groups.
#include "mqshow/process/memory_group.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>

/** Where the groups of a version are, and the file that counts what was killed. */
static const struct {
    const char *folder, *events, *key;
} versions[] = {
    {"/sys/fs/cgroup/memory", "memory.oom_control", "oom_kill "},
    {"/sys/fs/cgroup", "memory.events", "oom_kill "},
    {"/sys/fs/cgroup/unified", "memory.events", "oom_kill "},
};

enum { VERSION_1, VERSIONS = sizeof versions / sizeof *versions };

/** The name of the group, to free(); NULL: none of that version, or the root of all. */
static char *
group_name(pid_t pid, bool version_1)
{
    char *text = procfs_read(NULL, "/proc/%d/cgroup", (int) pid), *rest = NULL, *name = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !name;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *kind = strchr(line, ':'), *path = kind ? strchr(kind + 1, ':') : NULL;
        if (path && strcmp(path, ":/") != 0 &&
            (version_1 ? strncmp(kind, ":memory:", 8) == 0 : path == kind + 1))
            name = alloc_text(path + 1);
    }
    free(text);
    return name;
}

/** "full avg10=57.20 avg60=..." */
static long
pressure(char *text)
{
    char *value = procfs_line(text, "full avg10=");
    long percent = value ? strtol(value, NULL, 10) : -1;
    free(value);
    return percent;
}

/** @return whether the process has a group of that version */
static bool
read_version(struct memory_group *group, pid_t pid, size_t version)
{
    const char *folder = versions[version].folder;
    char *name = group_name(pid, version == VERSION_1);
    long kills =
        name ? procfs_number(procfs_read(NULL, "%s%s/%s", folder, name, versions[version].events),
                             versions[version].key)
             : -1;
    if (kills < 0) {
        free(name);
        return false;
    }
    group->name = name;
    group->oom_kills = kills;
    group->pressure = pressure(procfs_read(NULL, "%s%s/memory.pressure", folder, name));
    return true;
}

struct memory_group
memory_group_read(pid_t pid)
{
    struct memory_group group = {NULL, -1, -1, -1};
    pid_t from[] = {pid, procfs_parent(pid)};
    struct procfs_stat stat;
    size_t count = procfs_stat(pid, 0, &stat) && stat.letter == 'Z' && from[1] > 1 ? 2 : 1;
    for (size_t i = 0; i < count; i++)
        for (size_t version = 0; version < VERSIONS && !group.name; version++)
            read_version(&group, from[i], version);
    group.machine_pressure = pressure(procfs_read(NULL, "/proc/pressure/memory"));
    return group;
}

void
memory_group_deinit(struct memory_group *group)
{
    free(group->name);
    *group = (struct memory_group){NULL, -1, -1, -1};
}

// SPDX-License-Identifier: BSD-3-Clause
// Processes and threads of another PID namespace.
#include "mqshow/process/pidmap.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 32 }; // of namespaces within each other, as the kernel has it

/** Reads the numbers that a process or thread has, from the namespace of /proc to its own.
 * @return how many; 0: none are known
 */
static size_t
read_numbers(const char *folder, pid_t numbers[DEPTH_MAX])
{
    static const char key[] = "NSpid:";
    char path[64], *line = NULL;
    snprintf(path, sizeof path, "%s/status", folder);
    FILE *file = fopen(path, "re");
    size_t room = 0, count = 0;
    while (file != NULL && count == 0 && getline(&line, &room, file) > 0) {
        if (strncmp(line, key, sizeof key - 1) != 0)
            continue;
        char *end = line + sizeof key - 1;
        for (const char *at = end; count < DEPTH_MAX; at = end) {
            numbers[count] = (pid_t) strtol(at, &end, 10);
            if (end == at)
                break;
            count++;
        }
    }
    if (file != NULL)
        fclose(file);
    free(line);
    return count;
}

static size_t
read_process(pid_t pid, pid_t numbers[DEPTH_MAX])
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", (int) pid);
    return read_numbers(folder, numbers);
}

/** Which PID namespace a process is in. @return false: not known */
static bool
read_namespace(pid_t pid, struct stat *ret)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int) pid);
    return stat(path, ret) == 0;
}

static void
add(struct pidmap *map, pid_t inner, pid_t outer)
{
    map->items = alloc_grow(map->items, map->count, &map->capacity, sizeof *map->items);
    map->items[map->count++] = (struct pidmap_entry){inner, outer};
}

static int
compare(const void *left, const void *right)
{
    const struct pidmap_entry *a = left, *b = right;
    return (a->inner > b->inner) - (a->inner < b->inner);
}

static void
sort(struct pidmap *map)
{
    if (map->count > 0)
        qsort(map->items, map->count, sizeof *map->items, compare);
}

void
pidmap_init_processes(struct pidmap *map, pid_t member)
{
    pid_t numbers[DEPTH_MAX], *all;
    size_t depth = read_process(member, numbers);
    struct stat own, other;
    *map = (struct pidmap){.is_same = depth <= 1};
    if (map->is_same || !read_namespace(member, &own))
        return;
    size_t n_all = procfs_all(&all);
    for (size_t i = 0; i < n_all; i++)
        if (read_process(all[i], numbers) == depth && read_namespace(all[i], &other) &&
            other.st_dev == own.st_dev && other.st_ino == own.st_ino)
            add(map, numbers[depth - 1], all[i]);
    free(all);
    sort(map);
}

void
pidmap_init_threads(struct pidmap *map, pid_t pid)
{
    pid_t numbers[DEPTH_MAX];
    size_t depth = read_process(pid, numbers);
    char path[64];
    *map = (struct pidmap){.is_same = depth <= 1};
    snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *tasks = map->is_same ? NULL : opendir(path);
    if (tasks == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        pid_t tid = (pid_t) atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/%d/task/%d", (int) pid, (int) tid);
        if (tid > 0 && read_numbers(path, numbers) == depth)
            add(map, numbers[depth - 1], tid);
    }
    closedir(tasks);
    sort(map);
}

pid_t
pidmap_find(const struct pidmap *map, pid_t inner)
{
    const struct pidmap_entry wanted = {.inner = inner};
    if (map->is_same)
        return inner;
    const struct pidmap_entry *found =
        map->count > 0 ? bsearch(&wanted, map->items, map->count, sizeof *map->items, compare)
                       : NULL;
    return found != NULL ? found->outer : 0;
}

void
pidmap_deinit(struct pidmap *map)
{
    free(map->items);
    *map = (struct pidmap){.is_same = true};
}

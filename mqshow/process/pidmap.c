// SPDX-License-Identifier: BSD-3-Clause
// Processes and threads of another PID namespace.
#include "mqshow/process/pidmap.h"

#include "mqshow/base/search.h"
#include "mqshow/process/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 32 }; // of namespaces within each other, as the kernel has it

/** Reads the numbers that a process or thread has, from the namespace of /proc to its own.
 * @return how many; 0: none are known
 */
static size_t
read_numbers(pid_t tid, pid_t numbers[DEPTH_MAX])
{
    char *line = procfs_line(procfs_read(NULL, "/proc/%d/status", (int) tid), "NSpid:");
    char *at = line, *end;
    size_t count = 0;
    for (; at != NULL && count < DEPTH_MAX; at = end, count++) {
        numbers[count] = (pid_t) strtol(at, &end, 10);
        if (end == at)
            break;
    }
    free(line);
    return count;
}

/** Which PID namespace a process is in. @return false: not known */
static bool
read_namespace(pid_t pid, struct stat *ret)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int) pid);
    return stat(path, ret) == 0;
}

static int
compare(const void *left, const void *right)
{
    const struct pidmap_entry *a = left, *b = right;
    return COMPARE({a->inner, b->inner});
}

/** Adds those of a namespace, which is so deep. @param of where they are in; NULL: in that of all
 */
static void
fill(struct pidmap *map, const pid_t *all, ssize_t n_all, size_t depth, const struct stat *of)
{
    pid_t numbers[DEPTH_MAX];
    struct stat other;
    for (ssize_t i = 0; i < n_all; i++)
        if (read_numbers(all[i], numbers) == depth &&
            (of == NULL || (read_namespace(all[i], &other) && other.st_dev == of->st_dev &&
                            other.st_ino == of->st_ino)))
            *ALLOC_ADD(map->items, map->count, map->capacity) =
                (struct pidmap_entry){numbers[depth - 1], all[i]};
    if (map->count > 0)
        qsort(map->items, map->count, sizeof *map->items, compare);
}

void
pidmap_init_processes(struct pidmap *map, pid_t member)
{
    pid_t numbers[DEPTH_MAX], *all;
    size_t depth = read_numbers(member, numbers);
    struct stat own;
    *map = (struct pidmap){.is_same = depth <= 1};
    if (map->is_same || !read_namespace(member, &own))
        return;
    ssize_t n_all = procfs_numbers("/proc", &all);
    fill(map, all, n_all, depth, &own);
    free(all);
}

void
pidmap_init_threads(struct pidmap *map, pid_t pid)
{
    pid_t numbers[DEPTH_MAX], *all;
    size_t depth = read_numbers(pid, numbers);
    char path[32];
    *map = (struct pidmap){.is_same = depth <= 1};
    snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    if (map->is_same)
        return;
    ssize_t n_all = procfs_numbers(path, &all);
    fill(map, all, n_all, depth, NULL);
    free(all);
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

bool
pidmap_is_first(void)
{
    enum { FIRST = 0xEFFFFFFC }; // PROC_PID_INIT_INO of Linux, include/linux/proc_ns.h
    struct stat own;
    return read_namespace(getpid(), &own) && own.st_ino == (ino_t) FIRST;
}

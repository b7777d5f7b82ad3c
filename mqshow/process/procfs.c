// SPDX-License-Identifier: BSD-3-Clause
// What /proc says about processes.
#include "mqshow/process/procfs.h"

#include "mqshow/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 26 }; // bytes that are read

char *
procfs_read(size_t *ret_size, const char *format, ...)
{
    char path[PATH_MAX], chunk[4096], *text = NULL;
    size_t size = 0, capacity = 0, n;
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    errno = 0;
    while (size < FILE_MAX && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        text = alloc_append(text, &size, &capacity, chunk, n);
    alloc_check_errno();
    fclose(file);
    if (ret_size != NULL)
        *ret_size = size;
    return alloc_append(text, &size, &capacity, "", 1);
}

char *
procfs_line(char *text, const char *key)
{
    size_t length = strlen(key);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (strncmp(line, key, length) == 0) {
            memmove(text, line + length, strlen(line + length) + 1);
            return text;
        }
    free(text);
    return NULL;
}

long
procfs_number(char *text, const char *key)
{
    char *value = procfs_line(text, key);
    long number = value != NULL ? strtol(value, NULL, 10) : -1;
    free(value);
    return number;
}

char *
procfs_environment(pid_t pid, const char *name)
{
    size_t size = 0, length = strlen(name);
    char *all = procfs_read(&size, "/proc/%d/environ", (int) pid), *value = NULL;
    for (size_t at = 0; value == NULL && at < size; at += strlen(all + at) + 1)
        if (strncmp(all + at, name, length) == 0 && all[at + length] == '=')
            value = alloc_text(all + at + length + 1);
    free(all);
    return value;
}

bool
procfs_is_ours(void)
{
    char name[32];
    ssize_t n = readlink("/proc/self", name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    return atoi(name) == getpid();
}

bool
procfs_has_environment(pid_t pid)
{
    size_t size = 0;
    free(procfs_read(&size, "/proc/%d/environ", (int) pid));
    return size > 0;
}

int
procfs_take_number(char *text)
{
    if (text == NULL)
        return -1;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool good = errno == 0 && end != text && *end == '\0' && value >= 0 && value <= INT_MAX;
    free(text);
    return good ? (int) value : -1;
}

int
procfs_environment_number(pid_t pid, const char *name)
{
    return procfs_take_number(procfs_environment(pid, name));
}

/** @return whether both are known */
static bool
stat_namespaces(pid_t pid, const char *kind, struct stat *own, struct stat *other)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    bool good = stat(path, own) == 0;
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int) pid, kind);
    return good && stat(path, other) == 0;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool
procfs_shares(pid_t pid, const char *kind)
{
    struct stat own, other;
    return stat_namespaces(pid, kind, &own, &other) && is_same_file(&own, &other);
}

bool
procfs_has_other_mounts(pid_t pid)
{
    struct stat own, other;
    return stat_namespaces(pid, "mnt", &own, &other) && !is_same_file(&own, &other);
}

char *
procfs_other_path(pid_t pid, const char *path)
{
    char link[32], root[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/root", (int) pid);
    ssize_t n = readlink(link, root, sizeof root - 1);
    root[n > 1 ? n : 0] = '\0';
    size_t length = strlen(root);
    bool is_below = strncmp(path, root, length) == 0 && path[length] == '/';
    return alloc_format("%s%s", link, is_below ? path + length : path);
}

bool
procfs_exists(pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", (int) pid);
    // Whatever else keeps it from being looked up, it is not known to be gone.
    return access(path, F_OK) == 0 || errno != ENOENT;
}

int
procfs_check_access(pid_t pid)
{
    char path[32], byte;
    snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 || read(fd, &byte, 1) < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error == ENOENT ? ESRCH : error;
}

bool
procfs_thread_time(pid_t pid, pid_t tid, struct procfs_time *ret)
{
    char *text = procfs_read(NULL, "/proc/%d/task/%d/schedstat", (int) pid, (int) tid);
    bool good = text != NULL && sscanf(text, "%" SCNu64 "%" SCNu64 "%" SCNu64, &ret->ns,
                                       &ret->starved_ns, &ret->turns) == 3;
    free(text);
    return good;
}

bool
procfs_thread_call(pid_t pid, pid_t tid, struct made_call *ret)
{
    char *text = procfs_read(NULL, "/proc/%d/task/%d/syscall", (int) pid, (int) tid);
    uint64_t *to = ret->arguments;
    bool good =
        text != NULL &&
        sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
               &ret->number, &to[0], &to[1], &to[2], &to[3], &to[4], &to[5]) == 7;
    free(text);
    return good && ret->number >= 0;
}

/** Whether this program may see what only the debugger of a process may: the kernel shows others a
 * zero. A process that has ended has no program, but who may ask is told so.
 */
static bool
may_see_all(pid_t pid)
{
    char path[32], byte;
    snprintf(path, sizeof path, "/proc/%d/exe", (int) pid);
    return readlink(path, &byte, 1) >= 0 || errno == ENOENT;
}

enum {
    STAT_FLAGS = 9,
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_CODE = 52
}; // numbers of fields, the process id being the first

bool
procfs_stat(pid_t pid, pid_t tid, struct procfs_stat *ret)
{
    char *text = tid == 0 ? procfs_read(NULL, "/proc/%d/stat", (int) pid)
                          : procfs_read(NULL, "/proc/%d/task/%d/stat", (int) pid, (int) tid);
    if (text == NULL)
        return false;
    // The name in parentheses may hold anything; after it come the state and the parent.
    char *end = strrchr(text, ')'), *rest = NULL;
    *ret = (struct procfs_stat){.letter = '\0'};
    int field = 3;
    for (char *word = end != NULL ? strtok_r(end + 1, " \n", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " \n", &rest), field++) {
        if (field == 3)
            ret->letter = *word;
        else if (field == 4)
            ret->parent = (pid_t) atoi(word);
        else if (field == STAT_FLAGS)
            ret->forked = (strtoul(word, NULL, 10) & PROCFS_FORKED) != 0;
        else if (field == STAT_THREADS)
            ret->threads = atol(word);
        else if (field == STAT_START)
            ret->start = atoll(word);
        else if (field == STAT_CODE)
            ret->code = atoi(word);
    }
    ret->has_code = field > STAT_CODE && may_see_all(pid);
    free(text);
    return field > 4;
}

long
procfs_user(pid_t pid)
{
    char *line = procfs_line(procfs_read(NULL, "/proc/%d/status", (int) pid), "Uid:");
    long ids[3] = {-1, -1, -1}; // real, effective, saved
    if (line != NULL)
        sscanf(line, "%ld %ld %ld", &ids[0], &ids[1], &ids[2]);
    free(line);
    return ids[0] == ids[1] && ids[0] == ids[2] ? ids[0] : -1;
}

bool
procfs_thread_sleeps(pid_t pid, pid_t tid)
{
    struct procfs_stat stat;
    return procfs_stat(pid, tid, &stat) && stat.letter == 'S';
}

char *
procfs_thread_name(pid_t pid, pid_t tid)
{
    char *name = procfs_line(procfs_read(NULL, "/proc/%d/task/%d/comm", (int) pid, (int) tid), "");
    if (name != NULL && *name != '\0')
        return name;
    free(name);
    return NULL;
}

char *
procfs_program(pid_t pid)
{
    char link[32], path[4096];
    snprintf(link, sizeof link, pid == 0 ? "/proc/self/exe" : "/proc/%d/exe", (int) pid);
    errno = 0;
    ssize_t n = readlink(link, path, sizeof path - 1);
    alloc_check_errno();
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? alloc_text(path) : NULL;
}

char *
procfs_arguments(pid_t pid, size_t *ret_size)
{
    return procfs_read(ret_size, "/proc/%d/cmdline", (int) pid);
}

char *
procfs_argument(pid_t pid, const char *name)
{
    size_t size = 0;
    char *words = procfs_arguments(pid, &size), *value = NULL;
    for (size_t at = 0, next; value == NULL && at < size; at = next) {
        next = at + strlen(words + at) + 1;
        if (next < size && strcmp(words + at, name) == 0)
            value = alloc_text(words + next);
    }
    free(words);
    return value;
}

pid_t
procfs_parent(pid_t pid)
{
    struct procfs_stat stat;
    return procfs_stat(pid, 0, &stat) ? stat.parent : 0;
}

ssize_t
procfs_numbers(const char *folder, pid_t **ret)
{
    size_t count = 0, capacity = 0;
    *ret = NULL;
    DIR *found = opendir(folder);
    if (found == NULL)
        return -1;
    errno = 0;
    for (struct dirent *entry; (entry = readdir(found)) != NULL;) {
        pid_t number = (pid_t) atoi(entry->d_name);
        if (number > 0)
            *ALLOC_ADD(*ret, count, capacity) = number;
    }
    alloc_check_errno();
    closedir(found);
    return (ssize_t) count;
}

size_t
procfs_all(pid_t **ret)
{
    ssize_t count = procfs_numbers("/proc", ret);
    return count > 0 ? (size_t) count : 0;
}

size_t
procfs_descendants(pid_t root, pid_t **ret)
{
    pid_t *all, parent = root;
    size_t n_all = procfs_all(&all), count = 0;
    pid_t *parents = alloc_zeroed(n_all, sizeof *parents);
    *ret = alloc_zeroed(n_all + 1, sizeof **ret);
    for (size_t i = 0; i < n_all; i++)
        parents[i] = procfs_parent(all[i]);
    // A process read twice would come back for ever if /proc showed a circle: it is bounded.
    for (size_t next = 0; next <= count; parent = (*ret)[next++])
        for (size_t i = 0; i < n_all && count < n_all; i++)
            if (parents[i] == parent)
                (*ret)[count++] = all[i];
    free(parents);
    free(all);
    return count;
}

// SPDX-License-Identifier: BSD-3-Clause
// What /proc says about processes.
#include "mqshow/process/procfs.h"

#include "mqshow/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
procfs_environment(pid_t pid, const char *name)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/environ", (int) pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *entry = NULL, *value = NULL;
    size_t room = 0, length = strlen(name);
    while (value == NULL && getdelim(&entry, &room, '\0', file) > 0)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            value = alloc_text(entry + length + 1);
    free(entry);
    fclose(file);
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
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/environ", (int) pid);
    FILE *file = fopen(path, "re");
    bool has = file != NULL && fgetc(file) != EOF;
    if (file != NULL)
        fclose(file);
    return has;
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

/** The first line of a file of a thread. @return false: there is none */
static bool
read_thread_line(pid_t pid, pid_t tid, const char *name, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int) pid, (int) tid, name);
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(line, size, file) != NULL;
    if (file != NULL)
        fclose(file);
    return good;
}

bool
procfs_thread_time(pid_t pid, pid_t tid, struct procfs_time *ret)
{
    char line[128], *end, *start;
    if (!read_thread_line(pid, tid, "schedstat", line, sizeof line))
        return false;
    ret->ns = strtoull(line, &end, 10);
    ret->starved_ns = strtoull(end, &start, 10);
    ret->turns = strtoull(start, &end, 10);
    return end != start;
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
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_CODE = 52
}; // numbers of fields, the process id being the first

bool
procfs_stat(pid_t pid, pid_t tid, struct procfs_stat *ret)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, tid == 0 ? "/proc/%d/stat" : "/proc/%d/task/%d/stat", (int) pid,
             (int) tid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
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
        else if (field == STAT_THREADS)
            ret->threads = atol(word);
        else if (field == STAT_START)
            ret->start = atoll(word);
        else if (field == STAT_CODE)
            ret->code = atoi(word);
    }
    ret->has_code = field > STAT_CODE && may_see_all(pid);
    return field > 4;
}

long
procfs_number(const char *path, const char *key)
{
    char *line = NULL;
    FILE *file = fopen(path, "re");
    size_t room = 0, length = strlen(key);
    long number = -1;
    while (file != NULL && number < 0 && getline(&line, &room, file) > 0)
        if (strncmp(line, key, length) == 0)
            number = strtol(line + length, NULL, 10);
    if (file != NULL)
        fclose(file);
    free(line);
    return number;
}

long
procfs_user(pid_t pid)
{
    static const char key[] = "Uid:";
    char path[32], *line = NULL;
    snprintf(path, sizeof path, "/proc/%d/status", (int) pid);
    FILE *file = fopen(path, "re");
    size_t room = 0;
    long ids[3] = {-1, -1, -1}; // real, effective, saved
    while (file != NULL && ids[0] < 0 && getline(&line, &room, file) > 0)
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), "%ld %ld %ld", &ids[0], &ids[1], &ids[2]);
    if (file != NULL)
        fclose(file);
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
    char path[64], *line = NULL;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int) pid, (int) tid);
    FILE *file = fopen(path, "re");
    size_t room = 0;
    ssize_t length = file != NULL ? getline(&line, &room, file) : -1;
    if (file != NULL)
        fclose(file);
    if (length > 1 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        return line;
    }
    free(line);
    return NULL;
}

char *
procfs_program(pid_t pid)
{
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/%d/exe", (int) pid);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? alloc_text(path) : NULL;
}

char *
procfs_argument(pid_t pid, const char *name)
{
    char path[32], *word = NULL;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int) pid);
    FILE *file = fopen(path, "re");
    size_t room = 0;
    bool found = false, named = false;
    while (file != NULL && !found && getdelim(&word, &room, '\0', file) > 0) {
        found = named;
        named = strcmp(word, name) == 0;
    }
    if (file != NULL)
        fclose(file);
    char *value = found ? alloc_text(word) : NULL;
    free(word);
    return value;
}

char *
procfs_arguments(pid_t pid, size_t *ret_size)
{
    enum { ARGUMENTS_MAX = 1 << 17 };
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int) pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *words = alloc_zeroed(ARGUMENTS_MAX + 1, 1);
    *ret_size = fread(words, 1, ARGUMENTS_MAX, file);
    fclose(file);
    return words;
}

struct family {
    pid_t pid, parent;
};

pid_t
procfs_parent(pid_t pid)
{
    struct procfs_stat stat;
    return procfs_stat(pid, 0, &stat) ? stat.parent : 0;
}

static size_t
read_families(struct family **ret)
{
    size_t count = 0, capacity = 0;
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t) atoi(entry->d_name);
        if (pid <= 0)
            continue;
        *ret = alloc_grow(*ret, count, &capacity, sizeof **ret);
        (*ret)[count++] = (struct family){pid, procfs_parent(pid)};
    }
    closedir(proc);
    return count;
}

static void
add_children(const struct family *all, size_t n_all, pid_t parent, pid_t **pids, size_t *count,
             size_t *capacity)
{
    for (size_t i = 0; i < n_all; i++) {
        if (all[i].parent != parent)
            continue;
        *pids = alloc_grow(*pids, *count, capacity, sizeof **pids);
        (*pids)[(*count)++] = all[i].pid;
    }
}

size_t
procfs_descendants(pid_t root, pid_t **ret)
{
    struct family *all = NULL;
    size_t n_all = read_families(&all);
    size_t count = 0, capacity = 0;
    *ret = NULL;
    add_children(all, n_all, root, ret, &count, &capacity);
    // A process read twice would come back for ever if /proc showed a circle: it is bounded.
    for (size_t i = 0; i < count && count < n_all; i++)
        add_children(all, n_all, (*ret)[i], ret, &count, &capacity);
    free(all);
    return count;
}

size_t
procfs_all(pid_t **ret)
{
    struct family *all = NULL;
    size_t count = read_families(&all);
    *ret = alloc_zeroed(count, sizeof **ret);
    for (size_t i = 0; i < count; i++)
        (*ret)[i] = all[i].pid;
    free(all);
    return count;
}

// SPDX-License-Identifier: BSD-3-Clause
// The open files of processes, from /proc.
#include "mqshow/process/open_files.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/mounts.h"
#include "mqshow/process/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 1 << 18 }; // files of other processes that are read about

static char *
read_link(pid_t pid, int number)
{
    char path[48], name[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) pid, number);
    ssize_t length = readlink(path, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    return length > 0 ? alloc_text(name) : NULL;
}

static void
read_info(struct open_file *file, pid_t pid, int number)
{
    unsigned long long inode;
    unsigned flags;
    int mount;
    char *text = procfs_read(NULL, "/proc/%d/fdinfo/%d", (int) pid, number), *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, "flags: %o", &flags) == 1)
            file->access = (int) (flags & O_ACCMODE);
        else if (sscanf(line, "mnt_id: %d", &mount) == 1)
            file->mount = mount;
        else if (sscanf(line, "ino: %llu", &inode) == 1)
            file->inode = inode;
    }
    free(text);
}

bool
open_file_read(struct open_file *file, pid_t pid, int number)
{
    *file = (struct open_file){.link = read_link(pid, number), .access = -1, .mount = -1};
    if (file->link)
        read_info(file, pid, number);
    return file->link != NULL;
}

void
open_file_deinit(struct open_file *file)
{
    free(file->link);
    *file = (struct open_file){.link = NULL};
}

ssize_t
open_files_list(pid_t pid, int **ret)
{
    char path[32];
    size_t count = 0, capacity = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int) pid);
    DIR *folder = opendir(path);
    *ret = NULL;
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder)) && count < LINKS_MAX;)
        if (*entry->d_name != '.')
            *ALLOC_ADD(*ret, count, capacity) = atoi(entry->d_name);
    closedir(folder);
    return (ssize_t) count;
}

struct socket_list
socket_list_read(pid_t pid)
{
    int *numbers;
    unsigned long long inode;
    struct socket_list list = {.inodes = NULL};
    ssize_t count = open_files_list(pid, &numbers);
    for (ssize_t i = 0; i < count; i++) {
        char *link = read_link(pid, numbers[i]);
        if (link && sscanf(link, "socket:[%llu]", &inode) == 1)
            *ALLOC_ADD(list.inodes, list.count, list.capacity) = inode;
        free(link);
    }
    free(numbers);
    return list;
}

bool
socket_list_has(const struct socket_list *list, uint64_t inode)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->inodes[i] == inode)
            return true;
    return false;
}

void
pid_list_add(struct pid_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == pid)
            return;
    if (list->count < PID_LIST_MAX)
        *ALLOC_ADD(list->items, list->count, list->capacity) = pid;
}

/** The file of which an end is searched. */
struct search {
    const struct open_file *file;
    char *device; // of a FIFO's file system; NULL: it has no name in one
    int access;
};

static char *
device_of(pid_t pid, const struct open_file *file)
{
    struct mount mount;
    if (!mount_find(&mount, pid, file->mount))
        return NULL;
    char *device = mount.device;
    mount.device = NULL;
    mount_deinit(&mount);
    return device;
}

/** Whether it is the same file: a FIFO may have another name in another mount namespace. */
static bool
is_same(const struct search *search, pid_t pid, const struct open_file *file)
{
    if (*search->file->link != '/')
        return strcmp(file->link, search->file->link) == 0;
    if (*file->link != '/' || file->inode != search->file->inode)
        return false;
    char *device = device_of(pid, file);
    bool same = device ? search->device && strcmp(device, search->device) == 0
                       : strcmp(file->link, search->file->link) == 0;
    free(device);
    return same;
}

static bool
has_end(const struct search *search, pid_t pid, size_t *budget)
{
    int *numbers;
    bool found = false;
    ssize_t count = open_files_list(pid, &numbers);
    for (ssize_t i = 0; i < count && !found && *budget > 0; i++, --*budget) {
        char *link = read_link(pid, numbers[i]);
        struct open_file file = {.link = link, .access = -1, .mount = -1};
        if (link &&
            (*link == '/' ? *search->file->link == '/' : strcmp(link, search->file->link) == 0)) {
            read_info(&file, pid, numbers[i]);
            found = is_same(search, pid, &file) &&
                    (search->access < 0 || file.access < 0 || file.access == O_RDWR ||
                     file.access == search->access);
        }
        free(link);
    }
    free(numbers);
    return found;
}

void
open_files_find(struct pid_list *list, pid_t pid, const struct open_file *file, int access)
{
    struct search search = {file, *file->link == '/' ? device_of(pid, file) : NULL, access};
    size_t budget = LINKS_MAX, before = list->count, count;
    pid_t *all;
    count = procfs_all(&all);
    for (size_t i = 0; i < count && budget > 0; i++)
        if (all[i] != pid && has_end(&search, all[i], &budget))
            pid_list_add(list, all[i]);
    if (budget == 0) // there may be others
        list->count = before;
    free(search.device);
    free(all);
}

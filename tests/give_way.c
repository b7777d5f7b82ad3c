// SPDX-License-Identifier: BSD-3-Clause
#include "give_way.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// Of a thread, and of a session.
enum { GIVEN_WAY = 15 };
// MPI starts in a tenth of a second.
enum { START_MS = 200, DEPTH_MAX = 16, TEXT_SIZE = 4096 };

static const char *const starters[] = {"hydra_pmi_proxy", "mpirun", "orted",
                                       "prterun",         "prted",  "slurmstepd"};

static void
read_text(const char *path, char *ret, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file != NULL ? fread(ret, 1, size - 1, file) : 0;
    ret[length] = '\0';
    if (file != NULL)
        fclose(file);
}

// Setting it is heavy work for the kernel, which does it only ten times a second for most users.
static void
weigh_session(pid_t pid)
{
    char path[64], text[TEXT_SIZE];
    if (getsid(pid) == getsid(0))
        return;
    snprintf(path, sizeof path, "/proc/%d/autogroup", (int) pid);
    read_text(path, text, sizeof text);
    const char *now = strstr(text, " nice ");
    if (now == NULL || atoi(now + strlen(" nice ")) >= GIVEN_WAY)
        return;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "%d", GIVEN_WAY);
    fclose(file);
}

void
give_way(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int) pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int thread = atoi(entry->d_name);
        if (thread > 0 && getpriority(PRIO_PROCESS, (id_t) thread) < GIVEN_WAY)
            setpriority(PRIO_PROCESS, (id_t) thread, GIVEN_WAY);
    }
    closedir(folder);
    weigh_session(pid);
}

static bool
has_started(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           used.tv_sec * 1000 + used.tv_nsec / 1000000 >= START_MS;
}

static bool
is_starter(pid_t pid)
{
    char path[64], name[32];
    snprintf(path, sizeof path, "/proc/%d/comm", (int) pid);
    read_text(path, name, sizeof name);
    name[strcspn(name, "\n")] = '\0';
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        if (strcmp(name, starters[i]) == 0)
            return true;
    }
    return false;
}

static void
visit(pid_t pid, unsigned depth)
{
    char path[64], children[TEXT_SIZE], *rest = children;
    bool are_ranks = is_starter(pid);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int) pid, (int) pid);
    read_text(path, children, sizeof children);
    for (pid_t child; (child = (pid_t) strtol(rest, &rest, 10)) > 0;) {
        if (are_ranks && has_started(child))
            give_way(child);
        if (depth < DEPTH_MAX)
            visit(child, depth + 1);
    }
}

void
give_way_below(pid_t pid)
{
    visit(pid, 0);
}

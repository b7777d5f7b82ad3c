// SPDX-License-Identifier: BSD-3-Clause
// The machines of a job that MPICH's process manager, hydra, has started.
#include "mqshow/job/hydra.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/job/roll.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>

static const char proxy_name[] = "hydra_pmi_proxy", control_option[] = "--control-port";

enum { CONTROL_MAX = 300 };

/** Whether a word, perhaps in quotes for a shell, is a path of the proxy. */
static bool
is_proxy(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash != NULL ? slash + 1 : word + (*word == '"');
    size_t length = strlen(proxy_name);
    return strncmp(name, proxy_name, length) == 0 && (name[length] == '\0' || name[length] == '"');
}

/** What the command line of a process has of a proxy. */
struct proxy {
    char *arguments;    // to free()
    bool is_one;        // the process is the proxy
    const char *before; // the process starts one: the word before it; NULL: it does not
    const char *control;
};

static struct proxy
find_proxy(pid_t pid)
{
    size_t size = 0;
    struct proxy proxy = {.arguments = procfs_arguments(pid, &size)};
    const char *last = NULL, *end = size > 0 ? proxy.arguments + size : NULL;
    bool found = false;
    for (const char *word = proxy.arguments; word < end; word += strlen(word) + 1) {
        if (!found && is_proxy(word)) {
            found = true;
            proxy.is_one = last == NULL;
            proxy.before = last;
        }
        if (found && text_equals(last, control_option))
            proxy.control = word;
        last = word;
    }
    return proxy;
}

bool
hydra_control_is_good(const char *control)
{
    const char *colon = strrchr(control, ':');
    if (colon == NULL || strlen(control) > CONTROL_MAX || colon[1] == '\0' ||
        colon[1 + strspn(colon + 1, "0123456789")] != '\0')
        return false;
    char *host = alloc_format("%.*s", (int) (colon - control), control);
    bool good = nodes_name_is_good(host);
    free(host);
    return good;
}

void
hydra_find_nodes(struct job *job, const pid_t *below, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct proxy proxy = find_proxy(below[i]);
        bool starts_one =
            proxy.before != NULL && proxy.control != NULL && hydra_control_is_good(proxy.control);
        // What a proxy of this machine runs is below it.
        if (starts_one && !nodes_is_here(proxy.before) &&
            nodes_get(&job->nodes, proxy.before) >= 0 && job->nodes.control == NULL)
            job->nodes.control = alloc_text(proxy.control);
        free(proxy.arguments);
    }
}

static bool
runs_proxy(pid_t pid)
{
    struct proxy proxy = find_proxy(pid);
    free(proxy.arguments);
    return proxy.is_one;
}

/** A process and when it was started. */
struct started {
    pid_t pid;
    long long at;
};

static int
compare_started(const void *left, const void *right)
{
    const struct started *a = left, *b = right;
    return COMPARE({a->at, b->at}, {a->pid, b->pid});
}

/** Those that proxies have started and not waited for yet, in the order of their starts, which is
 * that of their ranks. @return their number
 */
static size_t
find_zombies(const pid_t *below, size_t count, struct started *ret)
{
    struct procfs_stat stat;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (procfs_stat(below[i], 0, &stat) && stat.letter == 'Z' && stat.threads <= 1 &&
            runs_proxy(stat.parent))
            ret[found++] = (struct started){below[i], stat.start};
    if (found > 0)
        qsort(ret, found, sizeof *ret, compare_started);
    return found;
}

static int
size_of(pid_t pid)
{
    return procfs_environment_number(pid, "PMI_SIZE");
}

void
hydra_add_ended(struct job *job, size_t first, const pid_t *below, size_t count)
{
    struct started *zombies = alloc_zeroed(count, sizeof *zombies);
    size_t n_zombies = find_zombies(below, count, zombies), world = JOB_NO_WORLD, next = 0;
    bool has_proxy = false;
    struct roll roll = {.size = 0};
    for (size_t i = 0; i < count && !has_proxy; i++)
        has_proxy = runs_proxy(below[i]);
    bool known = has_proxy && roll_call(job, first, size_of, &roll);
    // Of several that have ended, and were not all waited for, none can be distinguished from the
    // others.
    bool one_by_one = known && (n_zombies == 0 || n_zombies == (size_t) roll.missing);
    if (first < job->count)
        world = job->items[first].world;
    for (int rank = 0; rank < roll.started && one_by_one; rank++)
        if (!roll.seen[rank])
            job_add_ended(job, next < n_zombies ? zombies[next++].pid : 0, rank, world);
    for (; next < n_zombies; next++)
        job_add_ended(job, zombies[next].pid, -1, world);
    roll_deinit(&roll);
    free(zombies);
}

void
hydra_add_processes(struct job *job, const char *control)
{
    pid_t *all;
    size_t n_all = procfs_all(&all);
    for (size_t i = 0; i < n_all; i++) {
        struct proxy proxy = find_proxy(all[i]);
        pid_t *below = NULL;
        bool is_meant = proxy.is_one && text_equals(proxy.control, control);
        size_t n_below = is_meant ? procfs_descendants(all[i], &below) : 0;
        for (size_t k = 0; k < n_below; k++)
            job_add_candidate(job, below[k]);
        free(below);
        free(proxy.arguments);
    }
    free(all);
}

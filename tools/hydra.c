// SPDX-License-Identifier: BSD-3-Clause
// The machines of a job that MPICH's process manager, hydra, has started.
#include "tools/hydra.h"

#include "tools/alloc.h"
#include "tools/procfs.h"

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

/** What a command line says of a proxy. */
struct proxy {
    const char *word;   // itself; NULL: it is none
    const char *before; // the word before; NULL: the process is the proxy
    const char *control;
};

static struct proxy
find_proxy(const char *words, size_t size)
{
    struct proxy proxy = {.word = NULL};
    const char *last = NULL;
    for (const char *word = words; word < words + size; word += strlen(word) + 1) {
        if (proxy.word == NULL && is_proxy(word)) {
            proxy.word = word;
            proxy.before = last;
        }
        if (proxy.word != NULL && last != NULL && strcmp(last, control_option) == 0)
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
        size_t size = 0;
        char *words = procfs_arguments(below[i], &size);
        struct proxy proxy = words != NULL ? find_proxy(words, size) : (struct proxy){NULL};
        bool starts_one = proxy.word != NULL && proxy.before != NULL && proxy.control != NULL &&
                          hydra_control_is_good(proxy.control);
        // What a proxy of this machine runs is below it.
        if (starts_one && !nodes_is_here(proxy.before) &&
            nodes_get(&job->nodes, proxy.before) >= 0 && job->nodes.control == NULL)
            job->nodes.control = alloc_text(proxy.control);
        free(words);
    }
}

void
hydra_add_processes(struct job *job, const char *control)
{
    pid_t *all;
    size_t n_all = procfs_all(&all);
    for (size_t i = 0; i < n_all; i++) {
        size_t size = 0;
        char *words = procfs_arguments(all[i], &size);
        struct proxy proxy = words != NULL ? find_proxy(words, size) : (struct proxy){NULL};
        pid_t *below = NULL;
        bool is_meant = proxy.word != NULL && proxy.before == NULL && proxy.control != NULL &&
                        strcmp(proxy.control, control) == 0;
        size_t n_below = is_meant ? procfs_descendants(all[i], &below) : 0;
        for (size_t k = 0; k < n_below; k++)
            job_add_candidate(job, below[k]);
        free(below);
        free(words);
    }
    free(all);
}

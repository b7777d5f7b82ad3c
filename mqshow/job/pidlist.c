// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job on several machines as one word of a command line.
#include "mqshow/job/pidlist.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIDS_MAX = 10000 }; // of one machine

/** The pids of a node in ascending order, for free(). */
static pid_t *
sorted_pids(const struct job *job, int node, size_t *ret_count)
{
    pid_t *pids = alloc_zeroed(job->count, sizeof *pids);
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node == node)
            pids[count++] = job->items[i].pid;
    qsort(pids, count, sizeof *pids, compare_int32);
    *ret_count = count;
    return pids;
}

char *
pidlist_add(char *list, const struct job *job, int node)
{
    char *text = NULL;
    size_t size, count, end;
    pid_t *pids = sorted_pids(job, node, &count);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return list;
    fprintf(out, "%s%s%s=", list != NULL ? list : "", list != NULL ? "," : "",
            job->nodes.items[node].name);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && pids[end] <= pids[end - 1] + 1;)
            end++;
        fprintf(out, end == i + 1 ? "%s%d" : "%s%d-%d", i > 0 ? "+" : "", (int) pids[i],
                (int) pids[end - 1]);
    }
    fclose(out);
    free(pids);
    free(list);
    return text;
}

/** @return whether it is a process id, which `*text` is moved behind */
static bool
read_pid(const char **text, long *ret)
{
    char *end;
    errno = 0;
    *ret = strtol(*text, &end, 10);
    bool good = errno == 0 && end != *text && *ret > 0 && *ret <= INT_MAX;
    *text = end;
    return good;
}

/** Adds the pids of one machine. @return where they end; NULL: they are invalid */
static const char *
read_pids(const char *text, struct job *job)
{
    for (;;) {
        long first, last;
        if (!read_pid(&text, &first))
            return NULL;
        last = first;
        if (*text == '-') {
            text++;
            if (!read_pid(&text, &last))
                return NULL;
        }
        if (last < first || last - first >= PIDS_MAX)
            return NULL;
        for (long pid = first; pid <= last; pid++)
            job_add(job, (pid_t) pid, -1);
        if (*text != '+')
            return text;
        text++;
    }
}

/** Whether a name of the list is the one that was given, or else means this machine. */
static bool
is_meant(const char *name, const char *as, bool by_address)
{
    if (as != NULL)
        return strcasecmp(name, as) == 0;
    return by_address ? nodes_has_address_here(name) : nodes_is_here(name);
}

/** Where the pids of this machine begin; NULL: it is not in the list.
 * @param ret_name set to its name there, to free()
 */
static const char *
find_here(const char *list, const char *as, bool by_address, char **ret_name)
{
    for (const char *text = list; text != NULL && *text != '\0';) {
        size_t length = strcspn(text, "=,");
        char *name = alloc_format("%.*s", (int) length, text);
        if (text[length] == '=' && is_meant(name, as, by_address)) {
            *ret_name = name;
            return text + length + 1;
        }
        free(name);
        text = strchr(text, ',');
        text = text != NULL ? text + 1 : NULL;
    }
    return NULL;
}

char *
pidlist_read(const char *list, const char *as, struct job *job)
{
    const char *pids = find_here(list, as, false, &job->here);
    // Looking names up takes its time.
    if (pids == NULL && as == NULL)
        pids = find_here(list, NULL, true, &job->here);
    if (pids == NULL)
        return alloc_text("the list of processes has none on this machine");
    const char *end = read_pids(pids, job);
    return end != NULL && (*end == ',' || *end == '\0')
               ? NULL
               : alloc_text("the list of processes is invalid");
}

// SPDX-License-Identifier: BSD-3-Clause
// MPIR_proctable of a starter: the processes of its job, by rank (MPIR 1.1); or what PMIx has in
// its place.
#include "mqshow/job/job.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/process/child.h"
#include "mqshow/process/confine.h"
#include "mqshow/process/identity.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/pidmap.h"
#include "mqshow/process/procfs.h"
#include "mqshow/job/pmix.h"
#include "mqshow/job/proctable.h"
#include "mqshow/job/starter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char descriptor_type[] = "MPIR_PROCDESC";

/** Where the members of a descriptor are, in bytes. */
struct descriptor_layout {
    size_t size, host, pid;
};

/** From debug information where there is some; else as {char *, char *, int} is laid out. */
static struct descriptor_layout
read_layout(const struct image *starter)
{
    size_t word = (size_t) starter->debuggee.pointer_size;
    struct descriptor_layout layout = {.size = 3 * word, .host = 0, .pid = 2 * word};
    struct type_entry type;
    if (!image_type(starter, descriptor_type, &type))
        return layout;
    int64_t size = type_size(&type);
    int64_t host = type_field_offset(&type, "host_name");
    int64_t pid = type_field_offset(&type, "pid");
    if (size <= 0 || size > 4096 || host < 0 || host + (int64_t) word > size || pid < 0 ||
        pid + 4 > size)
        return layout;
    return (struct descriptor_layout){(size_t) size, (size_t) host, (size_t) pid};
}

/** What is needed to take a table over. */
struct table {
    struct pidmap pids; // it has the numbers that the starter knows
    pid_t *below;       // processes below the starter, in ascending order
    size_t n_below;
    bool starts_below; // its processes are among those
};

static bool
is_below(const struct table *table, pid_t pid)
{
    return table->n_below > 0 &&
           bsearch(&pid, table->below, table->n_below, sizeof *table->below, compare_int32) != NULL;
}

/** Whether a process has got the number of one that has ended. What srun has started is not below
 * it, and its rank is not in every environment.
 */
static bool
is_stranger(const struct table *table, pid_t pid, int rank)
{
    if (is_below(table, pid) || !procfs_exists(pid))
        return false;
    int own = starter_rank(&(struct debuggee){.pid = pid});
    return own >= 0 ? own != rank : table->starts_below;
}

/** Whether an entry is of a program that asks the starter as this one does: PMIx lists them too. */
static bool
is_tool(const struct table *table, const struct proctable_entry *entry, pid_t pid)
{
    return *entry->world != '\0' && nodes_is_here(entry->host) && procfs_exists(pid) &&
           !is_below(table, pid) && !job_maps_runtime(pid);
}

static void
take_entry(struct job *job, const struct table *table, const struct proctable_entry *entry)
{
    pid_t pid = pidmap_find(&table->pids, entry->inner);
    if (is_tool(table, entry, pid))
        return;
    // The table may know this machine by another name: then its rank decides.
    if (nodes_is_here(entry->host) || starter_rank(&(struct debuggee){.pid = pid}) == entry->rank) {
        job_add(job, is_stranger(table, pid, entry->rank) ? 0 : pid, entry->rank);
        if (*entry->world != '\0')
            job_name_last(job, entry->world);
        if (job->here == NULL && nodes_name_is_good(entry->host))
            job->here = alloc_text(entry->host);
        return;
    }
    int node = nodes_get(&job->nodes, entry->host);
    if (node >= 0)
        job_add_elsewhere(job, node, entry->inner, entry->rank,
                          *entry->world != '\0' ? entry->world : NULL);
}

/** Whether an entry makes sense. Who has read it is not trusted. */
static bool
is_good(const struct proctable_entry *entry, size_t count)
{
    return entry->rank >= 0 && (size_t) entry->rank < count && entry->inner > 0 &&
           memchr(entry->host, '\0', sizeof entry->host) != NULL &&
           memchr(entry->world, '\0', sizeof entry->world) != NULL;
}

static void
take_entries(struct job *job, struct table *table, const struct proctable_entry *entries,
             size_t count)
{
    for (size_t i = 0; i < count && !table->starts_below; i++)
        table->starts_below =
            entries[i].inner > 0 && is_below(table, pidmap_find(&table->pids, entries[i].inner));
    for (size_t i = 0; i < count; i++)
        if (is_good(&entries[i], PROCTABLE_MAX))
            take_entry(job, table, &entries[i]);
}

/** Reads an entry. @return false when it is empty, or cannot be read */
static bool
read_entry(const struct image *starter, const struct descriptor_layout *layout, uint64_t addr,
           struct proctable_entry *ret)
{
    uint64_t host = 0, inner = 0;
    if (!memory_read_uint(&starter->debuggee, addr + layout->pid, sizeof(int32_t), &inner) ||
        inner == 0 || inner > INT32_MAX)
        return false;
    if (memory_read_uint(&starter->debuggee, addr + layout->host,
                         (size_t) starter->debuggee.pointer_size, &host) &&
        host != 0)
        memory_read_text(&starter->debuggee, host, sizeof ret->host, ret->host);
    ret->inner = (int32_t) inner;
    return true;
}

/** Reads them all. @return for free(); NULL: there is no table that is filled in */
static struct proctable_entry *
read_entries(const struct image *starter, size_t *ret_count)
{
    uint64_t size_addr, table_addr, size, first;
    size_t count = 0;
    if (!image_symbol(starter, "MPIR_proctable_size", SYMBOL_VARIABLE, &size_addr) ||
        !image_symbol(starter, "MPIR_proctable", SYMBOL_VARIABLE, &table_addr) ||
        !memory_read_uint(&starter->debuggee, size_addr, sizeof(int32_t), &size) ||
        !memory_read_uint(&starter->debuggee, table_addr, (size_t) starter->debuggee.pointer_size,
                          &first) ||
        first == 0 || size == 0 || size > PROCTABLE_MAX)
        return NULL;
    struct descriptor_layout layout = read_layout(starter);
    struct proctable_entry *entries = alloc_zeroed(size + 1, sizeof *entries);
    for (uint64_t i = 0; i < size; i++) {
        entries[count].rank = (int32_t) i;
        count += read_entry(starter, &layout, first + i * layout.size, &entries[count]);
    }
    *ret_count = count;
    return entries;
}

/** Reads the table of a starter and sends it: the files of another user's process are not read by
 * the process that shows.
 */
static void
send_entries(void *context, int requests, int replies)
{
    const pid_t *starter = context;
    struct objfiles files = {.first = NULL};
    struct image image;
    size_t count;
    (void) requests;
    identity_take(procfs_user(*starter), *starter);
    confine_memory(1);
    confine(false, false);
    char *problem = image_init(&image, &files, *starter);
    struct proctable_entry *entries = problem == NULL ? read_entries(&image, &count) : NULL;
    if (entries != NULL) // one more: a table may have no entry, a packet must have some text
        packet_send_or_exit(replies, 0, (const char *) entries, (count + 1) * sizeof *entries);
    _exit(EXIT_SUCCESS);
}

/** Takes over what a child has sent: entries and one more. */
static void
take_packet(struct job *job, pid_t starter, const struct packet *packet, const pid_t *below,
            size_t n_below)
{
    struct table table = {.n_below = n_below};
    size_t count = packet->head.size / sizeof(struct proctable_entry);
    if (count == 0)
        return;
    table.below = alloc_zeroed(n_below, sizeof *below);
    memcpy(table.below, below, n_below * sizeof *below);
    qsort(table.below, n_below, sizeof *below, compare_int32);
    pidmap_init_processes(&table.pids, starter);
    take_entries(job, &table, (const struct proctable_entry *) packet->text, count - 1);
    pidmap_deinit(&table.pids);
    free(table.below);
}

bool
job_add_proctable(struct job *job, pid_t starter, const pid_t *below, size_t n_below)
{
    struct child child;
    if (!child_start(&child, send_entries, &starter))
        return false;
    bool found = packet_wait(&child.packet, child.replies, INT64_MAX) == PACKET_WHOLE;
    if (found)
        take_packet(job, starter, &child.packet, below, n_below);
    child_kill(&child);
    return found;
}

char *
job_add_pmix(struct job *job, pid_t starter, const pid_t *below, size_t n_below)
{
    struct child child = {.pid = 0};
    char *problem = pmix_ask(&child, starter);
    if (problem == NULL)
        take_packet(job, starter, &child.packet, below, n_below);
    child_kill(&child);
    return problem;
}

// SPDX-License-Identifier: BSD-3-Clause
// MPIR_proctable of a starter: the processes of its job, by rank (MPIR 1.1).
#include "tools/job.h"

#include "tools/alloc.h"
#include "tools/image.h"
#include "tools/memory.h"
#include "tools/pidmap.h"
#include "tools/procfs.h"
#include "tools/starter.h"

#include <stdlib.h>

enum { TABLE_MAX = 1 << 22, HOST_MAX = 256 };

static const char descriptor_type[] = "MPIR_PROCDESC";

/** Where the members of a descriptor are, in bytes. */
struct descriptor_layout {
    size_t size, host, pid;
};

/** From debug information where there is some; else as {char *, char *, int} is laid out. */
static struct descriptor_layout
read_layout(const struct image *starter)
{
    size_t word = (size_t) starter->pointer_size;
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

/** What is needed to read a table. */
struct table {
    const struct image *starter;
    struct descriptor_layout layout;
    struct pidmap pids; // the table has the numbers that the starter knows
    pid_t *below;       // processes below the starter, in ascending order
    size_t n_below;
    bool starts_below; // its processes are among those
};

static int
compare_pids(const void *left, const void *right)
{
    const pid_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool
is_below(const struct table *table, pid_t pid)
{
    return table->n_below > 0 &&
           bsearch(&pid, table->below, table->n_below, sizeof *table->below, compare_pids) != NULL;
}

/** Whether a process has got the number of one that has ended. What srun has started is not below
 * it, and its rank is not in every environment.
 */
static bool
is_stranger(const struct table *table, pid_t pid, int rank)
{
    if (is_below(table, pid) || !procfs_exists(pid))
        return false;
    int own = starter_rank(pid);
    return own >= 0 ? own != rank : table->starts_below;
}

static void
add_entry(struct job *job, const struct table *table, uint64_t addr, int rank)
{
    uint64_t host_addr = 0, inner = 0;
    char host[HOST_MAX] = "";
    const struct image *starter = table->starter;
    size_t word = (size_t) starter->pointer_size;
    if (!memory_read_uint(starter, addr + table->layout.pid, sizeof(int32_t), &inner) ||
        inner == 0 || inner > INT32_MAX)
        return;
    if (memory_read_uint(starter, addr + table->layout.host, word, &host_addr) && host_addr != 0)
        memory_read_text(starter, host_addr, sizeof host, host);
    pid_t pid = pidmap_find(&table->pids, (pid_t) inner);
    // The table may know this machine by another name: then its rank tells.
    if (nodes_is_here(host) || starter_rank(pid) == rank) {
        job_add(job, is_stranger(table, pid, rank) ? 0 : pid, rank);
        if (job->here == NULL && nodes_name_is_good(host))
            job->here = alloc_text(host);
        return;
    }
    int node = nodes_get(&job->nodes, host);
    if (node >= 0)
        job_add_elsewhere(job, node, (pid_t) inner, rank);
}

/** Whether what a table lists is below its starter: the first process that still is tells. */
static bool
find_below(const struct table *table, uint64_t addr, uint64_t count)
{
    uint64_t inner = 0;
    for (uint64_t i = 0; i < count; i++, addr += table->layout.size)
        if (memory_read_uint(table->starter, addr + table->layout.pid, sizeof(int32_t), &inner) &&
            inner != 0 && inner <= INT32_MAX &&
            is_below(table, pidmap_find(&table->pids, (pid_t) inner)))
            return true;
    return false;
}

static bool
read_table(struct job *job, struct table *table)
{
    const struct image *starter = table->starter;
    uint64_t size_addr, table_addr, size, first;
    size_t word = (size_t) starter->pointer_size;
    if (!image_symbol(starter, "MPIR_proctable_size", SYMBOL_VARIABLE, &size_addr) ||
        !image_symbol(starter, "MPIR_proctable", SYMBOL_VARIABLE, &table_addr) ||
        !memory_read_uint(starter, size_addr, sizeof(int32_t), &size) ||
        !memory_read_uint(starter, table_addr, word, &first) || first == 0 || size == 0 ||
        size > TABLE_MAX)
        return false;
    table->layout = read_layout(starter);
    table->starts_below = find_below(table, first, size);
    for (uint64_t i = 0; i < size; i++)
        add_entry(job, table, first + i * table->layout.size, (int) i);
    return true;
}

bool
job_add_proctable(struct job *job, struct objfiles *files, pid_t starter, const pid_t *below,
                  size_t n_below)
{
    struct image image;
    char *problem = image_init(&image, files, starter);
    if (problem != NULL) {
        free(problem);
        return false;
    }
    struct table table = {.starter = &image, .n_below = n_below};
    table.below = alloc_zeroed(n_below, sizeof *below);
    for (size_t i = 0; i < n_below; i++)
        table.below[i] = below[i];
    qsort(table.below, n_below, sizeof *below, compare_pids);
    pidmap_init_processes(&table.pids, starter);
    bool found = read_table(job, &table);
    pidmap_deinit(&table.pids);
    free(table.below);
    image_deinit(&image);
    return found;
}

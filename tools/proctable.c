// SPDX-License-Identifier: BSD-3-Clause
// MPIR_proctable of a starter: the processes of its job, by rank (MPIR 1.1).
#include "tools/job.h"

#include "tools/alloc.h"
#include "tools/image.h"
#include "tools/memory.h"
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

static void
add_entry(struct job *job, const struct image *starter, const struct descriptor_layout *layout,
          uint64_t addr, int rank)
{
    uint64_t host_addr = 0, pid = 0;
    char host[HOST_MAX] = "";
    size_t word = (size_t) starter->pointer_size;
    if (!memory_read_uint(starter, addr + layout->pid, sizeof(int32_t), &pid) || pid == 0 ||
        pid > INT32_MAX)
        return;
    if (memory_read_uint(starter, addr + layout->host, word, &host_addr) && host_addr != 0)
        memory_read_text(starter, host_addr, sizeof host, host);
    // The table may know this machine by another name: then its rank tells.
    if (nodes_is_here(host) || starter_rank((pid_t) pid) == rank) {
        job_add(job, (pid_t) pid, rank);
        if (job->here == NULL && nodes_name_is_good(host))
            job->here = alloc_text(host);
        return;
    }
    int node = nodes_get(&job->nodes, host);
    if (node >= 0)
        job_add_elsewhere(job, node, (pid_t) pid, rank);
}

static bool
read_table(struct job *job, const struct image *starter)
{
    uint64_t size_addr, table_addr, size, table;
    size_t word = (size_t) starter->pointer_size;
    if (!image_symbol(starter, "MPIR_proctable_size", SYMBOL_VARIABLE, &size_addr) ||
        !image_symbol(starter, "MPIR_proctable", SYMBOL_VARIABLE, &table_addr) ||
        !memory_read_uint(starter, size_addr, sizeof(int32_t), &size) ||
        !memory_read_uint(starter, table_addr, word, &table) || table == 0 || size == 0 ||
        size > TABLE_MAX)
        return false;
    struct descriptor_layout layout = read_layout(starter);
    for (uint64_t i = 0; i < size; i++)
        add_entry(job, starter, &layout, table + i * layout.size, (int) i);
    return true;
}

bool
job_add_proctable(struct job *job, struct objfiles *files, pid_t starter)
{
    struct image image;
    char *problem = image_init(&image, files, starter);
    if (problem != NULL) {
        free(problem);
        return false;
    }
    bool found = read_table(job, &image);
    image_deinit(&image);
    return found;
}

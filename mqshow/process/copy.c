// SPDX-License-Identifier: BSD-3-Clause
// Registers and stacks of a process that stands still, copied.
#include "mqshow/process/copy.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/maps.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/stop.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
    RED_ZONE = 128,        // bytes below the stack pointer that a function may use
    INNER_MAX = 1 << 20,   // bytes from the stack pointer on
    OUTER_MAX = 1 << 18,   // bytes of the other end of a stack that is larger
    BYTES_MAX = 256 << 20, // of all stacks
};

/** Takes the registers of a thread that has stopped. */
static void
copy_registers(struct copied_thread *thread, const struct regset *regset)
{
    struct iovec all = {thread->registers, sizeof thread->registers};
    uint64_t pointer;
    if (regset == NULL || ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &all) != 0 ||
        !regset_stack(regset, thread->registers, all.iov_len, &pointer))
        return;
    thread->regset = regset;
    thread->size = all.iov_len;
    thread->stack =
        pointer > RED_ZONE ? (pointer - RED_ZONE) & ~(uint64_t) (sizeof pointer - 1) : 0;
}

static void
copy_range(struct copy *copy, pid_t pid, uint64_t start, uint64_t end, size_t *left)
{
    if (start >= end || end - start > *left)
        return;
    struct copied_range range = {start, (size_t) (end - start), NULL};
    range.bytes = alloc_zeroed(range.size, 1);
    if (!bytes_read_process(pid, start, range.size, range.bytes)) {
        free(range.bytes);
        return;
    }
    *left -= range.size;
    *ALLOC_ADD(copy->ranges, copy->n_ranges, copy->ranges_capacity) = range;
}

static int
compare_stacks(const void *left, const void *right)
{
    const struct copied_thread *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

/** Copies what is used of a stack. @param next where that of the next one begins */
static void
copy_stack(struct copy *copy, pid_t pid, const struct mapping *mapping, uint64_t start,
           uint64_t next, size_t *left)
{
    uint64_t end = next < mapping->end ? next : mapping->end;
    uint64_t inner = end - start > INNER_MAX ? start + INNER_MAX : end;
    copy_range(copy, pid, start, inner, left);
    copy_range(copy, pid, end - inner > OUTER_MAX ? end - OUTER_MAX : inner, end, left);
}

/** In the order of the stacks: neighbours may lie in one mapping. */
static void
copy_stacks(struct copy *copy, pid_t pid, const struct maps *maps)
{
    struct copied_thread *threads = copy->threads;
    size_t left = BYTES_MAX;
    if (copy->n_threads > 0)
        qsort(threads, copy->n_threads, sizeof *threads, compare_stacks);
    for (size_t i = 0; i < copy->n_threads; i++) {
        const struct mapping *mapping = maps_find(maps, threads[i].stack);
        uint64_t next = i + 1 < copy->n_threads ? threads[i + 1].stack : UINT64_MAX;
        if (mapping != NULL)
            copy_stack(copy, pid, mapping, threads[i].stack, next, &left);
    }
}

void
copy_init(struct copy *copy, GElf_Half machine, const struct stop *stop, const struct maps *maps)
{
    *copy = (struct copy){.n_threads = 0};
    copy->threads = alloc_zeroed(stop->count, sizeof *copy->threads);
    for (size_t i = 0; i < stop->count; i++) {
        if (stop->threads[i].gone)
            continue;
        struct copied_thread *thread = &copy->threads[copy->n_threads++];
        thread->tid = stop->threads[i].tid;
        copy_registers(thread, regset_of(machine));
    }
    copy_stacks(copy, stop->pid, maps);
}

void
copy_deinit(struct copy *copy)
{
    for (size_t i = 0; i < copy->n_ranges; i++)
        free(copy->ranges[i].bytes);
    free(copy->ranges);
    free(copy->threads);
    *copy = (struct copy){.n_threads = 0};
}

static int
compare_address(const void *key, const void *item)
{
    const uint64_t *addr = key;
    const struct copied_range *range = item;
    return *addr < range->start ? -1 : *addr - range->start >= range->size;
}

bool
copy_read(const struct copy *copy, uint64_t addr, size_t size, void *ret)
{
    const struct copied_range *range =
        copy->n_ranges > 0
            ? bsearch(&addr, copy->ranges, copy->n_ranges, sizeof *range, compare_address)
            : NULL;
    if (range == NULL || size > range->size - (addr - range->start))
        return false;
    memcpy(ret, range->bytes + (addr - range->start), size);
    return true;
}

// SPDX-License-Identifier: BSD-3-Clause
// Which memory of a process a look at it reads, and a copy of it.
#include "mqshow/process/footprint.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS_MAX = 1 << 18,
    REFUSED_MAX = 64,
    // Bytes between two parts that cost less to copy than another part does. They are fewer than a
    // page has: where both can be read, so can they.
    GAP_MAX = 512,
};

static int
compare_parts(const void *left, const void *right)
{
    const struct footprint_part *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/** Joins parts that overlap or are near each other, and drops empty ones. */
static void
join_parts(struct footprint_list *list)
{
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, compare_parts);
    for (size_t i = 0; i < list->count; i++) {
        const struct footprint_part *part = &list->items[i];
        struct footprint_part *last = kept > 0 ? &list->items[kept - 1] : NULL;
        uint64_t end = part->start + part->size;
        if (part->size == 0)
            continue;
        if (last == NULL || part->start > last->start + last->size + GAP_MAX)
            list->items[kept++] = *part;
        else if (end > last->start + last->size)
            last->size = (size_t) (end - last->start);
    }
    list->count = kept;
}

static bool
is_refused(const struct footprint *footprint, uint64_t addr, size_t size)
{
    for (size_t i = 0; i < footprint->refused.count; i++)
        if (footprint->refused.items[i].start == addr && footprint->refused.items[i].size == size)
            return true;
    return false;
}

void
footprint_note(struct footprint *footprint, uint64_t addr, size_t size, bool readable)
{
    struct footprint_list *list = readable ? &footprint->noted : &footprint->refused;
    if (!readable && is_refused(footprint, addr, size))
        return;
    footprint->missed = true;
    footprint->size += readable ? size : 0;
    footprint->full =
        footprint->full ||
        footprint->size > (footprint->limit > 0 ? footprint->limit : FOOTPRINT_BYTES) ||
        list->count >= PARTS_MAX || footprint->refused.count >= REFUSED_MAX;
    if (!footprint->full)
        *ALLOC_ADD(list->items, list->count, list->capacity) =
            (struct footprint_part){.start = addr, .size = size};
}

bool
footprint_ends(const struct footprint *footprint)
{
    return footprint->full && footprint->moment == FOOTPRINT_AHEAD;
}

/** Has the kernel give the memory, which it does when it is first written to and which takes longer
 * than the copy.
 */
static void
make_room(struct footprint *footprint)
{
    if (footprint->room >= footprint->size)
        return;
    free(footprint->bytes);
    footprint->room = footprint->size;
    footprint->bytes = alloc_zeroed(footprint->room, 1);
    memset(footprint->bytes, 1, footprint->room);
}

bool
footprint_prepare(struct footprint *footprint)
{
    struct footprint_list *noted = &footprint->noted;
    free(footprint->copied.items);
    footprint->copied = (struct footprint_list){.items = NULL};
    footprint->missed = false;
    if (footprint->full)
        return false;
    join_parts(noted);
    if (noted->count == 0)
        return false;
    footprint->size = 0;
    for (size_t i = 0; i < noted->count; i++) {
        noted->items[i].at = footprint->size;
        footprint->size += noted->items[i].size;
    }
    footprint->copied.items = alloc_zeroed(noted->count, sizeof *noted->items);
    footprint->copied.capacity = noted->count;
    make_room(footprint);
    return true;
}

/** Copies as many parts from the i-th on as one call reads. @return how many */
static size_t
copy_parts(const struct footprint *footprint, pid_t pid, size_t first)
{
    struct iovec local[BYTES_VECTOR_MAX], remote[BYTES_VECTOR_MAX];
    size_t n = 0;
    for (size_t i = first; i < footprint->copied.capacity && n < BYTES_VECTOR_MAX; i++, n++) {
        const struct footprint_part *part = &footprint->noted.items[i];
        local[n] = (struct iovec){footprint->bytes + part->at, part->size};
        // The kernel takes the address of the other process as a pointer.
        remote[n] = (struct iovec){(void *) (uintptr_t) part->start, part->size};
    }
    return bytes_read_vector(pid, local, remote, n);
}

void
footprint_copy(struct footprint *footprint, pid_t pid)
{
    struct footprint_list *noted = &footprint->noted, *copied = &footprint->copied;
    const size_t planned = copied->capacity; // what was noted since is not
    for (size_t i = 0, end; i < planned; i++) {
        for (end = i + copy_parts(footprint, pid, i); i < end; i++)
            copied->items[copied->count++] = noted->items[i];
        if (i == planned)
            break;
        struct footprint_part *part = &noted->items[i];
        if (bytes_read_process(pid, part->start, part->size, footprint->bytes + part->at))
            copied->items[copied->count++] = *part;
        else
            part->size = 0; // it is not tried again
    }
}

static int
compare_address(const void *key, const void *item)
{
    const uint64_t *addr = key;
    const struct footprint_part *part = item;
    return *addr < part->start ? -1 : *addr - part->start >= part->size;
}

bool
footprint_read(const struct footprint *footprint, uint64_t addr, size_t size, void *ret)
{
    const struct footprint_list *copied = &footprint->copied;
    const struct footprint_part *part =
        copied->count > 0
            ? bsearch(&addr, copied->items, copied->count, sizeof *part, compare_address)
            : NULL;
    if (part == NULL || size > part->size - (addr - part->start))
        return false;
    memcpy(ret, footprint->bytes + part->at + (addr - part->start), size);
    return true;
}

void
footprint_rest(struct footprint *footprint)
{
    free(footprint->bytes);
    free(footprint->copied.items);
    footprint->copied = (struct footprint_list){.items = NULL};
    footprint->bytes = NULL;
    footprint->room = 0;
}

void
footprint_deinit(struct footprint *footprint)
{
    footprint_rest(footprint);
    free(footprint->noted.items);
    free(footprint->refused.items);
    *footprint = (struct footprint){.full = false};
}

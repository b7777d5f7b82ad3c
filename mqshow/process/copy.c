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
    LINE = sizeof((struct copied_line *) NULL)->bytes,
    WORD = 8,
    INNERMOST = 1 << 10, // bytes of a stack that may have addresses of locks
    LOCK = 48,           // bytes of a lock
    LINES_MAX = 1 << 16,
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

void
copy_call(struct copied_thread *thread, const struct maps *maps)
{
    struct system_state *call = &thread->call;
    call->pthread = regset_pthread(thread->regset, thread->registers, thread->size);
    call->known = thread->regset != NULL &&
                  regset_call(thread->regset, thread->registers, thread->size, &call->made);
    const struct call_kind *kind = call->known ? call_kind_of(&call->made) : NULL;
    uint64_t word = call_open_word(kind, &call->made);
    const struct mapping *mapping = word != 0 && maps != NULL ? maps_find(maps, word) : NULL;
    call->shared = maps == NULL ? word != 0 : mapping != NULL && mapping->shared;
}

/** Plans to copy a part of a stack. @param left bytes that may be copied of all */
static void
add_range(struct copy *copy, uint64_t start, uint64_t end, size_t *left)
{
    if (start >= end || end - start > *left)
        return;
    *left -= (size_t) (end - start);
    footprint_note(&copy->stacks, start, (size_t) (end - start), true);
}

static int
compare_stacks(const void *left, const void *right)
{
    const struct copied_thread *a = left, *b = right;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

/** Plans to copy what is used of a stack. @param next where that of the next one begins */
static void
add_stack(struct copy *copy, const struct mapping *mapping, uint64_t start, uint64_t next,
          size_t *left)
{
    uint64_t end = next < mapping->end ? next : mapping->end;
    uint64_t inner = end - start > INNER_MAX ? start + INNER_MAX : end;
    add_range(copy, start, inner, left);
    add_range(copy, end - inner > OUTER_MAX ? end - OUTER_MAX : inner, end, left);
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
            add_stack(copy, mapping, threads[i].stack, next, &left);
    }
    footprint_prepare(&copy->stacks);
    footprint_copy(&copy->stacks, pid);
}

// What threads may be about to change.

/** Addresses of lines, which may be there twice. */
struct line_list {
    uint64_t *items;
    size_t count, capacity;
};

static void
add_lines(struct line_list *lines, const struct maps *maps, uint64_t word)
{
    uint64_t last = word + LOCK - 1;
    if (word < LINE || last < word || lines->count >= LINES_MAX || maps_find(maps, word) == NULL)
        return;
    for (uint64_t at = word & ~(uint64_t) (LINE - 1); at <= last; at += LINE)
        *ALLOC_ADD(lines->items, lines->count, lines->capacity) = at;
}

/** Adds what the registers of a thread and its innermost frames point to. */
static void
add_pointees(struct line_list *lines, const struct copy *copy, const struct copied_thread *thread,
             const struct maps *maps)
{
    unsigned char stack[INNERMOST];
    for (size_t at = 0; at + WORD <= thread->size; at += WORD)
        add_lines(lines, maps, bytes_uint(thread->registers + at, WORD));
    if (!copy_read(copy, thread->stack, sizeof stack, stack))
        return;
    for (size_t at = 0; at < sizeof stack; at += WORD)
        add_lines(lines, maps, bytes_uint(stack + at, WORD));
}

static int
compare_lines(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/** Reads many lines; one that cannot be read ends it. */
static void
read_lines(struct copy *copy, pid_t pid, const struct line_list *lines)
{
    copy->lines = alloc_zeroed(lines->count, sizeof *copy->lines);
    for (size_t i = 0; i < lines->count; i++)
        copy->lines[i].start = lines->items[i];
    copy->n_lines = bytes_read_pieces(pid, lines->items, lines->count, LINE, copy->lines->bytes,
                                      sizeof *copy->lines);
}

static void
copy_lines(struct copy *copy, pid_t pid, const struct maps *maps)
{
    struct line_list lines = {.items = NULL};
    size_t kept = 0;
    for (size_t i = 0; i < copy->n_threads; i++)
        add_pointees(&lines, copy, &copy->threads[i], maps);
    if (lines.count > 0)
        qsort(lines.items, lines.count, sizeof *lines.items, compare_lines);
    for (size_t i = 0; i < lines.count; i++)
        if (kept == 0 || lines.items[kept - 1] != lines.items[i])
            lines.items[kept++] = lines.items[i];
    lines.count = kept;
    read_lines(copy, pid, &lines);
    free(lines.items);
}

void
copy_init(struct copy *copy, GElf_Half machine, const struct stop *stop, const struct maps *maps,
          bool locks)
{
    *copy = (struct copy){.stacks = {.limit = BYTES_MAX}};
    copy->threads = alloc_zeroed(stop->count, sizeof *copy->threads);
    for (size_t i = 0; i < stop->count; i++) {
        if (stop->threads[i].gone)
            continue;
        struct copied_thread *thread = &copy->threads[copy->n_threads++];
        thread->tid = stop->threads[i].tid;
        copy_registers(thread, regset_of(machine));
        copy_call(thread, maps);
    }
    copy_stacks(copy, stop->pid, maps);
    if (locks)
        copy_lines(copy, stop->pid, maps);
}

void
copy_deinit(struct copy *copy)
{
    footprint_deinit(&copy->stacks);
    free(copy->lines);
    free(copy->threads);
    *copy = (struct copy){.n_threads = 0};
}

/** Reads a part of a line. */
static bool
read_line(const struct copy *copy, uint64_t addr, size_t size, void *ret)
{
    uint64_t start = addr & ~(uint64_t) (LINE - 1);
    const struct copied_line *line =
        copy->n_lines > 0 ? bsearch(&start, copy->lines, copy->n_lines, sizeof *line, compare_lines)
                          : NULL;
    if (line == NULL)
        return false;
    memcpy(ret, line->bytes + (addr - start), size);
    return true;
}

bool
copy_read(const struct copy *copy, uint64_t addr, size_t size, void *ret)
{
    if (footprint_read(&copy->stacks, addr, size, ret))
        return true;
    for (size_t done = 0, piece; done < size; done += piece) {
        piece = LINE - (size_t) ((addr + done) % LINE);
        piece = piece < size - done ? piece : size - done;
        if (!read_line(copy, addr + done, piece, (char *) ret + done))
            return false;
    }
    return true;
}

// SPDX-License-Identifier: BSD-3-Clause
// Decodes glibc's struct pthread with the descriptors that glibc carries.
#include "ompd-bridge/nptl.h"

#include <inttypes.h>

enum { OFFSET_MAX = 64 * 1024 }; // bytes of a struct pthread, and of ld.so's variable

// A descriptor is three 32-bit words: bits of a field, number of elements, offset in bytes.
static enum status
read_descriptor(struct inferior *inf, const char *name, uint64_t want_bits, uint32_t *ret)
{
    taddr addr;
    uint64_t bits, offset;
    TRY(inferior_symbol(inf, name, &addr));
    TRY(inferior_read_uint(inf, addr, 4, &bits));
    TRY(inferior_read_uint(inf, addr + 8, 4, &offset));
    if (bits != want_bits || offset > OFFSET_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "%s is invalid", name);
    *ret = (uint32_t) offset;
    return STATUS_OK;
}

enum status
nptl_find(struct inferior *inf, struct nptl *ret)
{
    struct nptl found;
    uint64_t pointer = inf->model.pointer_size * 8U;
    TRY(read_descriptor(inf, "_thread_db_pthread_tid", 32, &found.tid));
    TRY(read_descriptor(inf, "_thread_db_pthread_list", 2 * pointer, &found.list));
    TRY(read_descriptor(inf, "_thread_db_list_t_next", pointer, &found.next));
    TRY(read_descriptor(inf, "_thread_db_list_t_prev", pointer, &found.prev));
    *ret = found;
    return STATUS_OK;
}

// Makes one read of both links of a node, where bytes count.
static void
fetch_links(const struct nptl *nptl, struct inferior *inf, taddr node)
{
    const uint32_t first = nptl->next < nptl->prev ? nptl->next : nptl->prev;
    const uint32_t last = nptl->next < nptl->prev ? nptl->prev : nptl->next;
    inferior_fetch(inf, node + first, last - first + inf->model.pointer_size);
}

// Whether the neighbours in the C library's list of threads point back.
static enum status
check_linked(const struct nptl *nptl, struct inferior *inf, taddr pthread)
{
    taddr next, prev, back, forth;
    taddr node = pthread + nptl->list;
    fetch_links(nptl, inf, node);
    TRY(inferior_read_pointer(inf, node + nptl->next, &next));
    TRY(inferior_read_pointer(inf, node + nptl->prev, &prev));
    TRY(inferior_read_pointer(inf, next + nptl->prev, &back));
    TRY(inferior_read_pointer(inf, prev + nptl->next, &forth));
    return back == node && forth == node ? STATUS_OK : STATUS_CORRUPT;
}

enum status
nptl_tid(const struct nptl *nptl, struct inferior *inf, taddr pthread, int64_t *ret)
{
    uint64_t tid;
    if (pthread == 0 || check_linked(nptl, inf, pthread) != STATUS_OK)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "no thread is at 0x%" PRIx64, pthread);
    TRY(inferior_read_uint(inf, pthread + nptl->tid, 4, &tid));
    int64_t value = (int32_t) tid;
    if (value <= 0)
        return trail_begin(&inf->trail, STATUS_ABSENT, "the thread at 0x%" PRIx64 " has no id",
                           pthread);
    *ret = value;
    return STATUS_OK;
}

// What names the head of a list: the descriptor of its place within ld.so's variable; before glibc
// 2.34, the variable of libpthread that it is; in a program that is linked statically, a variable
// too.
static const struct head_names {
    const char *descriptor, *variable, *linked;
} user_names = {"_thread_db_rtld_global__dl_stack_user", "__stack_user", "_dl_stack_user"},
  used_names = {"_thread_db_rtld_global__dl_stack_used", "stack_used", "_dl_stack_used"};

// A list's links are two pointers.
static enum status
locate_head(struct inferior *inf, const struct head_names *names, taddr *ret)
{
    uint32_t offset = 0;
    taddr rtld_global, unused;
    if (inferior_symbol(inf, names->descriptor, &unused) == STATUS_ABSENT)
        return inferior_symbol(inf, names->variable, ret) == STATUS_OK
                   ? STATUS_OK
                   : inferior_symbol(inf, names->linked, ret);
    TRY(inferior_symbol(inf, "_rtld_global", &rtld_global));
    TRY(read_descriptor(inf, names->descriptor, inf->model.pointer_size * 16U, &offset));
    *ret = rtld_global + offset;
    return STATUS_OK;
}

// The last node of a list leads to its head. A variable of the program can have the name of one.
static enum status
check_head(const struct nptl *nptl, struct inferior *inf, taddr head)
{
    taddr last = 0, next = 0;
    TRY(inferior_read_pointer(inf, head + nptl->prev, &last));
    TRY(inferior_read_pointer(inf, last + nptl->next, &next));
    return next == head ? STATUS_OK : STATUS_CORRUPT;
}

static enum status
find_head(const struct nptl *nptl, struct inferior *inf, const struct head_names *names, taddr *ret)
{
    taddr head = 0;
    enum status status = locate_head(inf, names, &head);
    if (status == STATUS_ABSENT)
        return trail_begin(&inf->trail, STATUS_ABSENT,
                           "nothing names the C library's threads: neither %s nor %s is there",
                           names->descriptor, names->variable);
    TRY(status);
    if (check_head(nptl, inf, head) != STATUS_OK)
        return trail_begin(&inf->trail, STATUS_CORRUPT,
                           "the C library's list of threads is not at 0x%" PRIx64, head);
    *ret = head;
    return STATUS_OK;
}

enum status
nptl_find_heads(const struct nptl *nptl, struct inferior *inf, struct nptl_heads *ret)
{
    struct nptl_heads found;
    taddr size_addr;
    uint64_t size;
    TRY(find_head(nptl, inf, &user_names, &found.user));
    TRY(find_head(nptl, inf, &used_names, &found.used));
    TRY(inferior_symbol(inf, "_thread_db_sizeof_pthread", &size_addr));
    TRY(inferior_read_uint(inf, size_addr, 4, &size));
    if (size == 0 || size > OFFSET_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "_thread_db_sizeof_pthread is invalid");
    found.descriptor = (uint32_t) size;
    *ret = found;
    return STATUS_OK;
}

// New threads are put in front, so a list is walked backwards. As each node must lead forth to the
// one before, the walk can only end at the head, or where the list is torn.
static enum status
walk_list(const struct nptl *nptl, struct inferior *inf, taddr head, nptl_visit *visit,
          void *closure)
{
    taddr node, next, after = head;
    TRY(inferior_read_pointer(inf, head + nptl->prev, &node));
    for (uint32_t i = 0; node != head; i++) {
        fetch_links(nptl, inf, node);
        TRY(inferior_read_pointer(inf, node + nptl->next, &next));
        if (i == NPTL_THREADS_MAX || next != after)
            return trail_begin(&inf->trail, STATUS_CORRUPT,
                               "the C library's list of threads is broken at 0x%" PRIx64, node);
        TRY(visit(closure, node - nptl->list));
        after = node;
        TRY(inferior_read_pointer(inf, node + nptl->prev, &node));
    }
    return STATUS_OK;
}

enum status
nptl_walk(const struct nptl *nptl, const struct nptl_heads *heads, struct inferior *inf,
          nptl_visit *visit, void *closure)
{
    TRY(walk_list(nptl, inf, heads->user, visit, closure));
    return walk_list(nptl, inf, heads->used, visit, closure);
}

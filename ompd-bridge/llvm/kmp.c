// SPDX-License-Identifier: BSD-3-Clause
// Threads of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/llvm/kmp.h"

#include <inttypes.h>

enum { POINTER_ALIGN = 4 }; // bytes; the least that pointers of any data model have

bool
kmp_can_be_object(taddr addr)
{
    return addr >= 4096 && addr % POINTER_ALIGN == 0;
}

taddr
kmp_addr(const struct kmp *kmp, taddr base, enum published_entry field)
{
    return base + kmp->table.values[field];
}

enum status
kmp_get(const struct kmp *kmp, taddr base, enum published_entry field, uint64_t *ret)
{
    size_t width = (size_t) kmp->table.values[field + PUBLISHED_FIELDS];
    return inferior_read_uint(kmp->inf, kmp_addr(kmp, base, field), width, ret);
}

taddr
kmp_thread_field(const struct kmp *kmp, taddr thread, enum published_entry field)
{
    taddr base = kmp_addr(kmp, thread, OFFSET_kmp_info_t__th);
    return kmp_addr(kmp, base, field);
}

// The place of a thread's id record within kmp_info_t.
static taddr
descriptor(const struct kmp *kmp, taddr thread)
{
    taddr info = kmp_thread_field(kmp, thread, OFFSET_kmp_base_info_t__th_info);
    return kmp_addr(kmp, info, OFFSET_kmp_desc_t__ds);
}

// Behind its number in the team, a thread keeps its place in the array. Not published, but in the
// same place in all releases so far; it makes every thread count once.
static enum status
read_place(const struct kmp *kmp, taddr thread, uint64_t *ret)
{
    const struct published *t = &kmp->table;
    uint64_t offset = t->values[OFFSET_kmp_desc_base_t__ds_tid] + 4;
    if (offset + 4 > t->values[WIDTH_kmp_desc_t__ds])
        return STATUS_CORRUPT;
    return inferior_read_uint(kmp->inf, descriptor(kmp, thread) + offset, 4, ret);
}

static enum status
read_record(const struct kmp *kmp, uint32_t index, struct kmp_thread *thread)
{
    taddr base = kmp_addr(kmp, thread->addr, OFFSET_kmp_info_t__th);
    taddr ds = descriptor(kmp, thread->addr);
    uint64_t num, place;
    TRY(read_place(kmp, thread->addr, &place));
    if (place != index)
        return STATUS_CORRUPT;
    TRY(kmp_get(kmp, base, OFFSET_kmp_base_info_t__th_team, &thread->team));
    TRY(kmp_get(kmp, ds, OFFSET_kmp_desc_base_t__ds_thread, &thread->pthread));
    TRY(kmp_get(kmp, ds, OFFSET_kmp_desc_base_t__ds_tid, &num));
    thread->num = (int32_t) num;
    return thread->num >= 0 && thread->num < KMP_THREADS_MAX ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret)
{
    struct kmp_thread thread;
    taddr place = kmp->threads + (taddr) index * kmp->inf->model.pointer_size;
    TRY(inferior_read_pointer(kmp->inf, place, &thread.addr));
    if (thread.addr == 0)
        return STATUS_ABSENT;
    enum status status = STATUS_CORRUPT;
    if (kmp_can_be_object(thread.addr))
        status = read_record(kmp, index, &thread);
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status,
                           "OpenMP thread %" PRIu32 " at 0x%" PRIx64 ": %s", index, thread.addr,
                           status_text((int) status));
    *ret = thread;
    return STATUS_OK;
}

enum status
kmp_thread_at(const struct kmp *kmp, taddr addr, uint32_t *ret_index, struct kmp_thread *ret)
{
    uint64_t place;
    struct kmp_thread thread;
    enum status status = STATUS_CORRUPT;
    if (kmp_can_be_object(addr))
        status = read_place(kmp, addr, &place);
    if (status == STATUS_OK && place >= kmp->capacity)
        status = STATUS_CORRUPT;
    if (status == STATUS_OK)
        status = kmp_read_thread(kmp, (uint32_t) place, &thread);
    if (status == STATUS_ABSENT || (status == STATUS_OK && thread.addr != addr))
        status = STATUS_CORRUPT;
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status, "OpenMP thread at 0x%" PRIx64 ": %s", addr,
                           status_text((int) status));
    *ret_index = (uint32_t) place;
    *ret = thread;
    return STATUS_OK;
}

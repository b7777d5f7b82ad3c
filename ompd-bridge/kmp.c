// SPDX-License-Identifier: BSD-3-Clause
// Threads and teams of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/kmp.h"

#include <inttypes.h>

enum { POINTER_ALIGN = 4 }; // bytes; the least that pointers of any data model have

static bool
can_be_object(taddr addr)
{
    return addr >= 4096 && addr % POINTER_ALIGN == 0;
}

// The place of a thread's id record within kmp_info_t.
static taddr
descriptor(const struct kmp *kmp, taddr thread)
{
    const struct published *t = &kmp->table;
    taddr base = published_addr(t, thread, OFFSET_kmp_info_t__th);
    base = published_addr(t, base, OFFSET_kmp_base_info_t__th_info);
    return published_addr(t, base, OFFSET_kmp_desc_t__ds);
}

// Behind its number in the team, a thread keeps its place in the array. Not published, but in the
// same place in all releases so far; it makes every thread count once.
static enum status
check_place(const struct kmp *kmp, taddr ds, uint32_t index)
{
    const struct published *t = &kmp->table;
    uint64_t offset = t->values[OFFSET_kmp_desc_base_t__ds_tid] + 4;
    uint64_t place;
    if (offset + 4 > t->values[WIDTH_kmp_desc_t__ds])
        return STATUS_CORRUPT;
    TRY(inferior_read_uint(kmp->inf, ds + offset, 4, &place));
    return place == index ? STATUS_OK : STATUS_CORRUPT;
}

static enum status
read_record(const struct kmp *kmp, uint32_t index, struct kmp_thread *thread)
{
    const struct published *t = &kmp->table;
    taddr base = published_addr(t, thread->addr, OFFSET_kmp_info_t__th);
    taddr ds = descriptor(kmp, thread->addr);
    uint64_t num;
    TRY(check_place(kmp, ds, index));
    TRY(published_read(t, kmp->inf, base, OFFSET_kmp_base_info_t__th_team, &thread->team));
    TRY(published_read(t, kmp->inf, ds, OFFSET_kmp_desc_base_t__ds_thread, &thread->pthread));
    TRY(published_read(t, kmp->inf, ds, OFFSET_kmp_desc_base_t__ds_tid, &num));
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
    if (can_be_object(thread.addr))
        status = read_record(kmp, index, &thread);
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status,
                           "OpenMP thread %" PRIu32 " at 0x%" PRIx64 ": %s", index, thread.addr,
                           status_text((int) status));
    *ret = thread;
    return STATUS_OK;
}

static bool
team_makes_sense(const struct kmp_team *team)
{
    return team->size >= 1 && team->size <= KMP_THREADS_MAX && team->level >= 0 &&
           team->level <= KMP_LEVELS_MAX && team->active_level >= 0 &&
           team->active_level <= team->level && can_be_object(team->threads);
}

// The fields of the team at `base`, in the order of struct kmp_team.
static enum status
read_team_fields(const struct kmp *kmp, taddr base, uint64_t *values)
{
    static const enum published_entry entries[] = {
        OFFSET_kmp_base_team_t__t_threads, OFFSET_kmp_base_team_t__t_parent,
        OFFSET_kmp_base_team_t__t_nproc, OFFSET_kmp_base_team_t__t_level,
        OFFSET_kmp_base_team_t__t_active_level};
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        TRY(published_read(&kmp->table, kmp->inf, base, entries[i], &values[i]));
    return STATUS_OK;
}

enum status
kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret)
{
    uint64_t values[5];
    enum status status = STATUS_CORRUPT;
    struct kmp_team team = {.addr = addr};
    if (can_be_object(addr))
        status =
            read_team_fields(kmp, published_addr(&kmp->table, addr, OFFSET_kmp_team_p__t), values);
    if (status == STATUS_OK) {
        team.threads = values[0];
        team.parent = values[1];
        team.size = (int32_t) values[2];
        team.level = (int32_t) values[3];
        team.active_level = (int32_t) values[4];
        status = team_makes_sense(&team) ? STATUS_OK : STATUS_CORRUPT;
    }
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status, "OpenMP team at 0x%" PRIx64 ": %s", addr,
                           status_text((int) status));
    *ret = team;
    return STATUS_OK;
}

enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret)
{
    if (num < 0 || num >= team->size)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no thread %" PRId64, team->addr, num);
    taddr place = team->threads + (taddr) num * kmp->inf->model.pointer_size;
    return inferior_read_pointer(kmp->inf, place, ret);
}

// Whether the team `wanted` is the team at `addr` or one that encloses it.
static enum status
encloses(const struct kmp *kmp, taddr wanted, taddr addr, bool *ret)
{
    struct kmp_team team;
    for (unsigned level = 0; addr != 0 && level <= KMP_LEVELS_MAX; level++) {
        if (addr == wanted) {
            *ret = true;
            return STATUS_OK;
        }
        TRY(kmp_read_team(kmp, addr, &team));
        addr = team.parent;
    }
    *ret = false;
    return addr == 0 ? STATUS_OK : STATUS_CORRUPT;
}

enum status
kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread, const struct kmp_team *team,
            bool *ret)
{
    taddr self, master, masters_team;
    bool in_team;
    TRY(kmp_team_member(kmp, team, thread->num, &self));
    if (self != thread->addr)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " does not list its thread %" PRId32,
                           team->addr, thread->num);
    TRY(kmp_team_member(kmp, team, 0, &master));
    if (!can_be_object(master))
        return STATUS_CORRUPT;
    taddr base = published_addr(&kmp->table, master, OFFSET_kmp_info_t__th);
    TRY(published_read(&kmp->table, kmp->inf, base, OFFSET_kmp_base_info_t__th_team,
                       &masters_team));
    TRY(encloses(kmp, team->addr, masters_team, &in_team));
    *ret = in_team;
    return STATUS_OK;
}

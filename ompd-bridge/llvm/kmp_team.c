// SPDX-License-Identifier: BSD-3-Clause
// Teams of LLVM's OpenMP runtime, read with the layouts that it publishes.
#include "ompd-bridge/llvm/kmp_team.h"

#include <inttypes.h>

taddr
kmp_team_field(const struct kmp *kmp, taddr team, enum published_entry field)
{
    taddr base = kmp_addr(kmp, team, OFFSET_kmp_team_p__t);
    return kmp_addr(kmp, base, field);
}

static bool
team_makes_sense(const struct kmp_team *team)
{
    return team->size >= 1 && team->size <= KMP_THREADS_MAX && team->level >= 0 &&
           team->level <= KMP_LEVELS_MAX && team->active_level >= 0 &&
           team->active_level <= team->level && kmp_can_be_object(team->threads);
}

// The fields of the team at `base`, in the order of struct kmp_team.
static enum status
read_team_fields(const struct kmp *kmp, taddr base, uint64_t *values)
{
    static const enum published_entry entries[] = {
        OFFSET_kmp_base_team_t__t_threads,
        OFFSET_kmp_base_team_t__t_parent,
        OFFSET_kmp_base_team_t__ompt_serialized_team_info,
        OFFSET_kmp_base_team_t__t_nproc,
        OFFSET_kmp_base_team_t__t_level,
        OFFSET_kmp_base_team_t__t_active_level};
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        TRY(kmp_get(kmp, base, entries[i], &values[i]));
    return STATUS_OK;
}

enum status
kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret)
{
    uint64_t values[6];
    enum status status = STATUS_CORRUPT;
    struct kmp_team team = {.addr = addr};
    if (kmp_can_be_object(addr))
        status = read_team_fields(kmp, kmp_addr(kmp, addr, OFFSET_kmp_team_p__t), values);
    if (status == STATUS_OK) {
        team.threads = values[0];
        team.parent = values[1];
        team.nested = values[2];
        team.size = (int32_t) values[3];
        team.level = (int32_t) values[4];
        team.active_level = (int32_t) values[5];
        status = team_makes_sense(&team) ? STATUS_OK : STATUS_CORRUPT;
    }
    if (status != STATUS_OK)
        return trail_begin(&kmp->inf->trail, status, "OpenMP team at 0x%" PRIx64 ": %s", addr,
                           status_text((int) status));
    *ret = team;
    return STATUS_OK;
}

// Levels grow from the outside in, so that no chain of teams is endless. A parallel construct
// within a teams construct can be on the level of the team around it, one step only.
enum status
kmp_read_parent(const struct kmp *kmp, const struct kmp_team *team, struct kmp_team *ret)
{
    struct kmp_team parent;
    TRY(kmp_read_team(kmp, team->parent, &parent));
    if (parent.level > team->level || parent.addr == team->addr ||
        (parent.level == team->level && parent.parent == team->addr))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " is not around the one at 0x%" PRIx64,
                           parent.addr, team->addr);
    *ret = parent;
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
kmp_team_alive(const struct kmp *kmp, const struct kmp_team *team, bool *ret)
{
    taddr master, masters_team;
    TRY(kmp_team_member(kmp, team, 0, &master));
    if (!kmp_can_be_object(master))
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " has no master", team->addr);
    TRY(kmp_get(kmp, kmp_addr(kmp, master, OFFSET_kmp_info_t__th), OFFSET_kmp_base_info_t__th_team,
                &masters_team));
    return encloses(kmp, team->addr, masters_team, ret);
}

enum status
kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread, const struct kmp_team *team,
            bool *ret)
{
    taddr self;
    TRY(kmp_team_member(kmp, team, thread->num, &self));
    if (self != thread->addr)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "OpenMP team at 0x%" PRIx64 " does not list its thread %" PRId32,
                           team->addr, thread->num);
    return kmp_team_alive(kmp, team, ret);
}

static enum status
bad_chain(const struct kmp *kmp, const struct kmp_team *team, enum status status)
{
    return trail_begin(&kmp->inf->trail, status,
                       "serialised regions of the OpenMP team at 0x%" PRIx64 ": %s", team->addr,
                       status_text((int) status));
}

// Each stands for one level between the team's own and that of the initial task.
enum status
kmp_lwt_position(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, int64_t *ret)
{
    taddr at = team->nested;
    int64_t position = lwt != 0;
    for (; lwt != 0 && at != lwt; position++) {
        if (at == 0)
            return bad_chain(kmp, team, STATUS_ABSENT);
        if (position >= team->level || !kmp_can_be_object(at))
            return bad_chain(kmp, team, STATUS_CORRUPT);
        enum status status = kmp_get(kmp, at, OFFSET_ompt_lw_taskteam_t__parent, &at);
        if (status != STATUS_OK)
            return bad_chain(kmp, team, status);
    }
    if (position > team->level || (lwt != 0 && !kmp_can_be_object(lwt)))
        return bad_chain(kmp, team, STATUS_CORRUPT);
    *ret = position;
    return STATUS_OK;
}

enum status
kmp_lwt_next(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, taddr *ret)
{
    int64_t own, nexts;
    taddr next = team->nested;
    TRY(kmp_lwt_position(kmp, team, lwt, &own));
    if (lwt != 0)
        TRY(kmp_get(kmp, lwt, OFFSET_ompt_lw_taskteam_t__parent, &next));
    if (next != 0) {
        TRY(kmp_lwt_position(kmp, team, next, &nexts));
        if (nexts != own + 1)
            return bad_chain(kmp, team, STATUS_CORRUPT);
    }
    *ret = next;
    return STATUS_OK;
}

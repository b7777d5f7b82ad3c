// SPDX-License-Identifier: BSD-3-Clause
// Finds the threads that use OpenMP, and the regions that they are in.
#include "ompd-bridge/gnu/gomp.h"
#include "target/sort.h"

#include <inttypes.h>
#include <string.h>

// Makes room for one element more. `room` counts elements.
static enum status
grow(struct inferior *inf, void *array, size_t size, unsigned count, unsigned *room)
{
    void **memory = array;
    if (count < *room)
        return STATUS_OK;
    unsigned more = *room ? *room * 2 : 64;
    void *fresh = inferior_alloc(inf, more * size);
    if (!fresh)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    if (*memory)
        memcpy(fresh, *memory, count * size);
    inferior_free(inf, *memory);
    *memory = fresh;
    *room = more;
    return STATUS_OK;
}

static enum status
read_place(const struct gomp *gomp, taddr addr, struct gomp_place *ret)
{
    struct view view;
    TRY(view_load(gomp->inf, &gomp->layout, S(gomp_team_state), addr, &view));
    *ret = (struct gomp_place){
        .team = view_uint(&view, F(gomp_team_state, team)),
        .num = (uint32_t) view_uint(&view, F(gomp_team_state, team_id)),
        .level = (uint32_t) view_uint(&view, F(gomp_team_state, level)),
        .active_level = (uint32_t) view_uint(&view, F(gomp_team_state, active_level)),
    };
    return STATUS_OK;
}

static enum status
read_thread(const struct gomp *gomp, taddr pthread, struct gomp_thread *ret)
{
    struct view view;
    struct gomp_thread thread = {.addr = pthread + gomp->tls, .pthread = pthread};
    TRY(view_load(gomp->inf, &gomp->layout, S(gomp_thread), thread.addr, &view));
    TRY(read_place(gomp, view_addr(&view, F(gomp_thread, ts)), &thread.place));
    thread.task = view_uint(&view, F(gomp_thread, task));
    thread.pool = view_uint(&view, F(gomp_thread, thread_pool));
    *ret = thread;
    return STATUS_OK;
}

static bool
place_makes_sense(const struct gomp_place *place)
{
    if (place->team == 0)
        return place->num == 0 && place->level == 0 && place->active_level == 0;
    return place->num < GOMP_TEAM_MAX && place->level >= 1 && place->level <= GOMP_LEVELS_MAX &&
           place->active_level <= place->level;
}

static void
note_left_out(struct gomp *gomp, taddr pthread)
{
    gomp->lacks_threads = true;
    diagnostics_add(gomp->diagnostics, "the OpenMP record of the thread at 0x%" PRIx64 ": %s",
                    pthread, trail_text(&gomp->inf->trail));
}

// A thread that was taken already.
static void
leave_out(struct gomp *gomp, const struct gomp_thread *thread)
{
    if (thread->addr == 0)
        return;
    note_left_out(gomp, thread->pthread);
    gomp->threads[thread - gomp->threads].addr = 0;
}

static enum status
take_thread(void *closure, taddr pthread)
{
    struct gomp *gomp = closure;
    struct gomp_thread thread;
    enum status status = read_thread(gomp, pthread, &thread);
    if (status == STATUS_OK && !place_makes_sense(&thread.place))
        status = trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "its place in the team is invalid");
    if (status != STATUS_OK) {
        note_left_out(gomp, pthread);
        return STATUS_OK;
    }
    if (thread.place.team == 0 && thread.task == 0 && thread.pool == 0)
        return STATUS_OK; // it has never used OpenMP
    TRY(grow(gomp->inf, &gomp->threads, sizeof(thread), gomp->n_threads, &gomp->room_threads));
    gomp->threads[gomp->n_threads++] = thread;
    return STATUS_OK;
}

enum status
gomp_read_team(const struct gomp *gomp, taddr addr, struct gomp_team *ret)
{
    uint64_t size = 0;
    struct gomp_team team = {.addr = addr};
    TRY(gomp_read_field(gomp, addr, F(gomp_team, nthreads), &size));
    TRY(read_place(gomp, addr + (taddr) gomp->layout.fields[F(gomp_team, prev_ts)].offset,
                   &team.prev));
    if (size < 1 || size > GOMP_TEAM_MAX || !place_makes_sense(&team.prev))
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT,
                           "the OpenMP team at 0x%" PRIx64 " is invalid", addr);
    team.size = (uint32_t) size;
    team.level = team.prev.level + 1;
    team.active_level = team.prev.active_level + (size > 1);
    *ret = team;
    return STATUS_OK;
}

static enum status
add_member(struct gomp *gomp, const struct gomp_place *place, uint32_t depth,
           const struct gomp_thread *thread)
{
    TRY(grow(gomp->inf, &gomp->members, sizeof(*gomp->members), gomp->n_members,
             &gomp->room_members));
    gomp->members[gomp->n_members++] = (struct gomp_member){place->team, place->num, depth, thread};
    return STATUS_OK;
}

static enum status
check_place(const struct gomp *gomp, const struct gomp_place *place, const struct gomp_team *team)
{
    if (place->num < team->size && place->level == team->level &&
        place->active_level == team->active_level)
        return STATUS_OK;
    return trail_begin(&gomp->inf->trail, STATUS_CORRUPT,
                       "the OpenMP team at 0x%" PRIx64 " cannot have thread %" PRIu32, place->team,
                       place->num);
}

// Each step leads one level outwards, so that the walk ends.
static enum status
follow_master(struct gomp *gomp, const struct gomp_thread *thread)
{
    struct gomp_place place = thread->place;
    struct gomp_team team = {.addr = 0};
    for (uint32_t depth = 0; place.team != 0; depth++) {
        TRY(gomp_read_team(gomp, place.team, &team));
        TRY(check_place(gomp, &place, &team));
        TRY(add_member(gomp, &place, depth, thread));
        if (place.num != 0)
            break;
        place = team.prev;
    }
    return STATUS_OK;
}

static int
comes_before(void *context, uint32_t a, uint32_t b)
{
    const struct gomp_member *members = context;
    const struct gomp_member *x = &members[a], *y = &members[b];
    if (x->team != y->team)
        return x->team < y->team;
    return x->num != y->num ? x->num < y->num : a < b;
}

static enum status
sort_members(struct gomp *gomp)
{
    for (unsigned i = 0; i < gomp->n_members; i++) {
        TRY(grow(gomp->inf, &gomp->order, sizeof(*gomp->order), i, &gomp->room_order));
        gomp->order[i] = i;
    }
    gomp->n_ordered = gomp->n_members;
    if (gomp->n_ordered)
        sort_numbers(gomp->order, gomp->n_ordered, comes_before, gomp->members);
    return STATUS_OK;
}

// A thread that is not needed any more keeps its place until it has ended, and the memory of its
// team may be another one's by then, with a new thread there: which of them it is cannot be told.
static enum status
leave_out_rivals(struct gomp *gomp)
{
    unsigned kept = 0;
    for (unsigned i = 1; i < gomp->n_ordered; i++) {
        const struct gomp_member *a = &gomp->members[gomp->order[i - 1]];
        const struct gomp_member *b = &gomp->members[gomp->order[i]];
        if (a->team != b->team || a->num != b->num || a->thread == b->thread)
            continue;
        trail_begin(&gomp->inf->trail, STATUS_CORRUPT,
                    "the OpenMP team at 0x%" PRIx64 " has two threads %" PRIu32, a->team, a->num);
        leave_out(gomp, a->thread);
        leave_out(gomp, b->thread);
    }
    for (unsigned i = 0; i < gomp->n_members; i++)
        if (gomp->members[i].thread->addr != 0)
            gomp->members[kept++] = gomp->members[i];
    if (kept == gomp->n_members)
        return STATUS_OK;
    gomp->n_members = kept;
    return sort_members(gomp);
}

const struct gomp_member *
gomp_find_member(const struct gomp *gomp, taddr team, uint32_t num)
{
    unsigned first = 0, end = gomp->n_ordered;
    while (first < end) {
        unsigned middle = first + (end - first) / 2;
        const struct gomp_member *member = &gomp->members[gomp->order[middle]];
        if (member->team == team && member->num == num)
            return member;
        if (member->team < team || (member->team == team && member->num < num))
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

const struct gomp_thread *
gomp_find_thread(const struct gomp *gomp, taddr pthread)
{
    for (unsigned i = 0; i < gomp->n_threads; i++)
        if (gomp->threads[i].pthread == pthread && gomp->threads[i].addr != 0)
            return &gomp->threads[i];
    return NULL;
}

// A thread with another number is in its team when the team still has its master, of the same pool.
static enum status
follow_other(struct gomp *gomp, struct gomp_thread *thread)
{
    struct gomp_team team = {.addr = 0};
    const struct gomp_member *master = gomp_find_member(gomp, thread->place.team, 0);
    thread->idle = !master || master->thread->pool != thread->pool;
    if (thread->idle)
        return STATUS_OK;
    TRY(gomp_read_team(gomp, thread->place.team, &team));
    TRY(check_place(gomp, &thread->place, &team));
    return add_member(gomp, &thread->place, 0, thread);
}

// Finds the regions of threads with the number 0, or those of the others. A thread that makes no
// sense is left out, with the members that were made of it.
static enum status
find_regions(struct gomp *gomp, bool masters)
{
    for (unsigned i = 0; i < gomp->n_threads; i++) {
        struct gomp_thread *thread = &gomp->threads[i];
        unsigned first = gomp->n_members;
        if ((thread->place.num == 0) != masters)
            continue;
        enum status status = masters ? follow_master(gomp, thread) : follow_other(gomp, thread);
        if (status == STATUS_NOMEM)
            return status;
        if (status == STATUS_OK)
            continue;
        leave_out(gomp, thread);
        gomp->n_members = first;
    }
    return sort_members(gomp);
}

enum status
gomp_refresh(struct gomp *gomp)
{
    gomp->n_threads = 0;
    gomp->n_members = 0;
    gomp->n_ordered = 0;
    gomp->learned = false;
    gomp->implicit_task = 0;
    gomp->lacks_threads = false;
    gomp->broken = nptl_walk(&gomp->nptl, &gomp->heads, gomp->inf, take_thread, gomp);
    if (gomp->broken == STATUS_NOMEM)
        return gomp->broken;
    if (gomp->broken == STATUS_OK && gomp->n_threads == 0)
        return trail_begin(&gomp->inf->trail, STATUS_UNUSED, "the OpenMP runtime has not started");
    TRY(find_regions(gomp, true));
    TRY(find_regions(gomp, false));
    return leave_out_rivals(gomp);
}

void
gomp_deinit(struct gomp *gomp)
{
    inferior_free(gomp->inf, gomp->threads);
    inferior_free(gomp->inf, gomp->members);
    inferior_free(gomp->inf, gomp->order);
}

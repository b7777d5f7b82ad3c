// SPDX-License-Identifier: BSD-3-Clause
// Which communicators of different processes are the same one.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/jobview.h"

#include <stdlib.h>
#include <string.h>

/** What is equal in all members of a communicator. Disjoint parts of one split share the id. */
struct key {
    int64_t id, size, remote_size;
    const struct rank_run *group, *remote_group; // equal groups are the same; NULL: not known
    const char *name;                            // of one whose members are not known, likewise
    uint32_t world;
};

/** A number of processes, or a rank, that makes sense. */
static int64_t
limited(int64_t value, int64_t otherwise)
{
    return value >= 0 && value <= RANKS_MAX ? value : otherwise;
}

static struct key
key_of(const struct jv_process *process, const struct communicator *record)
{
    struct key key;
    memset(&key, 0, sizeof key); // padding too
    key.id = record->id;
    key.size = limited(record->size, 0);
    key.remote_size = HAS(record, COMM_REMOTE_SIZE) ? limited(record->remote_size, -1) : -1;
    key.world = process->world;
    if (HAS(record, COMM_GROUP) && record->group.count == key.size)
        key.group = record->group.runs;
    if (HAS(record, COMM_REMOTE_GROUP))
        key.remote_group = record->remote_group.runs;
    if (!key.group)
        key.name = record->name;
    // Each job has ranks of its own for the members of a group of several jobs.
    if (key.group && !record->inter && ranks_have_others(&record->group)) {
        key.world = 0;
        key.group = NULL;
    }
    return key;
}

static void
create_comm(struct jobview *view, const struct key *key, const struct communicator *record)
{
    *ALLOC_ADD(view->comms, view->n_comms, view->comms_capacity) = (struct jv_comm){
        .name = record->name,
        .label = record->label,
        .id = key->id,
        .size = key->size,
        .world = key->world,
        .group = key->group ? &record->group : NULL,
        .remote_group = key->remote_group ? &record->remote_group : NULL,
        .remote_size = key->remote_size,
        .inter = record->inter,
        .freed = true,
        .peers = NOBODY,
    };
}

static void
add_member(struct jobview *view, uint32_t process, const struct communicator *record)
{
    struct key key = key_of(&view->processes[process], record);
    uint32_t comm = intern_bytes(&view->keys, &key, sizeof key);
    if (comm == view->n_comms)
        create_comm(view, &key, record);
    view->comms[comm].freed &= record->freed;
    *ALLOC_ADD(view->members, view->n_members, view->members_capacity) = (struct jv_member){
        .record = record,
        .process = process,
        .comm = comm,
        .local_rank = limited(record->rank, -1),
        .has_traffic = HAS(record, COMM_TRAFFIC),
    };
}

static int
compare_members(const void *left, const void *right)
{
    const struct jv_member *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->local_rank, b->local_rank}, {a->process, b->process});
}

/** Puts the members in order, and tells the communicators which are theirs. */
static void
sort_members(struct jobview *view)
{
    for (size_t i = 0; i < view->n_comms; i++)
        view->comms[i].n_members = 0;
    if (view->n_members > 0)
        qsort(view->members, view->n_members, sizeof *view->members, compare_members);
    for (size_t i = 0; i < view->n_members; i++) {
        struct jv_comm *comm = &view->comms[view->members[i].comm];
        if (comm->n_members++ == 0)
            comm->first_member = (uint32_t) i;
        else if (view->members[i].local_rank >= 0 &&
                 view->members[i].local_rank == view->members[i - 1].local_rank &&
                 view->members[i].process != view->members[i - 1].process)
            comm->twice = true;
    }
}

int
jobview_compare_places(const void *left, const void *right)
{
    const struct jv_place *a = left, *b = right;
    return COMPARE({a->world, b->world}, {a->rank, b->rank});
}

struct jv_place *
jobview_places(const struct jobview *view)
{
    struct jv_place *places = alloc_zeroed(view->n_processes, sizeof *places);
    for (uint32_t i = 0; i < view->n_processes; i++)
        places[i] = (struct jv_place){view->processes[i].world, view->processes[i].rank, i};
    if (view->n_processes > 0)
        qsort(places, view->n_processes, sizeof *places, jobview_compare_places);
    return places;
}

/** The only process with a rank; NULL: there is none, or several say that they have it. */
static const struct jv_place *
find_only(const struct jobview *view, const struct jv_place *places, uint32_t world, int64_t rank)
{
    struct jv_place wanted = {.world = world, .rank = (int32_t) rank};
    const struct jv_place *found =
        rank < 0 || rank > INT32_MAX
            ? NULL
            : bsearch(&wanted, places, view->n_processes, sizeof wanted, jobview_compare_places);
    if (!found || (found > places && jobview_compare_places(found - 1, found) == 0) ||
        (found + 1 < places + view->n_processes && jobview_compare_places(found, found + 1) == 0))
        return NULL;
    return found;
}

/** Adds a process to a communicator that others say it is in. */
static void
add_silent_member(struct jobview *view, uint32_t comm, int64_t local_rank, uint32_t process)
{
    *ALLOC_ADD(view->members, view->n_members, view->members_capacity) =
        (struct jv_member){.process = process, .comm = comm, .local_rank = local_rank};
}

/** A process that lists no communicators, being dead, stopped before it has any or about to end, is
 * a member of those of the others all the same. */
static void
add_silent_members(struct jobview *view)
{
    struct jv_place *places = jobview_places(view);
    size_t n_before = view->n_members;
    for (uint32_t i = 0; i < view->n_comms; i++) {
        const struct jv_comm *comm = &view->comms[i];
        for (int64_t k = 0; comm->group && k < comm->size; k++) {
            int64_t rank = ranks_get(comm->group, k);
            const struct jv_place *found = !jobview_member(view, (int32_t) i, k)
                                               ? find_only(view, places, comm->world, rank)
                                               : NULL;
            if (found)
                add_silent_member(view, i, k, found->process);
        }
    }
    if (view->n_members > n_before)
        sort_members(view);
    free(places);
}

/** An intercommunicator's side, and what it has in common with the other side. */
struct side {
    bool by_groups;
    int64_t low, high; // groups, or sizes when members of other jobs are not known
    int64_t id;
    uint32_t comm;
};

static bool
is_known(const struct ranks *group)
{
    return group && ranks_get(group, 0) >= 0;
}

static struct side
side_of(const struct jobview *view, uint32_t number)
{
    const struct jv_comm *comm = &view->comms[number];
    bool by_groups = is_known(comm->group) && is_known(comm->remote_group);
    int64_t one = by_groups ? (intptr_t) comm->group->runs : comm->size;
    int64_t other = by_groups ? (intptr_t) comm->remote_group->runs : comm->remote_size;
    return (struct side){by_groups, one < other ? one : other, one < other ? other : one, comm->id,
                         number};
}

static int
compare_sides(const void *left, const void *right)
{
    const struct side *a = left, *b = right;
    return COMPARE({a->by_groups, b->by_groups}, {a->low, b->low}, {a->high, b->high},
                   {a->id, b->id}, {a->comm, b->comm});
}

static bool
are_opposite(const struct jobview *view, const struct side *a, const struct side *b)
{
    const struct jv_comm *one = &view->comms[a->comm], *other = &view->comms[b->comm];
    if (a->by_groups != b->by_groups || a->low != b->low || a->high != b->high)
        return false;
    if (a->by_groups)
        return one->group->runs == other->remote_group->runs && one->world == other->world &&
               one->group->runs != other->group->runs;
    return one->size == other->remote_size && one->world != other->world;
}

static void
pair(struct jobview *view, const struct side *a, const struct side *b)
{
    view->comms[a->comm].peers = (int32_t) b->comm;
    view->comms[b->comm].peers = (int32_t) a->comm;
}

/** Sides that are the only ones with their groups belong together, whatever their ids are. */
static void
pair_bucket(struct jobview *view, const struct side *sides, size_t count)
{
    const struct side *left[2];
    size_t n_left = 0;
    for (size_t i = 0; i < count; i++) {
        bool with_next = i + 1 < count && sides[i].id == sides[i + 1].id &&
                         are_opposite(view, &sides[i], &sides[i + 1]);
        if (with_next) {
            pair(view, &sides[i], &sides[i + 1]);
            i++;
        } else if (n_left++ < 2) {
            left[n_left - 1] = &sides[i];
        }
    }
    if (n_left == 2 && are_opposite(view, left[0], left[1]))
        pair(view, left[0], left[1]);
    else if (n_left > 1)
        jobview_unseen(view, alloc_text("which intercommunicators are two sides of one, where "
                                        "several have the same members"));
}

static void
pair_sides(struct jobview *view)
{
    struct side *sides = alloc_zeroed(view->n_comms, sizeof *sides);
    size_t count = 0;
    for (uint32_t i = 0; i < view->n_comms; i++)
        if (view->comms[i].inter)
            sides[count++] = side_of(view, i);
        else
            view->comms[i].peers = (int32_t) i;
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && sides[end].by_groups == sides[first].by_groups &&
               sides[end].low == sides[first].low && sides[end].high == sides[first].high)
            end++;
        pair_bucket(view, sides + first, end - first);
    }
    free(sides);
}

void
jobview_load_comms(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_processes; i++) {
        const struct report *report = view->processes[i].report;
        for (size_t k = 0; k < report->comms.count; k++)
            add_member(view, i, &report->comms.items[k]);
    }
    sort_members(view);
    add_silent_members(view);
    pair_sides(view);
    for (size_t i = 0; i < view->n_comms; i++)
        if (view->comms[i].twice)
            jobview_unseen(view, alloc_text("which processes belong together: several say that "
                                            "they are the same rank of the same communicator"));
}

// SPDX-License-Identifier: BSD-3-Clause
// Which communicators of different processes are the same one.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/job_index.h"

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
key_of(const struct process_entry *process, const struct communicator *record)
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
create_comm(struct job_index *job, const struct key *key, const struct communicator *record)
{
    *ALLOC_ADD(job->comms, job->n_comms, job->comms_capacity) = (struct job_comm){
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
add_member(struct job_index *job, uint32_t process, const struct communicator *record)
{
    struct key key = key_of(&job->processes[process], record);
    uint32_t comm = intern_bytes(&job->keys, &key, sizeof key);
    if (comm == job->n_comms)
        create_comm(job, &key, record);
    job->comms[comm].freed &= record->freed;
    *ALLOC_ADD(job->members, job->n_members, job->members_capacity) = (struct job_member){
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
    const struct job_member *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->local_rank, b->local_rank}, {a->process, b->process});
}

/** Puts the members in order, and tells the communicators which are theirs. */
static void
sort_members(struct job_index *job)
{
    for (size_t i = 0; i < job->n_comms; i++)
        job->comms[i].n_members = 0;
    if (job->n_members > 0)
        qsort(job->members, job->n_members, sizeof *job->members, compare_members);
    for (size_t i = 0; i < job->n_members; i++) {
        struct job_comm *comm = &job->comms[job->members[i].comm];
        if (comm->n_members++ == 0)
            comm->first_member = (uint32_t) i;
        else if (job->members[i].local_rank >= 0 &&
                 job->members[i].local_rank == job->members[i - 1].local_rank &&
                 job->members[i].process != job->members[i - 1].process)
            comm->twice = true;
    }
}

static int
compare_places(const void *left, const void *right)
{
    const struct job_place *a = left, *b = right;
    return COMPARE({a->world, b->world}, {a->rank, b->rank});
}

static void
sort_places(struct job_index *job)
{
    job->places = alloc_zeroed(job->n_processes, sizeof *job->places);
    for (uint32_t i = 0; i < job->n_processes; i++)
        job->places[i] = (struct job_place){job->processes[i].world, job->processes[i].rank, i};
    if (job->n_processes > 0)
        qsort(job->places, job->n_processes, sizeof *job->places, compare_places);
}

const struct job_place *
job_index_place(const struct job_index *job, uint32_t world, int64_t rank)
{
    const struct job_place wanted = {.world = world, .rank = (int32_t) rank};
    return rank < 0 || rank > INT32_MAX
               ? NULL
               : bsearch(&wanted, job->places, job->n_processes, sizeof wanted, compare_places);
}

/** The only process with a rank; NULL: there is none, or several say that they have it. */
static const struct job_place *
find_only(const struct job_index *job, uint32_t world, int64_t rank)
{
    const struct job_place *found = job_index_place(job, world, rank);
    const struct job_place *end = job->places + job->n_processes;
    return found && (found == job->places || compare_places(found - 1, found) != 0) &&
                   (found + 1 == end || compare_places(found, found + 1) != 0)
               ? found
               : NULL;
}

/** A process that lists no communicators, being dead, stopped before it has any or about to end, is
 * a member of those of the others all the same. */
static void
add_silent_members(struct job_index *job)
{
    size_t n_before = job->n_members;
    for (uint32_t i = 0; i < job->n_comms; i++) {
        const struct job_comm *comm = &job->comms[i];
        for (int64_t k = 0; comm->group && k < comm->size; k++) {
            int64_t rank = ranks_get(comm->group, k);
            const struct job_place *found =
                !job_index_member(job, (int32_t) i, k) ? find_only(job, comm->world, rank) : NULL;
            if (found)
                *ALLOC_ADD(job->members, job->n_members, job->members_capacity) =
                    (struct job_member){.process = found->process, .comm = i, .local_rank = k};
        }
    }
    if (job->n_members > n_before)
        sort_members(job);
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
side_of(const struct job_index *job, uint32_t number)
{
    const struct job_comm *comm = &job->comms[number];
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
are_opposite(const struct job_index *job, const struct side *a, const struct side *b)
{
    const struct job_comm *one = &job->comms[a->comm], *other = &job->comms[b->comm];
    if (a->by_groups)
        return one->group->runs == other->remote_group->runs && one->world == other->world &&
               one->group->runs != other->group->runs;
    return one->size == other->remote_size && one->world != other->world;
}

static void
pair(struct job_index *job, const struct side *a, const struct side *b)
{
    job->comms[a->comm].peers = (int32_t) b->comm;
    job->comms[b->comm].peers = (int32_t) a->comm;
}

/** Sides that are the only ones with their groups belong together, whatever their ids are. */
static void
pair_bucket(struct job_index *job, const struct side *sides, size_t count)
{
    const struct side *left[2];
    size_t n_left = 0;
    for (size_t i = 0; i < count; i++) {
        bool with_next = i + 1 < count && sides[i].id == sides[i + 1].id &&
                         are_opposite(job, &sides[i], &sides[i + 1]);
        if (with_next) {
            pair(job, &sides[i], &sides[i + 1]);
            i++;
        } else if (n_left++ < 2) {
            left[n_left - 1] = &sides[i];
        }
    }
    if (n_left == 2 && are_opposite(job, left[0], left[1]))
        pair(job, left[0], left[1]);
    else if (n_left > 1)
        job_index_unseen(job, alloc_text("which intercommunicators belong together: several have "
                                         "the same members"));
}

static void
pair_sides(struct job_index *job)
{
    struct side *sides = alloc_zeroed(job->n_comms, sizeof *sides);
    size_t count = 0;
    for (uint32_t i = 0; i < job->n_comms; i++)
        if (job->comms[i].inter)
            sides[count++] = side_of(job, i);
        else
            job->comms[i].peers = (int32_t) i;
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && sides[end].by_groups == sides[first].by_groups &&
               sides[end].low == sides[first].low && sides[end].high == sides[first].high)
            end++;
        pair_bucket(job, sides + first, end - first);
    }
    free(sides);
}

void
job_index_load_comms(struct job_index *job)
{
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct report *report = job->processes[i].report;
        for (size_t k = 0; k < report->comms.count; k++)
            add_member(job, i, &report->comms.items[k]);
    }
    sort_members(job);
    sort_places(job);
    add_silent_members(job);
    pair_sides(job);
    for (size_t i = 0; i < job->n_comms; i++)
        if (job->comms[i].twice)
            job_index_unseen(job,
                             alloc_text("which processes belong together: several are the same "
                                        "rank of the same communicator"));
}

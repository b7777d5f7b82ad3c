// SPDX-License-Identifier: BSD-3-Clause
// Which members of a communicator are in which collective call, and which are not.
//
// The call on a thread's stack names the collective; the queues tell its communicator, and what
// they name may be a part of it: an allreduce may be made of a reduce and a broadcast.
#include "mqshow/verdict/collectives.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void
add_entry(struct collectives *collectives, struct entry entry)
{
    *ALLOC_ADD(collectives->entries, collectives->n_entries, collectives->entries_capacity) = entry;
}

static uint32_t
both_sides(const struct job_index *job, uint32_t comm)
{
    int32_t peers = job->comms[comm].peers;
    return peers != NOBODY && (uint32_t) peers < comm ? (uint32_t) peers : comm;
}

/** How well a communicator of a process fits a collective call. @param address as the arguments
 * tell; 0: they do not */
static int
fitness(const struct job_index *job, const struct job_member *member, const char *name,
        uint64_t address)
{
    const struct job_comm *comm = &job->comms[member->comm];
    if (member->record && address != 0 && member->record->address == address)
        return 4;
    if (strcmp(name, "finalize") == 0)
        return comm->name && strcmp(comm->name, "MPI_COMM_WORLD") == 0 ? 3 : 0;
    if (member->record && communicator_collective(member->record, name))
        return 3;
    if (member->record && member->record->collectives.count > 0)
        return 2;
    return comm->size + (comm->inter ? comm->remote_size : 0) > 1 && !comm->freed ? 1 : 0;
}

/** The communicators of a process, as members. */
struct own {
    const struct job_member **members; // by process
    uint32_t *first;
};

static void
own_init(struct own *own, const struct job_index *job)
{
    own->members = alloc_zeroed(job->n_members, sizeof(struct job_member *));
    own->first = alloc_zeroed(job->n_processes + 2, sizeof *own->first);
    for (size_t i = 0; i < job->n_members; i++)
        own->first[job->members[i].process + 2]++;
    for (size_t i = 2; i < job->n_processes + 2; i++)
        own->first[i] += own->first[i - 1];
    for (size_t i = 0; i < job->n_members; i++)
        own->members[own->first[job->members[i].process + 1]++] = &job->members[i];
}

/** What the queues say of a collective on a communicator; NULL: nothing, or several things. */
static const struct collective_record *
find_active(const struct job_member *member, const char *name)
{
    if (!member->record)
        return NULL;
    const struct collective_record *active = communicator_collective(member->record, name);
    return active || member->record->collectives.count != 1 ? active
                                                            : &member->record->collectives.items[0];
}

/** Adds a thread that is in a call, on all communicators that fit best. */
static void
add_call(struct collectives *collectives, const struct own *own, uint32_t number,
         const struct mpi_call *call)
{
    const struct job_index *job = collectives->job;
    const char *name = call->collective;
    uint32_t process = job->threads[number].process;
    uint64_t address = job->threads[number].record->communicator;
    int best = call->compound ? 2 : 1;
    size_t fitting = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = own->first[process]; i < own->first[process + 1]; i++) {
            int fits = fitness(job, own->members[i], name, address);
            if (pass == 0) {
                fitting = fits > best ? 1 : fitting + (fits == best);
                best = fits > best ? fits : best;
            } else if (fits == best) {
                add_entry(collectives,
                          (struct entry){both_sides(job, own->members[i]->comm),
                                         (int32_t) intern_text(&collectives->kinds, name), process,
                                         (int32_t) number, find_active(own->members[i], name),
                                         fitting == 1});
            }
        }
    }
}

/** Adds what the queues tell of collectives that no thread of the process is seen in. */
static void
add_active(struct collectives *collectives, const struct own *own, uint32_t process)
{
    const struct job_index *job = collectives->job;
    for (uint32_t i = own->first[process]; i < own->first[process + 1]; i++) {
        const struct communicator *comm = own->members[i]->record;
        const struct collective_record *active =
            comm && comm->collectives.count > 0 ? &comm->collectives.items[0] : NULL;
        if (active && active->name)
            add_entry(collectives,
                      (struct entry){both_sides(job, own->members[i]->comm),
                                     (int32_t) intern_text(&collectives->kinds, active->name),
                                     process, NOBODY, active, true});
    }
}

static int
compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->kind, b->kind}, {a->process, b->process},
                   {a->thread, b->thread});
}

static void
make_items(struct collectives *collectives)
{
    const struct entry *entries = collectives->entries;
    for (size_t first = 0, end; first < collectives->n_entries; first = end) {
        end = first + 1;
        while (end < collectives->n_entries && entries[end].comm == entries[first].comm &&
               entries[end].kind == entries[first].kind)
            end++;
        *ALLOC_ADD(collectives->items, collectives->count, collectives->capacity) =
            (struct collective){entries[first].comm,
                                entries[first].kind,
                                (uint32_t) first,
                                (uint32_t) (end - first),
                                0,
                                0};
    }
}

void
collectives_init(struct collectives *collectives, const struct job_index *job,
                 const struct thread_activity *activities)
{
    struct own own;
    *collectives = (struct collectives){.job = job};
    own_init(&own, job);
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct process_entry *process = &job->processes[i];
        size_t before = collectives->n_entries;
        for (uint32_t k = 0; k < process->n_threads; k++)
            if (activities[process->first_thread + k].doing == DOING_COLLECTIVE)
                add_call(collectives, &own, process->first_thread + k,
                         activities[process->first_thread + k].call);
        if (collectives->n_entries == before)
            add_active(collectives, &own, i);
    }
    if (collectives->n_entries > 0)
        qsort(collectives->entries, collectives->n_entries, sizeof(struct entry), compare);
    make_items(collectives);
    free(own.members);
    free(own.first);
}

void
collectives_deinit(struct collectives *collectives)
{
    free(collectives->entries);
    free(collectives->items);
    intern_deinit(&collectives->kinds);
}

const char *
collectives_name(const struct collectives *collectives, const struct collective *item)
{
    return intern_get_text(&collectives->kinds, (uint32_t) item->kind);
}

const struct collective *
collectives_of_comm(const struct collectives *collectives, const struct collective *item)
{
    while (item > collectives->items && item[-1].comm == item->comm)
        item--;
    return item;
}

static int
compare_processes(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return COMPARE({a->process, b->process});
}

/** The first entry of a process in a collective; NULL: it is not in it. */
static const struct entry *
entry_of(const struct collectives *collectives, const struct collective *item, uint32_t process)
{
    const struct entry key = {.process = process}, *entries = &collectives->entries[item->first];
    size_t at = search_first(&key, entries, item->count, sizeof key, compare_processes);
    return at < item->count && entries[at].process == process ? &entries[at] : NULL;
}

char *
collectives_call(const struct collectives *collectives, const struct collective *item)
{
    char *call = alloc_format("MPI_%s", collectives_name(collectives, item));
    call[strlen("MPI_")] = (char) toupper((unsigned char) call[strlen("MPI_")]);
    return call;
}

bool
collectives_is_certain(const struct collectives *collectives, const struct collective *item)
{
    for (uint32_t i = item->first; i < item->first + item->count; i++)
        if (collectives->entries[i].certain)
            return true;
    return false;
}

uint32_t *
collectives_processes(const struct collectives *collectives, const struct collective *item,
                      size_t *ret_count)
{
    uint32_t *processes = alloc_zeroed(item->count, sizeof *processes);
    *ret_count = 0;
    for (uint32_t i = item->first; i < item->first + item->count; i++)
        if (i == item->first ||
            collectives->entries[i].process != collectives->entries[i - 1].process)
            processes[(*ret_count)++] = collectives->entries[i].process;
    return processes;
}

bool
collectives_has_calls(const struct collectives *collectives, const struct collective *item)
{
    for (size_t i = item->first; i < item->first + item->count; i++)
        if (collectives->entries[i].thread != NOBODY)
            return true;
    return false;
}

/** Whether a process may be in this collective though the queues give it another name. */
static bool
may_be_in(const struct collectives *collectives, const struct collective *item, uint32_t process,
          bool by_call)
{
    const struct collective *other = collectives_of_comm(collectives, item);
    const struct collective *end = collectives->items + collectives->count;
    for (; other < end && other->comm == item->comm; other++) {
        const struct entry *entry = entry_of(collectives, other, process);
        if (entry && (other == item || entry->thread == NOBODY || !by_call))
            return true;
    }
    return false;
}

/** The communicator whose ranks peers of a process are: the other side of an intercommunicator. */
static int32_t
peers_of(const struct job_index *job, const struct entry *entry)
{
    const struct job_comm *comm = &job->comms[entry->comm];
    if (!comm->inter)
        return (int32_t) entry->comm;
    for (uint32_t i = comm->first_member; i < comm->first_member + comm->n_members; i++)
        if (job->members[i].process == entry->process)
            return comm->peers;
    return (int32_t) entry->comm;
}

size_t
collectives_awaited(const struct collectives *collectives, const struct entry *entry, uint32_t *ret,
                    size_t max)
{
    const struct job_index *job = collectives->job;
    int32_t comm = peers_of(job, entry);
    size_t count = 0;
    for (size_t i = 0; entry->active && i < entry->active->peers.count; i++) {
        const struct job_member *member =
            job_index_member(job, comm, entry->active->peers.items[i]);
        if (!member || count == max)
            return 0; // somebody who is not known
        ret[count++] = member->process;
    }
    return count;
}

bool
collectives_is_one_sided(const struct collectives *collectives, const struct collective *item)
{
    return mpi_call_is_one_sided(collectives_name(collectives, item));
}

/** The processes that those in a collective wait for by their queues, as a flag for each process,
 * to free(); NULL: that is not known of all of them, or all wait for all. Where it is known, others
 * that are not in the collective may have left it. */
static bool *
find_awaited(const struct collectives *collectives, const struct collective *item)
{
    if (!collectives_is_one_sided(collectives, item))
        return NULL;
    bool *flags = alloc_zeroed(collectives->job->n_processes, sizeof *flags);
    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        uint32_t awaited[AWAITED_MAX];
        size_t count =
            collectives_awaited(collectives, &collectives->entries[i], awaited, AWAITED_MAX);
        if (count == 0) {
            free(flags);
            return NULL;
        }
        for (size_t k = 0; k < count; k++)
            flags[awaited[k]] = true;
    }
    return flags;
}

bool
collectives_knows_awaited(const struct collectives *collectives, const struct collective *item)
{
    bool *awaited = find_awaited(collectives, item);
    free(awaited);
    return awaited != NULL;
}

bool
collectives_is_sure(const struct collectives *collectives, const struct collective *item)
{
    return !collectives_is_one_sided(collectives, item) ||
           collectives_knows_awaited(collectives, item);
}

/** The communicators of a collective: of an intercommunicator both sides, as far as they are known.
 * @return their number */
static size_t
sides_of(const struct collectives *collectives, const struct collective *item,
         const struct job_comm *ret[2])
{
    const struct job_comm *comms = collectives->job->comms;
    int32_t peers = comms[item->comm].peers;
    bool both = peers != NOBODY && (uint32_t) peers != item->comm;
    ret[0] = &comms[item->comm];
    ret[1] = both ? &comms[peers] : NULL;
    return both ? 2 : 1;
}

size_t
collectives_members(const struct collectives *collectives, const struct collective *item)
{
    const struct job_comm *sides[2];
    size_t n_sides = sides_of(collectives, item, sides);
    return sides[0]->n_members + (n_sides > 1 ? sides[1]->n_members : 0);
}

bool
collectives_has_all(const struct collectives *collectives, const struct collective *item)
{
    const struct job_comm *sides[2];
    bool by_call = collectives_has_calls(collectives, item), all = true;
    for (size_t n = sides_of(collectives, item, sides); n-- > 0;)
        for (uint32_t i = 0; i < sides[n]->n_members; i++)
            all = all &&
                  may_be_in(collectives, item,
                            collectives->job->members[sides[n]->first_member + i].process, by_call);
    return all;
}

uint32_t *
collectives_missing(const struct collectives *collectives, const struct collective *item,
                    size_t *ret_count)
{
    const struct job_index *job = collectives->job;
    const struct job_comm *sides[2];
    size_t n_sides = sides_of(collectives, item, sides);
    bool by_call = collectives_has_calls(collectives, item);
    bool *awaited = find_awaited(collectives, item);
    bool is_last = strcmp(collectives_name(collectives, item), "finalize") == 0;
    uint32_t *ret = alloc_zeroed(collectives_members(collectives, item), sizeof *ret);
    *ret_count = 0;
    for (size_t n = 0; n < n_sides; n++)
        for (uint32_t i = 0; i < sides[n]->n_members; i++) {
            uint32_t process = job->members[sides[n]->first_member + i].process;
            bool was_in = is_last && job->processes[process].phase == mqs_phase_finalized;
            if (!was_in && !may_be_in(collectives, item, process, by_call) &&
                (!awaited || awaited[process]))
                ret[(*ret_count)++] = process;
        }
    free(awaited);
    return ret;
}

int64_t
collectives_not_seen(const struct collectives *collectives, const struct collective *item)
{
    const struct job_index *job = collectives->job;
    int32_t peers = job->comms[item->comm].peers;
    int64_t count = job_index_not_seen(job, item->comm);
    if (peers == NOBODY)
        count += job->comms[item->comm].remote_size > 0 ? job->comms[item->comm].remote_size : 1;
    else if ((uint32_t) peers != item->comm)
        count += job_index_not_seen(job, (uint32_t) peers);
    return count;
}

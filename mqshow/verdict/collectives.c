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
add_call(struct collectives *collectives, uint32_t number, const struct mpi_call *call)
{
    const struct job_index *job = collectives->job;
    const struct by_key *own = &job->of_process;
    const char *name = call->collective;
    uint32_t process = job->threads[number].process;
    // One that works by itself may be the last in the call, and the others gone.
    bool is_known = !call->compound || thread_communicates(&job->threads[number]);
    uint64_t address = is_known ? job->threads[number].record->communicator : 0;
    int best = call->compound ? 2 : 1;
    size_t fitting = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = own->first[process]; i < own->first[process + 1]; i++) {
            const struct job_member *member = &job->members[own->items[i]];
            int fits = fitness(job, member, name, address);
            if (pass == 0) {
                fitting = fits > best ? 1 : fitting + (fits == best);
                best = fits > best ? fits : best;
            } else if (fits == best) {
                add_entry(collectives,
                          (struct entry){both_sides(job, member->comm),
                                         (int32_t) intern_text(&collectives->kinds, name), process,
                                         (int32_t) number, find_active(member, name),
                                         fitting == 1});
            }
        }
    }
}

/** Adds what the queues tell of collectives that no thread of the process is seen in. */
static void
add_active(struct collectives *collectives, uint32_t process)
{
    const struct job_index *job = collectives->job;
    const struct by_key *own = &job->of_process;
    for (uint32_t i = own->first[process]; i < own->first[process + 1]; i++) {
        const struct job_member *member = &job->members[own->items[i]];
        const struct communicator *comm = member->record;
        const struct collective_record *active =
            comm && comm->collectives.count > 0 ? &comm->collectives.items[0] : NULL;
        if (active && active->name)
            add_entry(collectives,
                      (struct entry){both_sides(job, member->comm),
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

static int
compare_processes(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return COMPARE({a->process, b->process});
}

const struct entry *
collectives_entry(const struct collectives *collectives, const struct collective *item,
                  uint32_t process)
{
    const struct entry key = {.process = process}, *entries = &collectives->entries[item->first];
    size_t at = search_first(&key, entries, item->count, sizeof key, compare_processes);
    return at < item->count && entries[at].process == process ? &entries[at] : NULL;
}

/** Whether a process may be in this collective though the queues give it another name. */
static bool
may_be_in(const struct collectives *collectives, const struct collective *item, uint32_t process)
{
    const struct collective *other = collectives_of_comm(collectives, item);
    const struct collective *end = collectives->items + collectives->count;
    for (; other < end && other->comm == item->comm; other++) {
        const struct entry *entry = collectives_entry(collectives, other, process);
        if (entry && (other == item || entry->thread == NOBODY || !item->has_calls))
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
collectives_awaited(const struct collectives *collectives, const struct entry *entry, uint32_t *ret)
{
    const struct job_index *job = collectives->job;
    int32_t comm = peers_of(job, entry);
    size_t count = 0;
    for (size_t i = 0; entry->active && i < entry->active->peers.count; i++) {
        const struct job_member *member =
            job_index_member(job, comm, entry->active->peers.items[i]);
        if (!member || count == AWAITED_MAX)
            return 0; // somebody who is not known
        ret[count++] = member->process;
    }
    return count;
}

/** The processes that those in a collective wait for by their queues, as a flag for each process,
 * to free(); NULL: that is not known of all of them, or all wait for all. Where it is known, others
 * that are not in the collective may have left it. */
static bool *
find_awaited(const struct collectives *collectives, const struct collective *item)
{
    if (!item->one_sided)
        return NULL;
    bool *flags = alloc_zeroed(collectives->job->n_processes, sizeof *flags);
    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        uint32_t awaited[AWAITED_MAX];
        size_t count = collectives_awaited(collectives, &collectives->entries[i], awaited);
        if (count == 0) {
            free(flags);
            return NULL;
        }
        for (size_t k = 0; k < count; k++)
            flags[awaited[k]] = true;
    }
    return flags;
}

/** Finds those who are in a collective, after the entries are in order. */
static void
find_those_in(const struct collectives *collectives, struct collective *item)
{
    item->in = collectives->in + item->first;
    item->one_sided = mpi_call_is_one_sided(item->name);
    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        const struct entry *entry = &collectives->entries[i];
        item->certain |= entry->certain;
        item->has_calls |= entry->thread != NOBODY;
        if (item->n_in == 0 || item->in[item->n_in - 1] != entry->process)
            item->in[item->n_in++] = entry->process;
    }
}

/** Finds those who are not in a collective, after find_those_in(). */
static void
find_missing(const struct collectives *collectives, struct collective *item)
{
    const struct job_index *job = collectives->job;
    const struct job_comm *comm = &job->comms[item->comm], *sides[] = {comm, NULL};
    item->not_seen = job_index_not_seen(comm);
    item->n_members = comm->n_members;
    if (comm->peers == NOBODY) {
        item->not_seen += comm->remote_size > 0 ? comm->remote_size : 1;
    } else if ((uint32_t) comm->peers != item->comm) {
        sides[1] = &job->comms[comm->peers];
        item->not_seen += job_index_not_seen(sides[1]);
        item->n_members += sides[1]->n_members;
    }
    bool *awaited = find_awaited(collectives, item);
    bool is_last = strcmp(item->name, "finalize") == 0;
    item->sure = !item->one_sided || awaited;
    item->has_all = true;
    item->missing = alloc_zeroed(item->n_members, sizeof *item->missing);
    for (size_t n = 0; n < 2 && sides[n]; n++)
        for (uint32_t i = 0; i < sides[n]->n_members; i++) {
            uint32_t process = job->members[sides[n]->first_member + i].process;
            bool was_in = is_last && job->processes[process].phase == mqs_phase_finalized;
            if (may_be_in(collectives, item, process))
                continue;
            item->has_all = false;
            if (!was_in && (!awaited || awaited[process]))
                item->missing[item->n_missing++] = process;
        }
    free(awaited);
}

static int
compare_kinds(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->kind, b->kind});
}

/** Makes the collectives of the entries, which are in order. */
static void
make_items(struct collectives *collectives)
{
    const struct entry *entries = collectives->entries;
    for (size_t first = 0, end; first < collectives->n_entries; first = end) {
        end = search_end(entries, collectives->n_entries, sizeof *entries, first, compare_kinds);
        *ALLOC_ADD(collectives->items, collectives->count, collectives->capacity) =
            (struct collective){
                .name = intern_get_text(&collectives->kinds, (uint32_t) entries[first].kind),
                .comm = entries[first].comm,
                .kind = entries[first].kind,
                .first = (uint32_t) first,
                .count = (uint32_t) (end - first),
            };
    }
    collectives->in = alloc_zeroed(collectives->n_entries, sizeof *collectives->in);
    for (size_t i = 0; i < collectives->count; i++)
        find_those_in(collectives, &collectives->items[i]);
    for (size_t i = 0; i < collectives->count; i++)
        find_missing(collectives, &collectives->items[i]);
}

void
collectives_init(struct collectives *collectives, const struct job_index *job,
                 const struct thread_activity *activities)
{
    *collectives = (struct collectives){.job = job};
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct process_entry *process = &job->processes[i];
        size_t before = collectives->n_entries;
        for (uint32_t k = 0; k < process->n_threads; k++)
            if (activities[process->first_thread + k].doing == DOING_COLLECTIVE)
                add_call(collectives, process->first_thread + k,
                         activities[process->first_thread + k].call);
        if (collectives->n_entries == before)
            add_active(collectives, i);
    }
    if (collectives->n_entries > 0)
        qsort(collectives->entries, collectives->n_entries, sizeof(struct entry), compare);
    make_items(collectives);
}

void
collectives_deinit(struct collectives *collectives)
{
    for (size_t i = 0; i < collectives->count; i++)
        free(collectives->items[i].missing);
    free(collectives->in);
    free(collectives->entries);
    free(collectives->items);
    intern_deinit(&collectives->kinds);
}

const struct collective *
collectives_of_comm(const struct collectives *collectives, const struct collective *item)
{
    while (item > collectives->items && item[-1].comm == item->comm)
        item--;
    return item;
}

bool
collective_lacks_members(const struct collective *item)
{
    return item->certain && (item->n_missing > 0 || item->not_seen > 0);
}

void
collective_add_call(struct strbuf *words, const struct collective *item)
{
    strbuf_add(words, "MPI_%s", item->name);
    char *first = words->text + words->length - strlen(item->name);
    *first = (char) toupper((unsigned char) *first);
}

// SPDX-License-Identifier: BSD-3-Clause
// Whether messages are on their way between two processes.
#include "mqshow/verdict/traffic.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>

static int
compare_channels(const void *left, const void *right)
{
    const struct channel *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->to, b->to}, {a->from, b->from});
}

static void
add_channel(struct channels *channels, struct channel channel)
{
    *ALLOC_ADD(channels->items, channels->count, channels->capacity) = channel;
}

/** Adds what a process has counted: what it sent, to the peers' side, and what it received. */
static void
add_counts(struct channels *channels, const struct job_member *member,
           const struct job_place *places)
{
    const struct job_index *job = channels->job;
    int32_t peers = job->comms[member->comm].peers;
    for (size_t i = 0; member->record && i < member->record->traffic.count; i++) {
        const struct peer_traffic *entry = &member->record->traffic.items[i];
        struct job_place wanted = {job->comms[member->comm].world,
                                   entry->rank >= 0 ? entry->rank : NOBODY, 0};
        const struct job_place *found =
            bsearch(&wanted, places, job->n_processes, sizeof *places, job_index_compare_places);
        if (!found || wanted.rank == NOBODY || peers == NOBODY)
            continue;
        add_channel(channels, (struct channel){(uint32_t) peers, found->process, member->process,
                                               entry->sent % TRAFFIC_MODULO, 0});
        add_channel(channels, (struct channel){member->comm, member->process, found->process, 0,
                                               entry->received % TRAFFIC_MODULO});
    }
}

/** Puts what the two ends have counted together. */
static void
join(struct channels *channels)
{
    size_t kept = 0;
    if (channels->count > 0)
        qsort(channels->items, channels->count, sizeof *channels->items, compare_channels);
    for (size_t i = 0; i < channels->count; i++) {
        struct channel *item = &channels->items[i];
        if (kept > 0 && compare_channels(&channels->items[kept - 1], item) == 0) {
            channels->items[kept - 1].sent += item->sent;
            channels->items[kept - 1].received += item->received;
        } else {
            channels->items[kept++] = *item;
        }
    }
    channels->count = kept;
}

void
channels_init(struct channels *channels, const struct job_index *job)
{
    *channels = (struct channels){.job = job};
    struct job_place *places = job_index_places(job);
    channels->whole = alloc_zeroed(job->n_comms, sizeof *channels->whole);
    for (uint32_t i = 0; i < job->n_comms; i++)
        channels->whole[i] = job_index_not_seen(&job->comms[i]) == 0;
    for (size_t i = 0; i < job->n_members; i++) {
        channels->whole[job->members[i].comm] &= job->members[i].has_traffic;
        add_counts(channels, &job->members[i], places);
    }
    join(channels);
    free(places);
}

void
channels_deinit(struct channels *channels)
{
    free(channels->items);
    free(channels->whole);
}

/** The numbers are far from each other only when the one that counts less was read earlier. */
static enum traffic
judge(const struct channel *channel)
{
    int64_t ahead = (channel->sent - channel->received) % TRAFFIC_MODULO;
    if (ahead < 0)
        ahead += TRAFFIC_MODULO;
    if (ahead == 0)
        return TRAFFIC_NONE;
    return ahead < TRAFFIC_MODULO / 2 ? TRAFFIC_MOVING : TRAFFIC_AHEAD;
}

static size_t
find(const struct channels *channels, const struct channel *wanted)
{
    return search_first(wanted, channels->items, channels->count, sizeof *wanted, compare_channels);
}

static enum traffic
ask_any(const struct channels *channels, uint32_t comm, uint32_t to)
{
    int32_t peers = channels->job->comms[comm].peers;
    size_t i = find(channels, &(struct channel){.comm = comm, .to = to});
    for (; i < channels->count && channels->items[i].comm == comm && channels->items[i].to == to;
         i++)
        if (judge(&channels->items[i]) != TRAFFIC_NONE)
            return TRAFFIC_MOVING;
    bool known = channels->whole[comm] && peers != NOBODY && channels->whole[peers];
    return known ? TRAFFIC_NONE : TRAFFIC_UNKNOWN;
}

enum traffic
channels_ask(const struct channels *channels, const struct job_member *to,
             const struct job_member *from)
{
    if (!from)
        return ask_any(channels, to->comm, to->process);
    if (!to->has_traffic || !from->has_traffic)
        return TRAFFIC_UNKNOWN;
    struct channel wanted = {.comm = to->comm, .to = to->process, .from = from->process};
    size_t i = find(channels, &wanted);
    bool found = i < channels->count && compare_channels(&channels->items[i], &wanted) == 0;
    return found ? judge(&channels->items[i]) : TRAFFIC_NONE;
}

// SPDX-License-Identifier: BSD-3-Clause
// The nonblocking collectives of a process that are not complete.
#include "mqs/nonblocking.h"

static bool
is_same(const struct nonblocking_item *item, const struct nonblocking *found)
{
    if (item->comm != found->comm || item->sequence != found->sequence)
        return false;
    return found->sequence != NO_SEQUENCE || (item->request == 0 && found->request == 0);
}

// What was found last is the most probable one: a search from the end.
static struct nonblocking_item *
find(struct nonblocking_table *table, const struct nonblocking *found)
{
    for (uint32_t i = table->count; i-- > 0;)
        if (is_same(&table->items[i], found))
            return &table->items[i];
    if (table->count == NONBLOCKING_MAX) {
        table->is_part = true;
        return NULL;
    }
    struct nonblocking_item *item = &table->items[table->count++];
    *item = (struct nonblocking_item){.comm = found->comm, .sequence = found->sequence};
    return item;
}

static bool
has_peer(const struct nonblocking_item *item, int64_t peer)
{
    for (uint32_t i = 0; i < item->n_peers && i < MQS_NBC_PEERS_MAX; ++i)
        if (item->peers[i] == peer)
            return true;
    return false;
}

void
nonblocking_add(struct nonblocking_table *table, const struct nonblocking *found)
{
    struct nonblocking_item *item = find(table, found);

    if (item == NULL)
        return;
    item->persistent |= found->persistent;
    if (found->request != 0)
        item->request = found->request;
    else
        item->has_other |= !found->unmatched;
    // A message from or to nobody knows whom: what is known is a part.
    if (found->peer < 0 && found->request == 0)
        item->n_peers = MQS_NBC_PEERS_MAX + 1;
    if (found->peer < 0 || found->peer > INT32_MAX || has_peer(item, found->peer) ||
        item->n_peers > MQS_NBC_PEERS_MAX)
        return;
    if (item->n_peers < MQS_NBC_PEERS_MAX)
        item->peers[item->n_peers] = (int32_t) found->peer;
    ++item->n_peers;
}

/** The only item of a communicator that has a request or, if not `of_request`, messages, and not
 * the other; NULL: there is none, or several. */
static struct nonblocking_item *
find_only(struct nonblocking_table *table, uint32_t comm, bool of_request)
{
    struct nonblocking_item *only = NULL;

    for (uint32_t i = 0; i < table->count; ++i) {
        struct nonblocking_item *item = &table->items[i];
        const bool has_one = (item->request != 0) != (item->sequence != NO_SEQUENCE);
        if (item->comm != comm || !has_one || (item->request != 0) != of_request)
            continue;
        if (only != NULL)
            return NULL;
        only = item;
    }
    return only;
}

void
nonblocking_pair(struct nonblocking_table *table)
{
    for (uint32_t i = 0; i < table->count && !table->is_part; ++i) {
        struct nonblocking_item *request = find_only(table, table->items[i].comm, true);
        struct nonblocking_item *messages = find_only(table, table->items[i].comm, false);
        if (request == NULL || messages == NULL)
            continue;
        messages->request = request->request;
        messages->persistent = request->persistent;
        *request = table->items[--table->count];
    }
}

static void
describe(const struct nonblocking_item *item, mqs_nonblocking_collective *ret)
{
    *ret = (mqs_nonblocking_collective){
        .request = item->request, .sequence = item->sequence, .persistent = item->persistent};
    ret->known = (item->request != 0 ? (uint32_t) MQS_NBC_REQUEST | MQS_NBC_PERSISTENT : 0) |
                 (item->sequence != NO_SEQUENCE ? (uint32_t) MQS_NBC_SEQUENCE : 0);
    if (item->n_peers == 0 || item->n_peers > MQS_NBC_PEERS_MAX)
        return;
    ret->known |= (uint32_t) MQS_NBC_PEERS | MQS_NBC_UNMATCHED;
    ret->unmatched = !item->has_other;
    ret->n_peers = (int) item->n_peers;
    for (uint32_t i = 0; i < item->n_peers; ++i)
        ret->peers[i] = item->peers[i];
}

enum status
nonblocking_get(const struct nonblocking_table *table, uint32_t comm, int index,
                mqs_nonblocking_collective *ret)
{
    for (uint32_t i = 0; i < table->count; ++i)
        if (table->items[i].comm == comm && index-- == 0) {
            describe(&table->items[i], ret);
            return STATUS_OK;
        }
    return table->is_part ? STATUS_UNSUPPORTED : STATUS_END;
}

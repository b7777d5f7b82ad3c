// SPDX-License-Identifier: BSD-3-Clause
// Collects the items of a chained list, each once, however damaged it is.
#include "mpi-impl-adapters/mpich/search.h"

#include "target/walk.h"

enum { CHAIN_MORE = 4096 }; // items more than there are requests, made since these were counted

uint32_t
chain_limit(const struct search *search)
{
    return search->requests.count + CHAIN_MORE;
}

// Items of a chain that goes round, without the repetitions: the last one has been seen before, and
// how long ago is how long the round is.
static uint32_t
count_different(const struct addrs *items)
{
    const uint32_t last = items->count - 1;
    uint32_t round = 1, lead = 0;

    while (round <= last && items->at[last - round] != items->at[last])
        ++round;
    if (round > last)
        return items->count;
    while (items->at[lead] != items->at[lead + round])
        ++lead;
    return lead + round;
}

enum status
chain_collect(struct search *search, taddr head, uint32_t link, struct addrs *ret)
{
    enum status status;
    struct walk walk;
    taddr item;

    walk_terminated(&walk, search->mpi->inf, head, link, chain_limit(search));
    while ((status = walk_next(&walk, &item)) == STATUS_OK)
        TRY(addrs_add(search->arena, ret, item));
    if (status == STATUS_CORRUPT && ret->count > 0)
        ret->count = count_different(ret);
    return status == STATUS_END ? STATUS_OK : status;
}

enum status
chain_emit(struct search *search, enum op_class class, taddr head, uint32_t link,
           chain_item_ft emit_item)
{
    struct addrs items = {0};

    const enum status broken = chain_collect(search, head, link, &items);
    if (broken == STATUS_NOMEM)
        return broken;
    TRY(search_report(search, class, broken));
    for (uint32_t i = 0; i < items.count; ++i)
        TRY(emit_item(search, class, items.at[i], i));
    search->unseen |= broken != STATUS_OK && class == OP_RECEIVE;
    return STATUS_OK;
}

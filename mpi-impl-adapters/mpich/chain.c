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

static taddr
read_link(const struct search *search, taddr item, int32_t link)
{
    taddr ret;

    return inferior_read_pointer(search->mpi->inf, item + (taddr) link, &ret) == STATUS_OK ? ret
                                                                                           : 0;
}

// Whether an item's link back is to the one before, the first one's to the last one. While an item
// is appended the first one's is to the last but one; while one is taken out, the link of the one
// behind it, which is the first one behind the last one, is to it yet.
static bool
links_back(const struct search *search, const struct addrs *items, uint32_t i, int32_t back)
{
    const uint32_t last = items->count - 1;
    const taddr link = read_link(search, items->at[i], back);
    const taddr before = items->at[i > 0 ? i - 1 : last];

    return link == before || (i == 0 && last > 0 && link == items->at[last - 1]) ||
           (i == 1 && link == items->at[last]) ||
           (link != 0 && read_link(search, link, back) == before);
}

// Links that are read where they are not lead elsewhere than those back. What links back is an item
// of the list, the first one in any case.
static enum status
check_back(const struct search *search, struct addrs *items, int32_t back)
{
    const uint32_t count = items->count;
    uint32_t linked = 0;

    while (linked < count && links_back(search, items, linked, back))
        ++linked;
    trail_reset(&search->mpi->inf->trail);
    if (linked == count)
        return STATUS_OK;
    items->count = linked > 0 ? linked : 1;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                       "the links of the list of %#llx do not agree with those back",
                       (unsigned long long) items->at[0]);
}

enum status
chain_emit(struct search *search, enum op_class class, taddr head, uint32_t link, int32_t back,
           chain_item_ft emit_item)
{
    struct addrs items = {0};

    enum status broken = chain_collect(search, head, link, &items);
    if (broken == STATUS_NOMEM)
        return broken;
    if (broken == STATUS_OK && back >= 0)
        broken = check_back(search, &items, back);
    // By the links back the first one leads to the last one, and the second one to the first one.
    if (broken == STATUS_CORRUPT && back == HIDDEN_LINK && items.count > 1 &&
        read_link(search, items.at[items.count - 1], (int32_t) link) == items.at[0])
        items.count = 1;
    TRY(search_report(search, class, broken));
    for (uint32_t i = 0; i < items.count; ++i)
        TRY(emit_item(search, class, items.at[i], i));
    search->unseen |= broken != STATUS_OK && class == OP_RECEIVE;
    return STATUS_OK;
}

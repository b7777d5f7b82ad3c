// SPDX-License-Identifier: BSD-3-Clause
// What the library's own support for debuggers (--enable-debuginfo) notes of requests.
//
// Up to 4.0 it notes peer and tag of sends, later those of all operations and their buffers. The
// lists are chained from the newest on.
#include "mpi-impl-adapters/mpich/search.h"

struct list {
    const char *head;
    unsigned number; // of the struct of its entries
    unsigned link;   // field
    enum op_class class;
};

static void
decode(const struct view *view, struct debug_entry *ret, taddr *ret_request)
{
    if (view->number == S(MPIR_Sendq)) {
        *ret_request = view_uint(view, F(MPIR_Sendq, sreq));
        ret->peer = view_int(view, F(MPIR_Sendq, rank));
        ret->tag = view_int(view, F(MPIR_Sendq, tag));
        ret->context = (uint32_t) view_uint(view, F(MPIR_Sendq, context_id));
        ret->count = -1;
        return;
    }
    *ret_request = view_uint(view, F(MPIR_Debugq, req));
    ret->peer = request_source(view->layout, view_int(view, F(MPIR_Debugq, rank)));
    ret->tag = request_tag(view->layout, view_int(view, F(MPIR_Debugq, tag)));
    ret->context = (uint32_t) view_uint(view, F(MPIR_Debugq, context_id));
    ret->buffer = view_uint(view, F(MPIR_Debugq, buf));
    ret->count = view_int(view, F(MPIR_Debugq, count));
}

static enum status
find_items(struct search *search, const struct list *list, struct addrs *ret)
{
    const struct mpi *mpi = search->mpi;
    taddr symbol, head;

    TRY(inferior_symbol(mpi->inf, list->head, &symbol));
    TRY(inferior_read_pointer(mpi->inf, symbol, &head));
    return chain_collect(search, head, (uint32_t) mpi->layout->fields[list->link].offset, ret);
}

// From 4.1 on sends are noted with the context that their communicator receives in, too.
static void
set_context(const struct search *search, const struct list *list, struct debug_entry *entry)
{
    uint32_t comm;

    if (list->class == OP_SEND && list->number == S(MPIR_Debugq) &&
        search_by_context(search, entry->context, &comm))
        entry->context = search->contexts[comm].send;
}

static enum status
load_list(struct search *search, const struct list *list)
{
    struct addrs items = {0};
    struct view view;

    const enum status broken = find_items(search, list, &items);
    if (broken == STATUS_NOMEM)
        return broken;
    struct debug_entry *notes =
        arena_alloc(search->arena, search->noted.key.count + items.count + 1, sizeof(*notes));
    if (notes == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < search->noted.key.count; ++i)
        notes[i] = search->notes[i];
    search->notes = notes;
    for (uint32_t i = 0; i < items.count; ++i) {
        struct debug_entry *entry = &notes[search->noted.key.count];
        taddr request;
        TRY(view_load(search->mpi->inf, search->mpi->layout, list->number, items.at[i], &view));
        decode(&view, entry, &request);
        set_context(search, list, entry);
        entry->order = items.count - i;
        TRY(map_add(search, &search->noted, request, search->noted.key.count));
    }
    return broken;
}

// What is noted helps, but is not needed: without it peers of sends may be unknown.
enum status
debug_load(struct search *search)
{
    const struct layout *layout = search->mpi->layout;
    const bool later = layout->structs[S(MPIR_Debugq)].origin != ORIGIN_NONE;
    const struct list sends = {"MPIR_Sendq_head", later ? S(MPIR_Debugq) : S(MPIR_Sendq),
                               later ? F(MPIR_Debugq, next) : F(MPIR_Sendq, next), OP_SEND};
    const struct list receives = {"MPIR_Recvq_head", S(MPIR_Debugq), F(MPIR_Debugq, next),
                                  OP_RECEIVE};

    if (!search->debugger || layout->structs[sends.number].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(search_report(search, OP_SEND, load_list(search, &sends)));
    if (later)
        TRY(search_report(search, OP_RECEIVE, load_list(search, &receives)));
    return map_seal(search, &search->noted);
}

bool
debug_comm(const struct search *search, const struct debug_entry *entry, enum op_class class,
           taddr *ret)
{
    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        const struct contexts *contexts = &search->contexts[i];
        if (entry->context != (class == OP_SEND ? contexts->send : contexts->receive))
            continue;
        *ret = search->sink->comms[i].addr;
        return true;
    }
    return false;
}

const struct debug_entry *
debug_find(const struct search *search, taddr request)
{
    taddr place;

    return map_find(&search->noted, request, &place) ? &search->notes[place] : NULL;
}

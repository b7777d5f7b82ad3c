// SPDX-License-Identifier: BSD-3-Clause
// What a provider has of tagged messages: receives that are not matched, messages that nobody has
// received.
#include "mpi-impl-adapters/ofi/layout.h"

/** Kinds of packet: with the whole message, a part of it, the envelope. */
enum { PACKET_SEGMENT = 1, PACKET_RENDEZVOUS = 2, SEGMENT_KINDS = 3, SEGMENT_FIRST = 1 };

enum status
ofi_receive_load(const struct ofi *ofi, taddr addr, struct ofi_receive *ret)
{
    struct view view;

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_receive), addr, &view));
    *ret = (struct ofi_receive){
        .addr = addr,
        .address = view_uint(&view, F(ofi_receive, address)),
        .tag = view_uint(&view, F(ofi_receive, tag)),
        .ignore = view_uint(&view, F(ofi_receive, ignore)),
        .context = view_uint(&view, F(ofi_receive, context)),
        .buffer = view_uint(&view, F(ofi_receive, buffer)),
        .bytes = view_uint(&view, F(ofi_receive, length)),
    };
    return STATUS_OK;
}

/** A list: its items lead to the item before them, too, so that none comes twice. */
struct list {
    taddr head;
    taddr before; // the item before `at`
    taddr at;
    taddr link; // bytes from the start of an item to its links
};

static enum status
list_begin(const struct ofi *ofi, unsigned first, unsigned next, struct list *ret)
{
    struct view queue;

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_queue), ofi->queue, &queue));
    ret->head = ret->before = view_addr(&queue, first);
    ret->at = view_uint(&queue, first);
    ret->link = (taddr) ofi->layout.fields[next].offset;
    return STATUS_OK;
}

static enum status
list_advance(const struct ofi *ofi, const struct view *item, unsigned next, unsigned previous,
             struct list *list)
{
    if (view_uint(item, previous) != list->before)
        return trail_begin(&ofi->inf->trail, STATUS_CORRUPT, "libfabric's list is broken at %#llx",
                           (unsigned long long) list->at);
    list->before = list->at;
    list->at = view_uint(item, next);
    return STATUS_OK;
}

enum status
ofi_each_receive(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_receive *receive),
                 void *context)
{
    struct ofi_receive receive;
    struct list list;
    struct view item;

    TRY(list_begin(ofi, F(ofi_queue, receives), F(ofi_receive, next), &list));
    while (list.at != list.head) {
        const taddr addr = list.at - list.link;
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_receive), addr, &item));
        TRY(list_advance(ofi, &item, F(ofi_receive, next), F(ofi_receive, previous), &list));
        TRY(ofi_receive_load(ofi, addr, &receive));
        TRY(visit(context, &receive));
    }
    return STATUS_OK;
}

static enum status
load_header(const struct ofi *ofi, const struct view *message, struct view *ret)
{
    const taddr addr = view_addr(message, F(ofi_message, header));

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_header), addr, ret));
    if (view_uint(ret, F(ofi_header, tag)) == view_uint(message, F(ofi_message, tag)))
        return STATUS_OK;
    return trail_begin(&ofi->inf->trail, STATUS_CORRUPT,
                       "libfabric's message at %#llx: its header has another tag",
                       (unsigned long long) message->addr);
}

// A message in parts is in the list once for each.
static bool
is_further_part(const struct view *header)
{
    return view_uint(header, F(ofi_header, packet)) == PACKET_SEGMENT &&
           (view_uint(header, F(ofi_header, segment)) & SEGMENT_KINDS) != SEGMENT_FIRST;
}

static struct ofi_message
decode_message(const struct view *message, const struct view *header)
{
    return (struct ofi_message){
        .addr = message->addr,
        .address = view_uint(message, F(ofi_message, address)),
        .tag = view_uint(message, F(ofi_message, tag)),
        .data = view_uint(header, F(ofi_header, data)),
        .bytes = view_uint(header, F(ofi_header, size)),
        .rendezvous = view_uint(header, F(ofi_header, packet)) == PACKET_RENDEZVOUS,
    };
}

enum status
ofi_each_message(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_message *message),
                 void *context)
{
    struct view item, header;
    struct list list;

    TRY(list_begin(ofi, F(ofi_queue, messages), F(ofi_message, next), &list));
    while (list.at != list.head) {
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_message), list.at - list.link, &item));
        TRY(list_advance(ofi, &item, F(ofi_message, next), F(ofi_message, previous), &list));
        TRY(load_header(ofi, &item, &header));
        if (is_further_part(&header))
            continue;
        const struct ofi_message message = decode_message(&item, &header);
        TRY(visit(context, &message));
    }
    return STATUS_OK;
}

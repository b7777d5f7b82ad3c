// SPDX-License-Identifier: BSD-3-Clause
// What a provider has of tagged messages: receives that are not matched, messages that nobody has
// received.
#include "mpi-impl-adapters/ofi/layout.h"

/** Kinds of packet: with the whole message, a part of it, the envelope. */
enum { PACKET_SEGMENT = 1, PACKET_RENDEZVOUS = 2, SEGMENT_KINDS = 3, SEGMENT_FIRST = 1 };

/** Kinds of frame, and the flag of one that has a word of the sender's. */
enum { FRAME_TAGGED = 1, FRAME_ANNOUNCED = 5, FRAME_HAS_DATA = 1 };

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
        .matched = view_uint(&view, F(ofi_receive, busy)) != 0,
    };
    if (view_has(&view, F(ofi_receive, n_pieces)) &&
        view_uint(&view, F(ofi_receive, n_pieces)) == 0)
        ret->buffer = ret->bytes = 0;
    if (!view_has(&view, F(ofi_receive, number)))
        return STATUS_OK;
    // They begin with 0.
    ret->number = view_uint(&view, F(ofi_receive, number)) + 1;
    if (!view_has(&view, F(ofi_receive, pieces)))
        return STATUS_OK;
    return inferior_read_pointer(ofi->inf, view_uint(&view, F(ofi_receive, pieces)), &ret->buffer);
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

static bool
is_tagged(const struct view *item, unsigned tagged)
{
    return !view_has(item, tagged) || view_uint(item, tagged) != 0;
}

static enum status
each_receive(const struct ofi *ofi,
             enum status (*visit)(void *context, const struct ofi_receive *receive), void *context)
{
    struct ofi_receive receive;
    struct list list;
    struct view item;

    TRY(list_begin(ofi, F(ofi_queue, receives), F(ofi_receive, next), &list));
    while (list.at != list.head) {
        const taddr addr = list.at - list.link;
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_receive), addr, &item));
        TRY(list_advance(ofi, &item, F(ofi_receive, next), F(ofi_receive, previous), &list));
        if (!is_tagged(&item, F(ofi_receive, tagged)))
            continue;
        TRY(ofi_receive_load(ofi, addr, &receive));
        TRY(visit(context, &receive));
    }
    return STATUS_OK;
}

static enum status
other_tag(const struct ofi *ofi, taddr addr)
{
    return trail_begin(&ofi->inf->trail, STATUS_CORRUPT,
                       "libfabric's message at %#llx: its header has another tag",
                       (unsigned long long) addr);
}

static enum status
load_header(const struct ofi *ofi, const struct view *message, struct view *ret)
{
    taddr addr = view_addr(message, F(ofi_message, header));
    struct view packet;

    if (view_has(message, F(ofi_message, packet))) {
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_packet),
                      view_uint(message, F(ofi_message, packet)), &packet));
        addr = view_addr(&packet, F(ofi_packet, header));
    }
    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_header), addr, ret));
    if (view_uint(ret, F(ofi_header, tag)) == view_uint(message, F(ofi_message, tag)))
        return STATUS_OK;
    return other_tag(ofi, message->addr);
}

// A message in parts is in the list once for each.
static bool
is_further_part(const struct view *header)
{
    return view_uint(header, F(ofi_header, packet)) == PACKET_SEGMENT &&
           (view_uint(header, F(ofi_header, segment)) & SEGMENT_KINDS) != SEGMENT_FIRST;
}

// What the provider has beside the message's header.
static struct ofi_message
decode_message(const struct view *message)
{
    return (struct ofi_message){
        .addr = message->addr,
        .tag = view_uint(message, F(ofi_message, tag)),
        .data = view_uint(message, F(ofi_message, data)),
        .bytes = view_uint(message, F(ofi_message, size)),
    };
}

static enum status
odd_header(const struct ofi *ofi, taddr addr)
{
    return trail_begin(&ofi->inf->trail, STATUS_CORRUPT,
                       "libfabric's message at %#llx: its header is none of a tagged message",
                       (unsigned long long) addr);
}

enum status
ofi_frame_decode(const struct ofi *ofi, taddr frame, struct ofi_message *ret)
{
    const struct datamodel *model = &ofi->inf->model;
    const taddr before = (taddr) ofi->layout.fields[F(ofi_frame, words)].offset;
    struct view view;
    uint64_t words[3];

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_frame), frame, &view));
    const uint8_t *bytes = view_bytes(&view, F(ofi_frame, words));
    for (unsigned i = 0; i < 3; ++i)
        words[i] = datamodel_uint(model, bytes + i * sizeof(*words), sizeof(*words));
    const uint64_t kind = view_uint(&view, F(ofi_frame, kind));
    const uint64_t header = view_uint(&view, F(ofi_frame, header));
    const uint64_t size = view_uint(&view, F(ofi_frame, size));
    const unsigned tag = (view_uint(&view, F(ofi_frame, flags)) & FRAME_HAS_DATA) != 0;
    ret->rendezvous = kind == FRAME_ANNOUNCED;
    const unsigned last = tag + ret->rendezvous;
    if ((kind != FRAME_TAGGED && kind != FRAME_ANNOUNCED) || size < header ||
        header != before + (last + 1) * sizeof(*words))
        return odd_header(ofi, ret->addr);
    ret->data = tag > 0 ? words[0] : 0;
    ret->tag = words[tag];
    ret->bytes = ret->rendezvous ? words[last] : size - header;
    return STATUS_OK;
}

static enum status
decode_framed(const struct ofi *ofi, const struct view *item, struct ofi_message *ret)
{
    const uint64_t tag = ret->tag;

    TRY(ofi_frame_decode(ofi, view_addr(item, F(ofi_message, frame)), ret));
    return ret->tag == tag ? STATUS_OK : other_tag(ofi, ret->addr);
}

enum status
ofi_message_decode(const struct ofi *ofi, const struct view *item, struct ofi_message *ret)
{
    struct view header;

    if (!is_tagged(item, F(ofi_message, tagged)) || view_uint(item, F(ofi_message, claimed)) != 0 ||
        view_uint(item, F(ofi_message, claimer)) != 0)
        return STATUS_ABSENT;
    *ret = decode_message(item);
    if (view_has(item, F(ofi_message, frame)))
        return decode_framed(ofi, item, ret);
    if (!view_has(item, F(ofi_message, header)) && !view_has(item, F(ofi_message, packet)))
        return STATUS_OK;
    TRY(load_header(ofi, item, &header));
    ret->data = view_uint(&header, F(ofi_header, data));
    ret->bytes = view_uint(&header, F(ofi_header, size));
    ret->rendezvous = view_uint(&header, F(ofi_header, packet)) == PACKET_RENDEZVOUS;
    return is_further_part(&header) ? STATUS_ABSENT : STATUS_OK;
}

static enum status
each_message(const struct ofi *ofi,
             enum status (*visit)(void *context, const struct ofi_message *message), void *context)
{
    struct ofi_message message;
    struct list list;
    struct view item;

    TRY(list_begin(ofi, F(ofi_queue, messages), F(ofi_message, next), &list));
    while (list.at != list.head) {
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_message), list.at - list.link, &item));
        TRY(list_advance(ofi, &item, F(ofi_message, next), F(ofi_message, previous), &list));
        const enum status status = ofi_message_decode(ofi, &item, &message);
        if (status == STATUS_ABSENT)
            continue;
        TRY(status);
        TRY(visit(context, &message));
    }
    return STATUS_OK;
}

const struct ofi_kind ofi_kind_queue = {S(ofi_queue), ofi_confirm_queue, each_receive,
                                        each_message};

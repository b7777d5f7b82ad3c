// SPDX-License-Identifier: BSD-3-Clause
// Device ch3: its lists of posted receives and of messages that nobody has received, and what it
// keeps in a request.
#include "mpi-impl-adapters/mpich/search.h"

enum {
    TAG_BITS = 0x1fffffff, // the bits above are for errors
    MESSAGE_RENDEZVOUS = 2,
    MESSAGE_SELF = 3,
    MESSAGE_TYPES = 3, // bits of the state
    REQUEST_TYPE = 4,  // place of the type of request in the state
    REQUEST_TYPES = 15,
};

static const uint8_t send_kinds[] = {
    [1] = OP_KIND_SEND, [2] = OP_KIND_RSEND, [3] = OP_KIND_SSEND, [4] = OP_KIND_BSEND};

struct match {
    int64_t tag;
    int64_t rank;
    uint32_t context;
};

static enum status
load_match(const struct mpi *mpi, taddr addr, struct match *ret)
{
    const struct layout *layout = mpi->layout;
    struct view view;
    uint64_t context;

    TRY(view_load(mpi->inf, layout, S(MPIDI_Message_match_parts_t), addr, &view));
    const unsigned wide = F(MPIDI_Message_match_parts_t, rank_32);
    const unsigned rank = view_has(&view, wide) ? wide : F(MPIDI_Message_match_parts_t, rank_16);
    if (!view_has(&view, rank))
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the place of the rank in MPIDI_Message_match_parts_t is not known");
    // A context id may have fewer bytes here than in a communicator.
    const unsigned place = F(MPIDI_Message_match_parts_t, context_id);
    const unsigned room =
        view.layout->structs[view.number].size - (unsigned) layout->fields[place].offset;
    const unsigned width = room < 4 ? 2 : mpich_context_width(layout);
    TRY(inferior_read_uint(mpi->inf, view_addr(&view, place), width, &context));
    ret->tag = view_int(&view, F(MPIDI_Message_match_parts_t, tag));
    ret->rank = view_int(&view, rank);
    ret->context = (uint32_t) context;
    return STATUS_OK;
}

static void
decode_send(const struct view *dev, struct op_ref *ref)
{
    const uint64_t type = view_uint(dev, F(MPIDI_Request, state)) >> REQUEST_TYPE & REQUEST_TYPES;

    ref->spare = OP_KIND_SEND;
    if (type == 0 || type >= sizeof(send_kinds))
        return;
    ref->spare = send_kinds[type];
    ref->flags |= REF_KIND;
}

enum status
ch3_decode(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct match match, mask;
    struct view dev;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Request), request->dev, &dev));
    TRY(load_match(mpi, view_addr(&dev, F(MPIDI_Request, match)), &match));
    TRY(load_match(mpi, view_addr(&dev, F(MPIDI_Request, mask)), &mask));
    ret->comm = request->comm;
    ret->has_context = true;
    ret->context = match.context;
    ret->ref.peer = (int32_t) match.rank;
    ret->ref.tag = (int32_t) match.tag & TAG_BITS;
    ret->ref.buffer = view_uint(&dev, F(MPIDI_Request, user_buf));
    ret->ref.count = view_uint(&dev, F(MPIDI_Request, user_count));
    ret->ref.datatype = view_uint(&dev, F(MPIDI_Request, datatype));
    ret->ref.flags |= REF_PEER | REF_TAG | REF_COUNT;
    if (ret->ref.class == OP_SEND) {
        decode_send(&dev, &ret->ref);
        return STATUS_OK;
    }
    ret->ref.flags |= REF_KIND;
    if (mask.rank == 0)
        ret->ref.peer = MPICH_ANY_SOURCE;
    if (mask.tag == 0)
        ret->ref.tag = MPICH_ANY_TAG;
    return STATUS_OK;
}

// A message to this process itself is as long as its send says.
static void
measure_self(struct search *search, taddr send, struct op_ref *ref)
{
    const struct mpi *mpi = search->mpi;
    struct request request;
    struct view dev;

    ref->flags = (uint8_t) (ref->flags & ~REF_BYTES);
    ref->buffer = 0;
    if (send == 0 || mpich_request_load(mpi, search->release, send, &request) != STATUS_OK ||
        view_load(mpi->inf, mpi->layout, S(MPIDI_Request), request.dev, &dev) != STATUS_OK)
        return;
    ref->count = view_uint(&dev, F(MPIDI_Request, user_count));
    ref->datatype = view_uint(&dev, F(MPIDI_Request, datatype));
    ref->flags |= REF_COUNT;
}

enum status
ch3_decode_message(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct match match;
    struct view dev;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Request), request->dev, &dev));
    TRY(load_match(mpi, view_addr(&dev, F(MPIDI_Request, match)), &match));
    const uint64_t type = view_uint(&dev, F(MPIDI_Request, state)) & MESSAGE_TYPES;
    ret->has_context = true;
    ret->context = match.context;
    ret->ref.peer = (int32_t) match.rank;
    ret->ref.tag = (int32_t) match.tag & TAG_BITS;
    ret->ref.buffer = view_uint(&dev, F(MPIDI_Request, tmpbuf));
    ret->ref.count = view_uint(&dev, F(MPIDI_Request, recv_data_sz));
    ret->ref.spare = OP_KIND_MESSAGE;
    ret->ref.flags = REF_PEER | REF_TAG | REF_BYTES | REF_KIND |
                     (type == MESSAGE_RENDEZVOUS ? REF_RENDEZVOUS : 0);
    if (type == MESSAGE_SELF)
        measure_self(search, view_uint(&dev, F(MPIDI_Request, partner_request)), &ret->ref);
    return STATUS_OK;
}

// A receive matches a context whole, and source and tag whole or not at all.
static enum status
check_mask(struct search *search, const struct request *request)
{
    const struct mpi *mpi = search->mpi;
    struct match mask;
    struct view dev;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Request), request->dev, &dev));
    TRY(load_match(mpi, view_addr(&dev, F(MPIDI_Request, mask)), &mask));
    const bool whole = mask.context == UINT16_MAX || mask.context == UINT32_MAX;
    return whole && (mask.rank == 0 || mask.rank == -1) && (mask.tag == 0 || mask.tag == -1)
               ? STATUS_OK
               : search_refute(search, request->addr, "matches a part of the envelope");
}

// The status of a message has its envelope and, unless it is of this process itself, its length.
static enum status
check_outcome(struct search *search, const struct request *request, const struct found *found)
{
    struct outcome outcome;

    TRY(request_outcome(search->mpi, request, &outcome));
    return outcome.source == found->ref.peer && (outcome.tag & TAG_BITS) == found->ref.tag &&
                   (!(found->ref.flags & REF_BYTES) || outcome.bytes == found->ref.count)
               ? STATUS_OK
               : search_refute(search, request->addr, "has another envelope in its status");
}

// What is in a list says of itself in several places what it is.
static enum status
check_listed(struct search *search, const struct request *request, const struct found *found)
{
    const bool message = found->ref.class == OP_UNEXPECTED;

    if (request->kind != REQUEST_RECEIVE)
        return search_refute(search, request->addr, "is neither a receive nor a message");
    if (message != (request->comm == 0))
        return search_refute(search, request->addr,
                             message ? "is a receive among the messages"
                                     : "is a message among the receives");
    if (message)
        return check_outcome(search, request, found);
    if (search_is_elsewhere(search, request->comm, found->context))
        return search_refute(search, request->addr,
                             "receives in another context than its communicator");
    return check_mask(search, request);
}

static enum status
emit_item(struct search *search, enum op_class class, taddr item, uint32_t order)
{
    struct request request;
    struct found found = {.ref = {.addr = item, .order = order, .class = (uint8_t) class},
                          .pending = true};
    taddr persistent;

    TRY(addrs_add(search->arena, &search->seen, item));
    TRY(mpich_request_load(search->mpi, search->release, item, &request));
    TRY(class == OP_UNEXPECTED ? ch3_decode_message(search, &request, &found)
                               : ch3_decode(search, &request, &found));
    TRY(check_listed(search, &request, &found));
    if (map_find(&search->persistent, item, &persistent))
        found.ref.flags |= REF_PERSISTENT;
    return search_emit(search, &found);
}

// The static variable, or what the support for debuggers exports of it.
static enum status
list_head(const struct mpi *mpi, const char *symbol, const char *pointer, taddr *ret)
{
    taddr addr;

    if (inferior_symbol(mpi->inf, symbol, &addr) != STATUS_OK) {
        TRY(inferior_symbol(mpi->inf, pointer, &addr));
        TRY(inferior_read_pointer(mpi->inf, addr, &addr));
    }
    return inferior_read_pointer(mpi->inf, addr, ret);
}

static bool
is_stripped(const struct mpi *mpi)
{
    return !inferior_has_name(mpi->inf, "recvq_posted_head") &&
           !inferior_has_name(mpi->inf, "MPID_Recvq_posted_head_ptr");
}

// Where the link is in a request: up to 3.4 in the device's part. -1: not known
static int32_t
link_of(const struct layout *layout)
{
    const int32_t own = layout->fields[F(MPIR_Request, next)].offset;
    const int32_t device = layout->fields[F(MPIDI_Request, next)].offset;

    return own >= 0 || device < 0 ? own : layout->fields[F(MPIR_Request, dev)].offset + device;
}

static enum status
emit_list(struct search *search, enum op_class class, const char *symbol, const char *pointer,
          uint32_t link)
{
    taddr head;

    TRY(list_head(search->mpi, symbol, pointer, &head));
    return chain_emit(search, class, head, link, NO_LINK, emit_item);
}

// Of both lists, or of none.
static enum status
emit_found(struct search *search, uint32_t link)
{
    struct ch3_heads heads;

    TRY(ch3_find_heads(search, link, &heads));
    TRY(chain_emit(search, OP_RECEIVE, heads.posted, link, NO_LINK, emit_item));
    return chain_emit(search, OP_UNEXPECTED, heads.unexpected, link, NO_LINK, emit_item);
}

static enum status
report_list(struct search *search, enum op_class class, enum status status)
{
    search->unseen |= status != STATUS_OK && class == OP_RECEIVE;
    return search_report(search, class, status);
}

enum status
ch3_lists(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    const int32_t link = link_of(mpi->layout);
    enum status status;

    if (link < 0 || is_stripped(mpi)) {
        status = link < 0
                     ? trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "MPIR_Request has no next")
                     : emit_found(search, (uint32_t) link);
        TRY(report_list(search, OP_RECEIVE, status));
    } else {
        TRY(report_list(search, OP_RECEIVE,
                        emit_list(search, OP_RECEIVE, "recvq_posted_head",
                                  "MPID_Recvq_posted_head_ptr", (uint32_t) link)));
        status = emit_list(search, OP_UNEXPECTED, "recvq_unexpected_head",
                           "MPID_Recvq_unexpected_head_ptr", (uint32_t) link);
    }
    TRY(report_list(search, OP_UNEXPECTED, status));
    return addrs_sort(search->arena, &search->seen);
}

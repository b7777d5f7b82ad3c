// SPDX-License-Identifier: BSD-3-Clause
// What device ch4 keeps itself: active messages' lists, communicators of one process, persistent
// and partitioned requests.
#include "mpi-impl-adapters/mpich/ch4.h"

#include "target/walk.h"

enum {
    SOURCE_PLACE = 0, // in u.recv, in ints
    CONTEXT_PLACE = 1,
    TAG_PLACE = 2,
};

static const uint8_t kind_of_persistent[] = {OP_KIND_RECEIVE, OP_KIND_SEND, OP_KIND_BSEND,
                                             OP_KIND_SSEND};

enum { N_PERSISTENT_KINDS = sizeof(kind_of_persistent) / sizeof(kind_of_persistent[0]) };

taddr
ch4_part(const struct request *request)
{
    return request->dev + (taddr) request->view.layout->fields[F(MPIDI_Devreq_t, ch4)].offset;
}

// From 4.3 on the status has source and tag already while a request waits.
static enum status
decode_later_envelope(const struct mpi *mpi, const struct request *request, taddr u,
                      struct found *ret)
{
    struct outcome outcome;
    uint64_t context;

    TRY(request_outcome(mpi, request, &outcome));
    ret->ref.peer = request_source(mpi->layout, outcome.source);
    ret->ref.tag = request_tag(mpi->layout, outcome.tag);
    TRY(inferior_read_uint(mpi->inf, u, mpich_context_width(mpi->layout), &context));
    ret->context = (uint32_t) context;
    ret->has_context = true;
    ret->ref.flags |= REF_PEER | REF_TAG;
    return STATUS_OK;
}

enum status
am_decode_envelope(const struct search *search, const struct request *request, taddr u,
                   struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    const unsigned width = mpi->inf->model.int_size;
    uint64_t source, context, tag;

    if (search->release >= RELEASE_4_3)
        return decode_later_envelope(mpi, request, u, ret);
    TRY(inferior_read_uint(mpi->inf, u + SOURCE_PLACE * width, width, &source));
    TRY(inferior_read_uint(mpi->inf, u + CONTEXT_PLACE * width, mpich_context_width(mpi->layout),
                           &context));
    TRY(inferior_read_uint(mpi->inf, u + TAG_PLACE * width, width, &tag));
    ret->ref.peer = (int32_t) source;
    ret->ref.tag = (int32_t) tag;
    ret->context = (uint32_t) context;
    ret->has_context = true;
    ret->ref.flags |= REF_PEER | REF_TAG;
    return STATUS_OK;
}

bool
am_is_early(const struct layout *layout)
{
    return layout->fields[F(MPIDIG_req_t, rank)].offset >= 0;
}

static enum status
decode_active(const struct search *search, const struct request *request, const struct view *am,
              struct found *ret)
{
    uint64_t context;

    if (!am_is_early(am->layout))
        return view_has(am, F(MPIDIG_req_t, u))
                   ? am_decode_envelope(search, request, view_addr(am, F(MPIDIG_req_t, u)), ret)
                   : trail_begin(&search->mpi->inf->trail, STATUS_MISMATCH,
                                 "the place of the envelope in MPIDIG_req_t is not known");
    ret->ref.peer = (int32_t) view_int(am, F(MPIDIG_req_t, rank));
    ret->ref.tag = (int32_t) view_int(am, F(MPIDIG_req_t, tag));
    TRY(inferior_read_uint(search->mpi->inf, view_addr(am, F(MPIDIG_req_t, context_id)),
                           mpich_context_width(am->layout), &context));
    ret->context = (uint32_t) context;
    ret->has_context = true;
    ret->ref.flags |= REF_PEER | REF_TAG;
    return STATUS_OK;
}

void
am_decode_data(const struct view *am, struct found *ret)
{
    ret->ref.buffer = view_uint(am, F(MPIDIG_req_t, buffer));
    ret->ref.count = view_uint(am, F(MPIDIG_req_t, count));
    ret->ref.datatype = view_uint(am, F(MPIDIG_req_t, datatype));
}

enum status
am_decode(const struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view am;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_req_t), ch4_part(request), &am));
    TRY(decode_active(search, request, &am, ret));
    am_decode_data(&am, ret);
    ret->extension = view_uint(&am, F(MPIDIG_req_t, req));
    return STATUS_OK;
}

// MPICH takes a message as bytes until a receive says what they are. From 4.3 on their number is in
// the status too.
static const char *
refutes_message(const struct search *search, const struct request *request,
                const struct found *found)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t datatype = (uint32_t) found->ref.datatype;
    struct outcome outcome;
    uint64_t size;

    if (request->comm != 0)
        return "is a receive among the messages";
    if (handle_place(datatype) != HANDLE_BUILTIN ||
        mpich_datatype_size(mpi, datatype, &size) != STATUS_OK || size != 1)
        return "is a message, and not of bytes";
    if (search->release >= RELEASE_4_3 &&
        (request_outcome(mpi, request, &outcome) != STATUS_OK || outcome.bytes != found->ref.count))
        return "is a message of two lengths";
    return NULL;
}

// Receives have a communicator, up to 4.1 nearly all.
static const char *
refutes_receive(const struct search *search, const struct request *request,
                const struct found *found)
{
    if (request->comm == 0)
        return search->release >= RELEASE_4_2 ? "is a message among the receives" : NULL;
    return search_is_elsewhere(search, request->comm, found->context)
               ? "receives in another context than its communicator"
               : NULL;
}

// What is in a list says of itself in several places what it is. Up to 3.4 it says less, and what
// Intel MPI does with messages is not known.
static enum status
check_listed(struct search *search, const struct request *request, const struct found *found)
{
    const struct layout *layout = search->mpi->layout;
    const char *why = NULL;

    if (request->kind != REQUEST_RECEIVE)
        why = "is in a list of receives or messages, and is neither";
    else if (!mpich_standard_abi(layout) && handle_kind(found->ref.datatype) != HANDLE_DATATYPE)
        why = "has no datatype";
    else if (found->extension != 0 && found->ref.buffer == found->extension)
        why = "has memory of the library's as its buffer";
    else if (!am_is_early(layout))
        why = (found->ref.class == OP_UNEXPECTED ? refutes_message
                                                 : refutes_receive)(search, request, found);
    return why == NULL ? STATUS_OK : search_refute(search, request->addr, why);
}

static enum status
load_listed(struct search *search, enum op_class class, taddr item, struct request *request,
            struct found *ret)
{
    *ret = (struct found){.ref = {.addr = item, .class = (uint8_t) class}, .pending = true};
    TRY(mpich_request_load(search->mpi, search->release, item, request));
    TRY(am_decode(search, request, ret));
    return check_listed(search, request, ret);
}

// Receives from any source are in the network's queue as well: there they have a place between
// those from other nodes, and here between those from this one, which two are of different sources.
static void
place_receive(struct search *search, const struct request *request, struct found *ret)
{
    const struct debug_entry *entry = debug_find(search, request->addr);

    if (entry != NULL && search->device == DEVICE_OFI) {
        ret->ref.order = entry->order;
        return;
    }
    if (ret->ref.order == 0)
        search->place = 0;
    ch4_find_place(search, request, &search->place);
    ret->ref.major = search->place;
}

enum status
am_emit(struct search *search, enum op_class class, taddr item, uint32_t order)
{
    struct request request;
    struct found found;
    taddr persistent;

    TRY(addrs_add(search->arena, &search->seen, item));
    TRY(load_listed(search, class, item, &request, &found));
    found.ref.order = order;
    // Of a message MPICH has the bytes only.
    const uint8_t size = class == OP_UNEXPECTED ? REF_BYTES : REF_COUNT;
    found.ref.flags |= REF_KIND | size;
    if (map_find(&search->persistent, item, &persistent))
        found.ref.flags |= REF_PERSISTENT;
    if (class == OP_RECEIVE)
        place_receive(search, &request, &found);
    found.ref.spare = class == OP_UNEXPECTED ? OP_KIND_MESSAGE : OP_KIND_RECEIVE;
    return search_emit(search, &found);
}

// Before any of a list is shown: what is wrong with all of them shows in the first ones.
static enum status
check_first(struct search *search, enum op_class class, taddr head)
{
    enum { FIRST = 64 };
    const int32_t link = search->mpi->layout->fields[F(MPIR_Request, next)].offset;
    enum status status = STATUS_OK;
    struct request request;
    struct found found;
    struct walk walk;
    taddr item;

    walk_terminated(&walk, search->mpi->inf, head, (uint32_t) link, FIRST);
    for (unsigned i = 0; i < FIRST && !search->refuted; ++i) {
        if (walk_next(&walk, &item) != STATUS_OK)
            break;
        status = load_listed(search, class, item, &request, &found);
    }
    if (search->refuted)
        return status;
    trail_reset(&search->mpi->inf->trail);
    return STATUS_OK;
}

static enum status
emit_list(struct search *search, enum op_class class, taddr head)
{
    const struct field_layout *fields = search->mpi->layout->fields;

    return chain_emit(search, class, head, (uint32_t) fields[F(MPIR_Request, next)].offset,
                      fields[F(MPIR_Request, prev)].offset, am_emit);
}

static enum status
emit_vci(struct search *search, taddr addr)
{
    struct view vci;

    TRY(view_load(search->mpi->inf, search->mpi->layout, S(MPIDI_per_vci_t), addr, &vci));
    const taddr posted = view_uint(&vci, F(MPIDI_per_vci_t, posted_list));
    const taddr messages = view_uint(&vci, F(MPIDI_per_vci_t, unexp_list));
    enum status status = check_first(search, OP_UNEXPECTED, messages);
    if (status == STATUS_OK)
        status = check_first(search, OP_RECEIVE, posted);
    const bool refuted = status != STATUS_OK;
    if (!refuted)
        status = emit_list(search, OP_RECEIVE, posted);
    if (status != STATUS_OK)
        search->unseen = true;
    TRY(search_report(search, OP_RECEIVE, status));
    return refuted ? status : emit_list(search, OP_UNEXPECTED, messages);
}

// Without these lists nobody knows which receives are posted.
static enum status
report_lists(struct search *search, enum status status)
{
    if (status != STATUS_OK)
        search->unseen = true;
    TRY(search_report(search, OP_RECEIVE, status));
    return search_report(search, OP_UNEXPECTED, status);
}

static enum status
emit_vcis(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    const struct layout *layout = mpi->layout;
    const taddr stride = layout->structs[S(MPIDI_per_vci_t)].size;
    uint32_t count;
    taddr addr;

    if (layout->fields[F(MPIR_Request, next)].offset < 0)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of the lists of active messages is not known");
    TRY(inferior_symbol(mpi->inf, "MPIDI_global", &addr));
    TRY(report_lists(search, ch4_count_vcis(mpi, &count)));
    addr += (taddr) layout->fields[F(MPIDI_CH4_Global_t, per_vci)].offset;
    for (uint32_t i = 0; i < count; ++i) {
        const enum status status = emit_vci(search, addr + i * stride);
        if (status != STATUS_OK && count > 1)
            trail_prepend(&mpi->inf->trail, status, "virtual interface %u", i);
        TRY(search_report(search, OP_UNEXPECTED, status));
    }
    return STATUS_OK;
}

enum status
am_lists(struct search *search)
{
    const enum status status =
        am_is_early(search->mpi->layout) ? early_lists(search) : emit_vcis(search);

    TRY(report_lists(search, status));
    return addrs_sort(search->arena, &search->seen);
}

bool
am_is_self(const struct search *search, const struct request *request)
{
    uint32_t comm;

    // Up to 3.4 these were like all others.
    return !am_is_early(search->mpi->layout) && request->comm != 0 &&
           search_by_addr(search, request->comm, &comm) && search->sink->comms[comm].size == 1 &&
           !search->sink->comms[comm].inter;
}

enum status
am_decode_self(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view self;

    if (mpi->layout->structs[S(MPIDI_self_request_t)].origin == ORIGIN_NONE)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of operations within one process is not known");
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_self_request_t), ch4_part(request), &self));
    ret->comm = request->comm;
    ret->has_context = true;
    ret->context = (uint32_t) view_uint(&self, F(MPIDI_self_request_t, context_id));
    ret->ref.tag = request_tag(mpi->layout, view_int(&self, F(MPIDI_self_request_t, tag)));
    ret->ref.buffer = view_uint(&self, F(MPIDI_self_request_t, buf));
    ret->ref.count = view_uint(&self, F(MPIDI_self_request_t, count));
    ret->ref.datatype = view_uint(&self, F(MPIDI_self_request_t, datatype));
    // A receive does not say whether it is from any source.
    if (request->kind == REQUEST_RECEIVE)
        ret->ref.flags |= REF_TAG | REF_COUNT | REF_KIND;
    else
        ret->ref.flags |= REF_TAG | REF_COUNT | REF_PEER;
    return STATUS_OK;
}

enum status
am_decode_persistent(const struct search *search, taddr addr, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct request request;
    struct view view;

    TRY(mpich_request_load(mpi, search->release, addr, &request));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_prequest_t), ch4_part(&request), &view));
    const uint64_t type = view_uint(&view, F(MPIDI_prequest_t, p_type));
    const int32_t peer = request_source(mpi->layout, view_int(&view, F(MPIDI_prequest_t, rank)));
    const int32_t tag = request_tag(mpi->layout, view_int(&view, F(MPIDI_prequest_t, tag)));
    // What waits asks for the same.
    if (ret->ref.stage == STAGE_POSTED && ((ret->ref.flags & REF_PEER && ret->ref.peer != peer) ||
                                           (ret->ref.flags & REF_TAG && ret->ref.tag != tag)))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "the persistent request at %#llx asks for rank %d, tag %d",
                           (unsigned long long) addr, (int) peer, (int) tag);
    ret->comm = request.comm;
    ret->ref.peer = peer;
    ret->ref.tag = tag;
    ret->ref.buffer = view_uint(&view, F(MPIDI_prequest_t, buffer));
    ret->ref.count = view_uint(&view, F(MPIDI_prequest_t, count));
    ret->ref.datatype = view_uint(&view, F(MPIDI_prequest_t, datatype));
    ret->ref.flags = (uint8_t) (ret->ref.flags & ~(REF_BYTES | REF_UCX));
    ret->ref.flags |= REF_PEER | REF_TAG | REF_COUNT;
    if (type >= N_PERSISTENT_KINDS)
        return STATUS_OK;
    ret->ref.spare = kind_of_persistent[type];
    ret->ref.flags |= REF_KIND;
    return STATUS_OK;
}

enum status
am_decode_part(const struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    const bool receive = request->kind == REQUEST_PART_RECEIVE;
    struct view view;
    uint32_t comm;
    uint64_t dest;
    bool started;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_part_request_t), ch4_part(request), &view));
    const taddr u = view_addr(&view, F(MPIDI_part_request_t, u));
    TRY(am_decode_envelope(search, request, u, ret));
    if (!receive) {
        // Only the process it goes to is there.
        TRY(inferior_read_uint(mpi->inf, u, mpi->inf->model.int_size, &dest));
        ret->ref.peer = (int32_t) dest;
        ret->ref.flags = (uint8_t) (ret->ref.flags & ~REF_TAG);
        if (!search_by_addr(search, request->comm, &comm) ||
            !search_is_peer(search, comm, ret->ref.peer))
            ret->ref.flags = (uint8_t) (ret->ref.flags & ~REF_PEER);
    }
    ret->comm = request->comm;
    ret->has_context = receive;
    ret->ref.buffer = view_uint(&view, F(MPIDI_part_request_t, buffer));
    // Each partition has as many.
    if (__builtin_mul_overflow(view_uint(&view, F(MPIDI_part_request_t, count)),
                               request_partitions(request, &started), &ret->ref.count))
        return STATUS_ABSENT;
    ret->ref.datatype = view_uint(&view, F(MPIDI_part_request_t, datatype));
    ret->ref.flags |= REF_COUNT | REF_PERSISTENT | REF_KIND;
    ret->ref.spare = receive ? OP_KIND_RECEIVE : OP_KIND_SEND;
    return STATUS_OK;
}

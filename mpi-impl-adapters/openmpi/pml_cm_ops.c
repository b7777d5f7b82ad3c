// SPDX-License-Identifier: BSD-3-Clause
// Finds every pending operation of a process that uses PML cm.
//
// The free lists have the requests of all but blocking calls. What libfabric's provider has not
// matched leads to them, and to the stacks of those, in the order of matching; without it nothing
// tells a receive that is posted from one whose message is being received. What libfabric has no
// order of is in that of the requests in memory: the oldest is at the end.
#include "mpi-impl-adapters/openmpi/pml_cm_search.h"

#include "mpi-impl-adapters/openmpi/evidence.h"
#include "mpi-impl-adapters/openmpi/request.h"

static enum status
report(const struct cm_search *search, enum op_class class, enum status status)
{
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    for (uint32_t i = 0; i < search->sink->n_comms; ++i)
        search->sink->broken(search->sink, i, class, status);
    return STATUS_OK;
}

static void
add_peer(int32_t peer, struct op_ref *ref)
{
    ref->peer = peer;
    ref->flags |= HANDED_PEER;
}

static void
add_tag(int32_t tag, struct op_ref *ref)
{
    ref->tag = tag;
    ref->flags |= HANDED_TAG;
}

// Whom a receive is from, where an address tells.
static void
add_address(const struct cm_search *search, uint64_t address, struct op_ref *ref)
{
    int32_t peer;

    if (address == search->module.any_address)
        add_peer(OMPI_ANY_SOURCE, ref);
    else if (peers_find(&search->peers, ref->comm, address, &peer))
        add_peer(peer, ref);
}

// What was asked for, of libfabric's queue.
static void
add_wanted(const struct cm_search *search, const struct ofi_receive *receive, struct op_ref *ref)
{
    const struct cm_form form = search->module.form;
    const struct cm_word word = cm_split(form, receive->tag);
    const struct cm_word wild = cm_split(form, receive->ignore);

    add_tag(wild.tag != 0 ? OMPI_ANY_TAG : word.tag, ref);
    if (form.source_bits == 0)
        add_address(search, receive->address, ref);
    else
        add_peer(wild.rank != 0 ? OMPI_ANY_SOURCE : (int32_t) word.rank, ref);
}

// The same where MTL ofi's own part is all there is: what is zero may be a wildcard.
static void
add_kept(const struct cm_search *search, const struct cm_part *part, struct op_ref *ref)
{
    const struct cm_form form = search->module.form;
    const struct cm_word word = cm_split(form, part->word);

    if (word.tag != 0)
        add_tag(word.tag, ref);
    if (form.source_bits == 0)
        add_address(search, part->address, ref);
    else if (word.rank != 0)
        add_peer((int32_t) word.rank, ref);
}

static void
add_request(const struct cm_search *search, const struct cm_request *request, struct op_ref *ref)
{
    const bool kept = request->enveloped || !search->hides_buffers;

    ref->addr = request->addr;
    ref->buffer = kept ? request->buffer : 0;
    ref->datatype = request->datatype;
    ref->count = request->count;
    ref->flags |=
        (uint8_t) (REF_HANDED | HANDED_BYTES | (request->persistent ? HANDED_PERSISTENT : 0) |
                   (request->blocked ? HANDED_BLOCKED : 0) | (request->freed ? HANDED_FREED : 0));
    if (!request->enveloped)
        return;
    add_peer(request->peer, ref);
    add_tag(request->tag, ref);
}

// Which message it is nothing tells.
static void
add_matched(struct op_ref *ref)
{
    ref->stage = STAGE_MATCHED;
    ref->spare |= HANDED_UNTRACED;
}

static enum status
emit_receive(const struct cm_search *search, const struct cm_request *request, uint32_t comm)
{
    struct op_ref ref = {
        .comm = comm,
        .order = UINT32_MAX - search->visited,
        .class = OP_RECEIVE,
        .spare = 1 + OP_KIND_RECEIVE,
    };
    struct ofi_receive receive;
    struct cm_part part = {0};

    // Other modules have a part of another form.
    if (search->module.is_ofi) {
        TRY(cm_part_load(search->mpi, request->mtl, &part));
        TRY(cm_check_part(search, request, &part));
    }
    add_request(search, request, &ref);
    const uint32_t at = search->readable
                            ? addrs_find_by(&search->given, search->order, part.context)
                            : search->given.count;
    if (request->complete) {
        ref.stage = STAGE_COMPLETE;
    } else if (at < search->given.count) {
        TRY(ofi_receive_load(&search->ofi, search->posted.at[at], &receive));
        TRY(cm_check_length(search, request, &receive));
        search->state[at] = FOUND;
        ref.order = ofi_order(&receive, at);
        if (receive.matched)
            add_matched(&ref);
        add_wanted(search, &receive, &ref);
        return handed_emit(search->sink, &ref);
    } else if (search->readable) {
        if (!search->has_posted)
            return STATUS_OK;
        TRY(cm_check_gone(search, request));
        add_matched(&ref);
    } else {
        ref.spare |= HANDED_UNTRACED;
    }
    if (!request->enveloped && search->module.is_ofi)
        add_kept(search, &part, &ref);
    return handed_emit(search->sink, &ref);
}

static enum status
visit_receive(void *context, taddr item)
{
    struct cm_search *search = context;
    struct cm_request request;
    uint32_t comm;

    ++search->visited;
    TRY(addrs_add(search->arena, &search->items, item));
    TRY(cm_request_load(search->mpi, item, &request));
    TRY(cm_check_direction(search, &request, false));
    if (!request.active || !openmpi_find_comm(search->sink, search->by_addr, request.comm, &comm))
        return STATUS_OK;
    return emit_receive(search, &request, comm);
}

// To whom a synchronous send goes: from there its answer is to come. Where the word has the source
// no address tells.
static enum status
add_receiver(const struct cm_search *search, taddr part, struct op_ref *ref, bool *ret_awaited)
{
    struct ofi_receive receive;

    *ret_awaited = false;
    for (uint32_t i = 0; i < search->answers.count; ++i) {
        if (search->answered.at[i] != part)
            continue;
        *ret_awaited = true;
        search->state[search->answers.at[i]] = FOUND;
        TRY(ofi_receive_load(&search->ofi, search->posted.at[search->answers.at[i]], &receive));
        if (search->module.form.source_bits == 0)
            add_address(search, receive.address, ref);
    }
    return STATUS_OK;
}

// Of a synchronous send that is not complete, and for which no answer is awaited, the answer has
// come.
static unsigned
stage_of_send(const struct cm_search *search, const struct cm_request *request, bool awaited)
{
    const bool lingers =
        !request->pml_complete && (request->freed || request->mode == PML_SEND_BUFFERED);

    if (request->complete && !lingers)
        return STAGE_COMPLETE;
    return search->readable && request->mode == PML_SEND_SYNCHRONOUS && !awaited ? STAGE_MATCHED
                                                                                 : STAGE_POSTED;
}

static enum status
emit_send(const struct cm_search *search, const struct cm_request *request, uint32_t comm)
{
    struct op_ref ref = {
        .comm = comm,
        .order = UINT32_MAX - search->visited,
        .class = OP_SEND,
        .spare = request->mode == PML_SEND_BUFFERED ? 1 + OP_KIND_BSEND
                                                    : handed_kind_of_mode(request->mode),
    };
    bool awaited;

    add_request(search, request, &ref);
    add_tag(request->tag, &ref);
    TRY(add_receiver(search, request->mtl, &ref, &awaited));
    ref.stage = (uint8_t) stage_of_send(search, request, awaited);
    if (ref.stage == STAGE_MATCHED && !search->has_answers)
        return STATUS_OK;
    if (ref.stage == STAGE_MATCHED)
        TRY(cm_check_answered(search, request, comm));
    return handed_emit(search->sink, &ref);
}

static enum status
visit_send(void *context, taddr item)
{
    struct cm_search *search = context;
    struct cm_request request;
    uint32_t comm;

    ++search->visited;
    TRY(cm_request_load(search->mpi, item, &request));
    TRY(cm_check_direction(search, &request, true));
    if (!request.active || (request.freed && request.pml_complete) ||
        !openmpi_find_comm(search->sink, search->by_addr, request.comm, &comm))
        return STATUS_OK;
    return emit_send(search, &request, comm);
}

static enum status
add_posted(void *context, const struct ofi_receive *receive)
{
    struct cm_search *search = context;

    TRY(cm_check_given(search, receive));
    TRY(addrs_add(search->arena, &search->posted, receive->addr));
    return addrs_add(search->arena, &search->given, receive->context);
}

// A synchronous send waits for its receiver's answer with a receive of MTL ofi's own.
static enum status
collect_answers(struct cm_search *search)
{
    struct ofi_receive receive;
    struct cm_part part;

    for (uint32_t i = 0; i < search->posted.count; ++i) {
        TRY(ofi_receive_load(&search->ofi, search->posted.at[i], &receive));
        if (!(cm_split(search->module.form, receive.tag).protocol & CM_ANSWER))
            continue;
        search->state[i] = ANSWER;
        TRY(cm_part_load(search->mpi, cm_part_of(search->mpi, receive.context), &part));
        TRY(addrs_add(search->arena, &search->answered, part.parent));
        TRY(addrs_add(search->arena, &search->answers, i));
    }
    return STATUS_OK;
}

// Where the queue cannot be read as a whole, a receive that was not found may be in it, and so may
// the answer that a send waits for. Nothing but a sound queue says whom an answer is from.
static enum status
collect(struct cm_search *search)
{
    enum status status = ofi_each_receive(&search->ofi, add_posted, search);

    search->has_posted = status == STATUS_OK;
    TRY(report(search, OP_RECEIVE, status));
    search->order = addrs_order(search->arena, &search->given);
    search->state = arena_alloc(search->arena, (size_t) search->given.count + 1, 1);
    if (search->order == NULL || search->state == NULL)
        return STATUS_NOMEM;
    search->sorted = search->given;
    TRY(addrs_sort(search->arena, &search->sorted));
    if (search->has_posted)
        status = collect_answers(search);
    search->has_answers = search->has_posted && status == STATUS_OK;
    return report(search, OP_SEND, status);
}

// The elements that a blocking call is to receive.
static void
add_elements(const struct cm_search *search, taddr convertor, struct op_ref *ref)
{
    struct view view;

    if (view_load(search->mpi->inf, search->mpi->layout, S(opal_convertor_t), convertor, &view) !=
        STATUS_OK) {
        trail_reset(&search->mpi->inf->trail);
        return;
    }
    ref->datatype = view_uint(&view, F(opal_convertor_t, pDesc));
    ref->count = view_uint(&view, F(opal_convertor_t, count));
    ref->buffer = search->hides_buffers ? 0 : view_uint(&view, F(opal_convertor_t, pBaseBuf));
}

// What no request of the free lists was found for is a blocking call's.
static enum status
emit_blocking(const struct cm_search *search, uint32_t number)
{
    struct ofi_receive receive;
    struct cm_part part;

    TRY(ofi_receive_load(&search->ofi, search->posted.at[number], &receive));
    TRY(cm_check_apart(search, receive.context));
    const struct cm_word word = cm_split(search->module.form, receive.tag);
    struct op_ref ref = {
        .addr = receive.addr,
        .buffer = receive.buffer,
        .count = receive.bytes,
        .class = OP_RECEIVE,
        .flags = REF_HANDED | HANDED_BYTES | HANDED_ON_STACK | HANDED_BLOCKED,
        .spare = 1 + OP_KIND_RECEIVE,
    };
    // An answer that was not noted, because what it is for could not be read, is no receive.
    if (word.protocol & CM_ANSWER || !contexts_find(&search->contexts, word.context, &ref.comm))
        return STATUS_OK;
    ref.order = ofi_order(&receive, number);
    if (receive.matched)
        add_matched(&ref);
    TRY(cm_part_load(search->mpi, cm_part_of(search->mpi, receive.context), &part));
    add_elements(search, part.convertor, &ref);
    add_wanted(search, &receive, &ref);
    return handed_emit(search->sink, &ref);
}

// Likewise, MPI_Ssend: what is known of it is the answer that it waits for.
static enum status
emit_blocking_send(const struct cm_search *search, uint32_t number)
{
    const uint32_t at = (uint32_t) search->answers.at[number];
    struct ofi_receive receive;
    struct cm_part part;
    bool awaited;

    TRY(ofi_receive_load(&search->ofi, search->posted.at[at], &receive));
    const struct cm_word word = cm_split(search->module.form, receive.tag);
    struct op_ref ref = {
        .addr = receive.addr,
        .order = UINT32_MAX,
        .class = OP_SEND,
        .flags = REF_HANDED | HANDED_BYTES | HANDED_ON_STACK | HANDED_BLOCKED,
        .spare = 1 + OP_KIND_SSEND,
    };
    if (!contexts_find(&search->contexts, word.context, &ref.comm))
        return STATUS_OK;
    TRY(cm_part_load(search->mpi, search->answered.at[number], &part));
    ref.count = part.bytes;
    add_tag(word.tag, &ref);
    TRY(add_receiver(search, search->answered.at[number], &ref, &awaited));
    return handed_emit(search->sink, &ref);
}

static enum status
emit_unexpected(void *context, const struct ofi_message *message)
{
    struct cm_search *search = context;
    const struct cm_word word = cm_split(search->module.form, message->tag);
    struct op_ref ref = {
        .addr = message->addr,
        .count = message->bytes,
        .class = OP_UNEXPECTED,
        .flags =
            (uint8_t) (REF_HANDED | HANDED_BYTES | (message->rendezvous ? HANDED_RENDEZVOUS : 0)),
        .spare = 1 + OP_KIND_MESSAGE,
    };

    if (word.protocol & CM_ANSWER || word.tag < 0 ||
        !contexts_find(&search->contexts, word.context, &ref.comm))
        return STATUS_OK;
    add_tag(word.tag, &ref);
    add_peer(search->module.form.source_bits == 0 ? (int32_t) message->data : (int32_t) word.rank,
             &ref);
    return handed_emit(search->sink, &ref);
}

// A message that MPI_Mprobe has taken: MTL ofi's part of the probe has its word.
static enum status
emit_taken(void *context, const struct view *message)
{
    struct cm_search *search = context;
    struct op_ref ref = {
        .addr = message->addr,
        .count = view_uint(message, F(ompi_message_t, count)),
        .class = OP_RECEIVE,
        .stage = STAGE_MATCHED,
        .flags = REF_HANDED | HANDED_BYTES,
        .spare = 1 + OP_KIND_MESSAGE,
    };
    struct cm_part part;

    if (!search->module.is_ofi || !view_has(message, F(ompi_message_t, peer)) ||
        !openmpi_find_comm(search->sink, search->by_addr,
                           view_uint(message, F(ompi_message_t, comm)), &ref.comm))
        return STATUS_OK;
    TRY(cm_part_load(search->mpi, view_uint(message, F(ompi_message_t, req_ptr)), &part));
    add_tag(cm_split(search->module.form, part.word).tag, &ref);
    add_peer((int32_t) view_int(message, F(ompi_message_t, peer)), &ref);
    return handed_emit(search->sink, &ref);
}

static enum status
search_free_list(struct cm_search *search, const char *symbol,
                 enum status (*visit)(void *context, taddr item))
{
    struct free_list list;
    taddr addr;

    TRY(inferior_symbol(search->mpi->inf, symbol, &addr));
    TRY(free_list_load(search->mpi, addr, &list));
    TRY(evidence_check(search->mpi, &list, search->arena, request_weigh_state));
    return free_list_each(search->mpi, &list, search->arena, visit, search);
}

static enum status
prepare(struct cm_search *search)
{
    const struct cm_form form = search->module.form;
    const unsigned above = 64 - form.tag_bits - form.source_bits - CM_PROTOCOL_BITS;

    search->by_addr = openmpi_sort_comms(search->arena, search->sink);
    if (search->by_addr == NULL)
        return STATUS_NOMEM;
    search->peers =
        (struct peers){search->mpi, search->arena, search->sink->comms, cm_peer_address, NULL};
    TRY(peers_init(&search->peers, search->sink->n_comms));
    return contexts_load(search->mpi, search->arena, search->sink, above < 32 ? above : 32,
                         &search->contexts);
}

// What stands in libfabric's queue and was not found among the requests is a blocking call's, if
// all of them were seen.
static enum status
emit_receives(struct cm_search *search)
{
    enum status status = search->readable ? cm_check_convertors(search) : STATUS_OK;

    if (status == STATUS_OK)
        status = search_free_list(search, "mca_pml_base_recv_requests", visit_receive);
    TRY(addrs_sort(search->arena, &search->items));
    for (uint32_t i = 0; status == STATUS_OK && i < search->posted.count; ++i)
        if (search->state[i] == NOT_FOUND)
            TRY(report(search, OP_RECEIVE, emit_blocking(search, i)));
    return report(search, OP_RECEIVE, search->readable ? status : STATUS_UNSUPPORTED);
}

static enum status
emit_sends(struct cm_search *search)
{
    const enum status status =
        search->misread
            ? trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                          "receives contradict themselves: the layout is of another release")
            : search_free_list(search, "mca_pml_base_send_requests", visit_send);

    for (uint32_t i = 0; status == STATUS_OK && i < search->answers.count; ++i)
        if (search->state[search->answers.at[i]] == ANSWER)
            TRY(report(search, OP_SEND, emit_blocking_send(search, i)));
    return report(search, OP_SEND, status);
}

enum status
cm_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    struct cm_search search = {.mpi = mpi, .arena = arena, .sink = sink};
    const enum status absent = cm_module_load(mpi, &search.module);

    if (absent == STATUS_ABSENT)
        return STATUS_OK;
    TRY(absent);
    TRY(prepare(&search));
    search.readable = cm_open(mpi, &search.module, &search.ofi) == STATUS_OK;
    trail_reset(&mpi->inf->trail);
    if (search.readable)
        TRY(collect(&search));
    TRY(emit_receives(&search));
    if (search.readable)
        TRY(report(&search, OP_UNEXPECTED,
                   ofi_each_message(&search.ofi, emit_unexpected, &search)));
    TRY(emit_sends(&search));
    return report(&search, OP_RECEIVE, handed_each_taken(mpi, arena, emit_taken, &search));
}

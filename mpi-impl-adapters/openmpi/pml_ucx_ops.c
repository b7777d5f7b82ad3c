// SPDX-License-Identifier: BSD-3-Clause
// Finds every pending operation of a process that uses PML ucx.
//
// libucp's queues have the receives that no message has matched, those of blocking calls too. Its
// pool of requests has all others but the ones that blocking calls have on their stacks.
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

#include "mpi-impl-adapters/openmpi/request.h"
#include "target/sort.h"

enum { BLOCKING_MAX = 1 << 16 }; // receives of blocking calls: one a thread

static enum status
report(const struct ucx_search *search, enum op_class class, enum status status)
{
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    for (uint32_t i = 0; i < search->sink->n_comms; ++i)
        search->sink->broken(search->sink, i, class, status);
    return STATUS_OK;
}

// What Open MPI's own part says of a request.
static void
add_request(const struct ucx_request *request, struct op_ref *ref)
{
    ref->addr = request->addr;
    ref->flags |=
        (uint8_t) ((request->persistent ? HANDED_PERSISTENT : 0) |
                   (request->blocked ? HANDED_BLOCKED : 0) | (request->freed ? HANDED_FREED : 0));
    if (request->untold)
        ref->flags |= HANDED_ON_STACK;
    ref->datatype = request->datatype;
    if (request->datatype != 0)
        ref->count = request->count;
}

// A datatype that Open MPI packs itself; libucp gets all others as bytes.
static void
add_datatype(const struct mpi *mpi, taddr datatype, struct op_ref *ref)
{
    struct view object;
    taddr class_addr;
    uint64_t size;

    if (datatype == 0 || ref->datatype != 0)
        return;
    if (inferior_symbol(mpi->inf, "ompi_datatype_t_class", &class_addr) == STATUS_OK &&
        view_load(mpi->inf, mpi->layout, S(opal_object_t), datatype, &object) == STATUS_OK &&
        view_uint(&object, F(opal_object_t, obj_class)) == class_addr &&
        openmpi_datatype_size(mpi, datatype, &size) && size != 0 && ref->count % size == 0) {
        ref->datatype = datatype;
        ref->count /= size;
    }
    trail_reset(&mpi->inf->trail);
}

void
ucx_add_wanted(uint64_t tag, uint64_t mask, struct op_ref *ref)
{
    const struct ucx_word word = ucx_split(tag);
    const struct ucx_word wild = ucx_split(~mask);

    ref->peer = wild.rank != 0 ? OMPI_ANY_SOURCE : (int32_t) word.rank;
    ref->tag = wild.tag != 0 ? OMPI_ANY_TAG : word.tag;
    ref->flags |= HANDED_PEER | HANDED_TAG;
}

// What was asked for, and how far it is.
static enum status
emit_receive(struct ucx_search *search, taddr addr, unsigned stage, const struct ucx_request *own)
{
    struct ucp_receive receive;

    TRY(ucp_receive_load(&search->ucp, addr, &receive));
    const struct ucx_word word = ucx_split(receive.tag);
    struct op_ref ref = {
        .addr = addr,
        .buffer = receive.buffer,
        .count = receive.bytes,
        .order = (uint32_t) receive.sequence,
        .class = OP_RECEIVE,
        .stage = (uint8_t) stage,
        .flags = (uint8_t) (REF_HANDED | (search->has_lengths ? HANDED_BYTES : 0)),
        .spare = 1 + OP_KIND_RECEIVE,
    };
    const uint8_t blocked = search->has_pool ? HANDED_BLOCKED : 0;
    ucx_add_wanted(receive.tag, receive.tag_mask, &ref);
    if (own != NULL)
        add_request(own, &ref);
    else
        ref.flags |= HANDED_ON_STACK | blocked;
    add_datatype(search->mpi, receive.datatype, &ref);
    return contexts_find(&search->contexts, word.context, &ref.comm)
               ? handed_emit(search->sink, &ref)
               : STATUS_OK;
}

// A receive that was matched as soon as it was called has but what came.
static enum status
emit_complete_receive(struct ucx_search *search, const struct ucx_request *request)
{
    struct ucp_receive receive;
    struct op_ref ref = {
        .class = OP_RECEIVE,
        .stage = STAGE_COMPLETE,
        .flags = REF_HANDED,
        .spare = 1 + OP_KIND_RECEIVE,
    };

    TRY(ucp_receive_load(&search->ucp, request->ucp, &receive));
    const struct ucx_word word = ucx_split(receive.sender_tag);
    add_request(request, &ref);
    return word.tag >= 0 && contexts_find(&search->contexts, word.context, &ref.comm)
               ? search->sink->emit(search->sink, &ref)
               : STATUS_OK;
}

static uint8_t
kind_of_send(const struct ucp_send *send, const struct ucx_request *request)
{
    if (request->data != 0 && request->data == send->buffer)
        return 1 + OP_KIND_BSEND;
    if (request->persistent)
        return handed_kind_of_mode(request->mode);
    return send->synchronous ? 1 + OP_KIND_SSEND : 0;
}

// As soon as the receiver has answered, libucp has something else where the word was. Which
// communicator a request is of is known of those that the user has.
static bool
find_moving(const struct ucx_search *search, const struct ucx_request *request,
            const struct ucp_send *send, uint32_t *ret)
{
    if (!request->persistent && (search->isend == 0 || send->callback != search->isend))
        return false;
    for (uint32_t i = 0; i < search->sink->n_comms; ++i)
        if (search->sink->comms[i].addr == request->comm) {
            *ret = i;
            return search->contexts.known[i];
        }
    return false;
}

// What stands where the word was must be something that libucp puts there.
static enum status
check_moving(const struct ucx_search *search, const struct ucx_request *request,
             const struct ucp_send *send)
{
    return request->persistent || send->may_move
               ? STATUS_OK
               : trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                             "request at %#llx: its send has another word than Open MPI's: %#llx",
                             (unsigned long long) request->addr, (unsigned long long) send->tag);
}

static bool
is_own_word(const struct ucx_search *search, struct ucx_word word, uint32_t *ret)
{
    return contexts_find(&search->contexts, word.context, ret) &&
           word.rank == (search->sink->comms[*ret].rank & ((1 << UCX_RANK_BITS) - 1));
}

// There is no order between sends but that of their requests in memory: the oldest is at the end.
static enum status
emit_send(struct ucx_search *search, const struct ucx_request *request, uint32_t order)
{
    struct ucp_send send;
    struct op_ref ref = {
        .order = UINT32_MAX - order,
        .class = OP_SEND,
        .stage = request->complete ? STAGE_COMPLETE : STAGE_POSTED,
        .flags = REF_HANDED | HANDED_BYTES,
    };

    TRY(ucp_send_load(&search->ucp, request->ucp, &send));
    const struct ucx_word word = ucx_split(request->persistent ? request->tag : send.tag);
    ref.buffer = send.buffer;
    ref.count = send.bytes;
    ref.spare = kind_of_send(&send, request);
    add_request(request, &ref);
    add_datatype(search->mpi, send.datatype, &ref);
    if (is_own_word(search, word, &ref.comm)) {
        ref.tag = word.tag;
        ref.flags |= HANDED_TAG;
    } else if (find_moving(search, request, &send, &ref.comm)) {
        TRY(check_moving(search, request, &send));
        ref.stage = request->complete ? STAGE_COMPLETE : STAGE_MATCHED;
    } else {
        return STATUS_OK;
    }
    if (peers_find(&search->peers, ref.comm, send.endpoint, &ref.peer))
        ref.flags |= HANDED_PEER;
    ref.major = (uint32_t) ref.peer;
    return handed_emit(search->sink, &ref);
}

static enum status
emit_request(struct ucx_search *search, taddr addr, uint32_t order)
{
    struct ucx_request request;
    struct ucp_state state;

    TRY(ucp_state_load(&search->ucp, addr, &state));
    if (!state.receives && !state.sends)
        return STATUS_OK;
    TRY(ucx_request_load(search->mpi, &search->ucp, addr, &request));
    request.freed = state.released;
    if (state.sends)
        return emit_send(search, &request, order);
    if (addrs_find(&search->posted, addr) < search->posted.count)
        return emit_receive(search, addr, STAGE_POSTED, &request);
    if (!state.complete && !search->has_queues)
        return STATUS_OK;
    if (state.complete && !state.has_callback)
        return emit_complete_receive(search, &request);
    return emit_receive(search, addr, state.complete ? STAGE_COMPLETE : STAGE_MATCHED, &request);
}

static enum status
add_posted(void *context, taddr request)
{
    struct ucx_search *search = context;

    return addrs_add(search->arena, &search->posted, request);
}

static enum status
add_request_in_use(void *context, taddr request)
{
    struct ucx_search *search = context;

    return addrs_add(search->arena, &search->requests, request);
}

// What overlaps a request of the pool, or says that it is of the pool, is no blocking call's: the
// pool is read by a layout that does not fit.
static enum status
check_apart(const struct ucx_search *search, const struct addrs *sorted, taddr request)
{
    const uint32_t size = ucp_request_size(&search->ucp);

    if (!addrs_cover(sorted, size, request) &&
        addrs_not_below(sorted, request) == addrs_not_below(sorted, request + size) &&
        !ucp_is_of_pool(&search->ucp, request))
        return STATUS_OK;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                       "the receive at %#llx is of libucp's pool, which does not have it",
                       (unsigned long long) request);
}

// Of blocking calls there is what is in the queues and not in the pool. A queue that goes round has
// each more than once.
static enum status
emit_blocking(struct ucx_search *search)
{
    struct addrs sorted = search->requests;

    TRY(addrs_sort(search->arena, &sorted));
    for (uint32_t i = 0; i < search->posted.count; ++i) {
        const taddr request = search->posted.at[i];
        if ((i > 0 && request == search->posted.at[i - 1]) ||
            addrs_find(&sorted, request) < sorted.count)
            continue;
        if (search->has_pool)
            TRY(check_apart(search, &sorted, request));
        TRY(emit_receive(search, request, STAGE_POSTED, NULL));
    }
    return STATUS_OK;
}

// Bytes of an element of a persistent request's; 0: not known.
static uint64_t
element_size(const struct mpi *mpi, const struct ucx_request *request,
             const struct ucp_receive *receive)
{
    uint64_t size;

    if (request->datatype == 0)
        return receive->element;
    return openmpi_datatype_size(mpi, request->datatype, &size) ? size : 0;
}

// A persistent receive has elements that are as long as what libucp was asked for. If not, one of
// the two layouts does not fit, and how long receives are is not known.
static enum status
check_length(struct ucx_search *search, taddr addr)
{
    const struct mpi *mpi = search->mpi;
    struct ucx_request request;
    struct ucp_receive receive;

    if (ucx_request_load(mpi, &search->ucp, addr, &request) != STATUS_OK || !request.persistent) {
        trail_reset(&mpi->inf->trail);
        return STATUS_OK;
    }
    TRY(ucp_receive_load(&search->ucp, addr, &receive));
    const uint64_t size = element_size(mpi, &request, &receive);
    if (size == 0 || openmpi_is_length(size, request.count, receive.bytes))
        return STATUS_OK;
    search->has_lengths = false;
    return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                       "request at %#llx: %llu elements, and libucp has %llu bytes",
                       (unsigned long long) request.addr, (unsigned long long) request.count,
                       (unsigned long long) receive.bytes);
}

static enum status
check_lengths(struct ucx_search *search)
{
    search->has_lengths = true;
    for (uint32_t i = 0; i < search->requests.count && search->has_lengths; ++i)
        if (addrs_find(&search->posted, search->requests.at[i]) < search->posted.count)
            TRY(report(search, OP_RECEIVE, check_length(search, search->requests.at[i])));
    return STATUS_OK;
}

static enum status
emit_requests(struct ucx_search *search)
{
    TRY(check_lengths(search));
    for (uint32_t i = 0; i < search->requests.count; ++i) {
        const enum status status = emit_request(search, search->requests.at[i], i);
        TRY(report(search, OP_RECEIVE, status));
        TRY(report(search, OP_SEND, status));
    }
    return report(search, OP_RECEIVE, emit_blocking(search));
}

static enum status
emit_message(struct ucx_search *search, const struct ucp_message *message, struct op_ref ref)
{
    const struct ucx_word word = ucx_split(message->tag);

    ref.addr = message->addr;
    ref.peer = (int32_t) word.rank;
    ref.tag = word.tag;
    ref.count = message->bytes;
    ref.spare = 1 + OP_KIND_MESSAGE;
    ref.flags =
        (uint8_t) (REF_HANDED | HANDED_PEER | HANDED_TAG | (message->sized ? HANDED_BYTES : 0) |
                   (message->rendezvous ? HANDED_RENDEZVOUS : 0) |
                   (message->transit ? HANDED_TRANSIT : 0));
    return word.tag >= 0 && contexts_find(&search->contexts, word.context, &ref.comm)
               ? handed_emit(search->sink, &ref)
               : STATUS_OK;
}

static enum status
emit_unexpected(void *context, const struct ucp_message *message, uint32_t order)
{
    return emit_message(context, message, (struct op_ref){.class = OP_UNEXPECTED, .order = order});
}

static enum status
emit_taken(void *context, const struct view *taken)
{
    struct ucx_search *search = context;
    struct ucp_message message;

    TRY(ucp_message_load(&search->ucp, view_uint(taken, F(ompi_message_t, req_ptr)), &message));
    return emit_message(search, &message,
                        (struct op_ref){.class = OP_RECEIVE, .stage = STAGE_MATCHED});
}

// Any word may be an endpoint of libucp.
static enum status
endpoint(const struct mpi *mpi, taddr word, uint64_t *ret)
{
    (void) mpi;
    *ret = word;
    return word == 0 ? STATUS_ABSENT : STATUS_OK;
}

static enum status
prepare(struct ucx_search *search)
{
    search->peers = (struct peers){search->mpi, search->arena, search->sink->comms, endpoint, NULL};
    TRY(peers_init(&search->peers, search->sink->n_comms));
    TRY(contexts_load(search->mpi, search->arena, search->sink, UCX_CONTEXT_BITS,
                      &search->contexts));
    const struct target *target = &search->mpi->inf->target;
    if (!target->ops->find_function(target->host, "mca_pml_ucx_send_nbx_completion",
                                    &search->isend) &&
        !target->ops->find_function(target->host, "mca_pml_ucx_send_completion", &search->isend))
        search->isend = 0;
    return STATUS_OK;
}

// Where the pool cannot be read as a whole, a request that was not found may be of it; and where
// the queues cannot, one that was not found there may be posted.
static enum status
collect(struct ucx_search *search)
{
    enum status status = ucp_each_request(&search->ucp, add_request_in_use, search);

    search->has_pool = status == STATUS_OK;
    if (status != STATUS_OK)
        trail_prepend(&search->mpi->inf->trail, status, "libucp's requests");
    TRY(report(search, OP_SEND, status));
    TRY(report(search, OP_RECEIVE, status));
    status = ucp_each_expected(&search->ucp, (uint64_t) search->requests.count + BLOCKING_MAX,
                               add_posted, search);
    search->has_queues = status == STATUS_OK;
    TRY(report(search, OP_RECEIVE, status));
    return addrs_sort(search->arena, &search->posted);
}

enum status
ucx_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    struct ucx_search search = {.mpi = mpi, .arena = arena, .sink = sink};
    const enum status absent = ucx_open(mpi, &search.ucp);

    if (absent == STATUS_ABSENT)
        return STATUS_OK;
    TRY(absent);
    TRY(prepare(&search));
    TRY(collect(&search));
    TRY(emit_requests(&search));
    TRY(report(&search, OP_UNEXPECTED, ucp_each_message(&search.ucp, emit_unexpected, &search)));
    TRY(report(&search, OP_UNEXPECTED, ucp_each_transit(&search.ucp, emit_unexpected, &search)));
    TRY(report(&search, OP_RECEIVE, ucx_persistent(&search)));
    return report(&search, OP_RECEIVE, handed_each_taken(mpi, arena, emit_taken, &search));
}

// SPDX-License-Identifier: BSD-3-Clause
// Finds every pending operation of a process.
//
// Every request is an object of a pool, blocking calls' included: one pass over the pools finds all
// of them. Lists tell what is posted and in which order; messages that nobody has received are in
// lists only.
#include "mpi-impl-adapters/mpich/ch4.h"
#include "mpi-impl-adapters/mpich/impi.h"
#include "mpi-impl-adapters/mpich/ofi.h"

#include <string.h>

enum { CONFIGURE_TEXT = 4096, DAMAGED_MAX = 16 };

static enum status
emit_request(struct search *search, const struct request *request, uint32_t order)
{
    struct found found;
    const enum status status = search_decode(search, request, order, &found);

    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    return search_emit(search, &found);
}

// A send to this process itself is what waits for a receive, too.
static enum status
emit_self(struct search *search, const struct request *request, uint32_t order)
{
    struct found found;

    TRY(emit_request(search, request, order));
    if (!request_sends(request) || request->complete)
        return STATUS_OK;
    TRY(search_decode(search, request, order, &found));
    found.ref.class = OP_UNEXPECTED;
    found.ref.spare = OP_KIND_MESSAGE;
    found.ref.buffer = 0;
    found.ref.flags = REF_PEER | REF_TAG | REF_COUNT | REF_KIND;
    return search_emit(search, &found);
}

// Operations of a communicator of one process wait in a list, the first one's `prev` being the last
// one: from the first one on, all are emitted.
static enum status
emit_selves(struct search *search, struct request *request)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t link = (uint32_t) mpi->layout->fields[F(MPIR_Request, next)].offset;
    const taddr last = view_uint(&request->view, F(MPIR_Request, prev));
    struct addrs items = {0};
    taddr after;

    if (request->complete || last == 0)
        return emit_self(search, request, 0);
    ++search->selves;
    TRY(inferior_read_pointer(mpi->inf, last + link, &after));
    if (after != 0)
        return STATUS_OK;
    const enum status broken = chain_collect(search, request->addr, link, &items);
    if (broken == STATUS_NOMEM)
        return broken;
    for (uint32_t i = 0; i < items.count; ++i) {
        TRY(mpich_request_load(mpi, search->release, items.at[i], request));
        TRY(emit_self(search, request, i));
        ++search->selves_listed;
    }
    return broken;
}

static enum status
emit_part(struct search *search, const struct request *request)
{
    struct found found = {
        .ref = {.addr = request->addr, .class = request_sends(request) ? OP_SEND : OP_RECEIVE},
        .pending = true,
    };
    bool started;

    if (search->device == DEVICE_CH3 || request->complete ||
        request_partitions(request, &started) == 0 || !started)
        return STATUS_OK;
    const enum status status = am_decode_part(search, request, &found);
    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    return search_emit(search, &found);
}

// A message that MPI_Mprobe has taken waits to be received.
static enum status
emit_message(struct search *search, const struct request *request)
{
    struct found found = {
        .ref = {.addr = request->addr,
                .class = OP_RECEIVE,
                .stage = STAGE_MATCHED,
                .spare = OP_KIND_MESSAGE},
        .pending = true,
    };
    enum status status;

    if (search->device == DEVICE_CH3)
        status = ch3_decode_message(search, request, &found);
    else
        status = ch4_decode_message(search, request, &found);
    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    return search_emit(search, &found);
}

// Its number in the order of the communicator's is in the schedule, to which nothing leads; the
// tags of the messages have it, too. A persistent one works by another request than the user has.
static void
note_nonblocking(const struct search *search, const struct request *request)
{
    struct nonblocking found = {.sequence = NO_SEQUENCE, .request = request->addr, .peer = NO_PEER};

    found.persistent = map_find(&search->persistent, request->addr, &found.request);
    if (!request->complete && search_by_addr(search, request->comm, &found.comm))
        search->sink->nonblocking(search->sink, &found);
}

static enum status
emit_one(struct search *search, taddr addr)
{
    struct request request;
    bool is_message;

    if (addrs_find(&search->seen, addr) < search->seen.count)
        return STATUS_OK;
    TRY(early_is_message(search, addr, &is_message));
    if (is_message)
        return STATUS_OK;
    TRY(mpich_request_load(search->mpi, search->release, addr, &request));
    switch (request.kind) {
    case REQUEST_SEND:
    case REQUEST_RECEIVE:
        return search->device != DEVICE_CH3 && am_is_self(search, &request)
                   ? emit_selves(search, &request)
                   : emit_request(search, &request, 0);
    case REQUEST_PART_SEND:
    case REQUEST_PART_RECEIVE:
        return emit_part(search, &request);
    case REQUEST_MESSAGE:
        return emit_message(search, &request);
    case REQUEST_COLLECTIVE:
        note_nonblocking(search, &request);
        break;
    case REQUEST_PERSISTENT_COLLECTIVE:
    case REQUEST_PERSISTENT_SEND:
    case REQUEST_PERSISTENT_RECEIVE:
    case REQUEST_OTHER:
        break;
    }
    return STATUS_OK;
}

// A list that goes round has no first item.
static enum status
check_selves(const struct search *search)
{
    if (search->selves <= search->selves_listed)
        return STATUS_OK;
    const enum status status =
        trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                    "%u of %u operations within one process were found in their lists",
                    search->selves_listed, search->selves);
    TRY(search_report(search, OP_SEND, status));
    TRY(search_report(search, OP_UNEXPECTED, status));
    return search_report(search, OP_RECEIVE, status);
}

// Where many requests are damaged, a few of them tell as much as all.
static enum status
emit_requests(struct search *search)
{
    unsigned damaged = 0;

    for (uint32_t i = 0; i < search->requests.count && damaged < DAMAGED_MAX && !search->refuted;
         ++i) {
        const enum status status = emit_one(search, search->requests.at[i]);
        if (status == STATUS_OK)
            continue;
        ++damaged;
        if (status != STATUS_NOMEM)
            trail_prepend(&search->mpi->inf->trail, status, "request at %#llx",
                          (unsigned long long) search->requests.at[i]);
        TRY(search_report(search, OP_SEND, status));
        TRY(search_report(search, OP_RECEIVE, status));
    }
    return search->refuted ? STATUS_OK : check_selves(search);
}

static bool
has_debugger_support(struct inferior *inf)
{
    char text[CONFIGURE_TEXT];
    taddr addr;

    if (inferior_symbol(inf, "MPIR_Sendq_head", &addr) == STATUS_OK)
        return true;
    return mpich_text(inf, "MPII_Version_configure", text, sizeof(text)) == STATUS_OK &&
           strstr(text, "--enable-debuginfo") != NULL;
}

static enum status
lists(struct search *search)
{
    if (search->device == DEVICE_CH3)
        return ch3_lists(search);
    if (search->device == DEVICE_UCX) {
        TRY(ucx_prepare(search));
        TRY(ucx_messages(search));
    }
    if (search->has_ofi) {
        TRY(ofi_prepare(search));
        TRY(ofi_messages(search));
    }
    return search->device == DEVICE_UCX && !search->shared_memory ? STATUS_OK : am_lists(search);
}

bool
search_may_use_network(struct search *search, uint32_t comm)
{
    const struct comm *object = &search->sink->comms[comm];
    struct view process;

    if (!object->inter && object->size <= 1 && !am_is_early(search->mpi->layout))
        return false;
    if (!search->shared_memory || mpich_process(search->mpi, &process) != STATUS_OK ||
        !view_has(&process, F(MPIR_Process_t, local_size)) ||
        view_int(&process, F(MPIR_Process_t, local_size)) !=
            view_int(&process, F(MPIR_Process_t, size)))
        return true;
    return !search_in_world(search, comm);
}

// What most of libfabric's providers have of messages between processes cannot be read. With the
// lists for debuggers, MPICH notes sends and receives itself.
static void
report_network(struct search *search)
{
    taddr addr;
    const bool noted = inferior_symbol(search->mpi->inf, "MPIR_Recvq_head", &addr) == STATUS_OK;
    const bool readable =
        search->device == DEVICE_CH3 || search->device == DEVICE_UCX || search->has_ofi;
    // Up to 3.4, and in Intel MPI, nothing tells the communicator of a send.
    const bool no_sends = search->device != DEVICE_CH3 && am_is_early(search->mpi->layout);

    for (uint32_t i = 0; (!readable || no_sends) && i < search->sink->n_comms; ++i) {
        const bool hidden = !readable && search_may_use_network(search, i);
        for (int class = 0; class < OP_CLASSES && hidden; ++class)
            if (class == OP_UNEXPECTED || !noted)
                search->sink->broken(search->sink, i, (enum op_class) class, STATUS_UNSUPPORTED);
        if (no_sends && !hidden)
            search->sink->broken(search->sink, i, OP_SEND, STATUS_UNSUPPORTED);
    }
}

// Up to 4.2 a send may have nothing but its request.
static void
report_sends(struct search *search)
{
    for (uint32_t i = 0; search->unknown_sends && i < search->sink->n_comms; ++i)
        if (search_may_use_network(search, i))
            search->sink->broken(search->sink, i, OP_SEND, STATUS_UNSUPPORTED);
}

enum status
mpich_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    struct search search = {.mpi = mpi, .arena = arena, .sink = sink};
    char name[DEVICE_TEXT], provider[OFI_PROVIDER];

    TRY(mpich_find_globals(mpi));
    TRY(mpich_device_in_use(mpi, &search.device, name, sizeof(name)));
    search.shared_memory = ch4_has_shared_memory(mpi->layout) &&
                           (!impi_is(mpi->inf) || impi_has_shared_memory(mpi->inf));
    search.release = mpich_release(mpi->inf);
    search.debugger = has_debugger_support(mpi->inf);
    search.has_ofi = search.device == DEVICE_OFI &&
                     ofi_netmod_open(mpi, 0, provider, &search.form, &search.ofi) == STATUS_OK;
    trail_reset(&mpi->inf->trail);
    TRY(search_init(&search));
    report_network(&search);
    TRY(search_collect(&search));
    TRY(debug_load(&search));
    TRY(lists(&search));
    TRY(emit_requests(&search));
    if (search.has_ofi)
        report_sends(&search);
    return STATUS_OK;
}

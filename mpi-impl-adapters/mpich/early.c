// SPDX-License-Identifier: BSD-3-Clause
// Active messages of device ch4 as they were up to 3.4: each communicator has a list of its posted
// receives and one of the messages that nobody has received. Intel MPI goes on from there, and has
// tables of its own for these messages: they are found by their requests.
#include "mpi-impl-adapters/mpich/ch4.h"

static enum status
emit_item(struct search *search, enum op_class class, taddr item, uint32_t order)
{
    const struct mpi *mpi = search->mpi;
    struct view rreq;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_rreq_t), item, &rreq));
    return am_emit(search, class, view_uint(&rreq, F(MPIDIG_rreq_t, request)), order);
}

// Emits one list of each communicator. @param head where it begins
static enum status
emit_list(struct search *search, enum op_class class, unsigned head)
{
    const struct mpi *mpi = search->mpi;
    const struct layout *layout = mpi->layout;
    const taddr dev = (taddr) layout->fields[F(MPIR_Comm, dev)].offset;
    const uint32_t link = (uint32_t) layout->fields[F(MPIDIG_rreq_t, next)].offset;
    struct view view;

    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        enum status status = view_load(mpi->inf, layout, S(MPIDI_Devcomm_t),
                                       search->sink->comms[i].addr + dev, &view);
        if (status == STATUS_OK)
            status =
                chain_emit(search, class, view_uint(&view, head), link, HIDDEN_LINK, emit_item);
        search->unseen |= status != STATUS_OK && class == OP_RECEIVE;
        TRY(search_report(search, class, status));
    }
    return STATUS_OK;
}

// @param ret the message's own object; 0: the request is of no message
static enum status
find_message(const struct search *search, taddr addr, struct view *ret_view, taddr *ret)
{
    const struct mpi *mpi = search->mpi;
    struct request request;
    struct view am;

    *ret = 0;
    TRY(mpich_request_load(mpi, search->release, addr, &request));
    if (request.kind != REQUEST_RECEIVE || request.complete)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_req_t), ch4_part(&request), &am));
    const taddr message = view_uint(&am, F(MPIDIG_req_t, impi_message));
    if (message == 0)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(impi_message), message, ret_view));
    if (view_uint(ret_view, F(impi_message, request)) != addr)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "the message at %#llx is not that of the request at %#llx",
                           (unsigned long long) message, (unsigned long long) addr);
    *ret = message;
    return STATUS_OK;
}

enum status
early_is_message(const struct search *search, taddr addr, bool *ret)
{
    struct view view;
    taddr message = 0;

    if (search->mpi->layout->structs[S(impi_message)].origin != ORIGIN_NONE)
        TRY(find_message(search, addr, &view, &message));
    *ret = message != 0;
    return STATUS_OK;
}

static enum status
emit_message(struct search *search, enum op_class class, taddr item, uint32_t order)
{
    const struct mpi *mpi = search->mpi;
    struct view message;

    TRY(view_load(mpi->inf, mpi->layout, S(impi_message), item, &message));
    ++search->messages_listed;
    return am_emit(search, class, view_uint(&message, F(impi_message, request)), order);
}

// Whether what a message is linked to is linked to it.
static bool
is_linked(const struct mpi *mpi, const struct view *message, unsigned link, unsigned back)
{
    const taddr other = view_uint(message, link);
    struct view view;

    return other == 0 ||
           (view_load(mpi->inf, mpi->layout, S(impi_message), other, &view) == STATUS_OK &&
            view_uint(&view, back) == message->addr);
}

// Before any of a list is shown: where the links are read where they are not, all are wrong.
static enum status
check_links(const struct search *search)
{
    const unsigned next = F(impi_message, next), previous = F(impi_message, previous);
    const struct mpi *mpi = search->mpi;
    struct view view;
    taddr message;

    for (uint32_t i = 0; i < search->requests.count; ++i)
        if (find_message(search, search->requests.at[i], &view, &message) == STATUS_OK &&
            message != 0 &&
            !(is_linked(mpi, &view, next, previous) && is_linked(mpi, &view, previous, next)))
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                               "the message at %#llx and its neighbours are not linked to each "
                               "other",
                               (unsigned long long) message);
    trail_reset(&mpi->inf->trail);
    return STATUS_OK;
}

// From the first one on the messages of a communicator are chained as they came.
static enum status
emit_messages(struct search *search)
{
    const uint32_t link = (uint32_t) search->mpi->layout->fields[F(impi_message, next)].offset;
    struct view view;
    taddr message;

    TRY(check_links(search));
    for (uint32_t i = 0; i < search->requests.count; ++i) {
        const enum status status = find_message(search, search->requests.at[i], &view, &message);
        TRY(search_report(search, OP_UNEXPECTED, status));
        if (status != STATUS_OK || message == 0)
            continue;
        ++search->messages;
        if (view_uint(&view, F(impi_message, previous)) == 0)
            TRY(chain_emit(search, OP_UNEXPECTED, message, link, NO_LINK, emit_message));
    }
    return STATUS_OK;
}

static enum status
check_messages(const struct search *search)
{
    return search->messages_listed == search->messages
               ? STATUS_OK
               : trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                             "%u of %u messages were found in their lists", search->messages_listed,
                             search->messages);
}

static bool
is_known(const struct layout *layout)
{
    return layout->structs[S(MPIDIG_rreq_t)].origin != ORIGIN_NONE &&
           layout->fields[F(MPIDI_Devcomm_t, posted_list)].offset >= 0;
}

enum status
early_lists(struct search *search)
{
    const struct mpi *mpi = search->mpi;

    if (!is_known(mpi->layout))
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of the lists of active messages is not known");
    TRY(emit_list(search, OP_RECEIVE, F(MPIDI_Devcomm_t, posted_list)));
    if (mpi->layout->fields[F(MPIDI_Devcomm_t, unexp_list)].offset >= 0)
        return emit_list(search, OP_UNEXPECTED, F(MPIDI_Devcomm_t, unexp_list));
    if (mpi->layout->structs[S(impi_message)].origin == ORIGIN_NONE)
        return search_report(search, OP_UNEXPECTED,
                             trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                                         "the layout of the lists of messages is not known"));
    TRY(emit_messages(search));
    return search_report(search, OP_UNEXPECTED, check_messages(search));
}

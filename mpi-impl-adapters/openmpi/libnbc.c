// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives, which the module libnbc makes of messages.
//
// Its requests come from a free list of their own. The tag of its messages is taken from a number
// of the communicator that falls by one from each collective to the next, in all members alike: it
// is the order of the collectives. Which one it is, nobody keeps.
#include "mpi-impl-adapters/openmpi/libnbc.h"

#include "mpi-impl-adapters/openmpi/request.h"

// What the blocking collectives have is above, what neighbourhood ones and others have is below.
enum { FIRST_TAG = -27, LAST_TAG = INT32_MIN / 2 };

struct search_libnbc {
    const struct mpi *mpi;
    struct op_sink *sink;
    uint32_t *by_addr;
};

bool
libnbc_is_tag(int64_t tag)
{
    return tag <= FIRST_TAG && tag > LAST_TAG;
}

void
libnbc_note_message(struct op_sink *sink, uint32_t comm, int64_t tag, int64_t peer, bool unmatched)
{
    const struct nonblocking found = {
        .comm = comm, .sequence = -tag, .peer = peer, .unmatched = unmatched};

    if (libnbc_is_tag(tag))
        sink->nonblocking(sink, &found);
}

// The tag is taken when the collective is begun; of a persistent one, when it is made.
static enum status
visit(void *context, taddr item)
{
    const struct search_libnbc *search = context;
    const struct mpi *mpi = search->mpi;
    struct view request, own;
    uint32_t comm;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), item, &request));
    if (view_int(&request, F(ompi_request_t, req_state)) != OMPI_REQUEST_ACTIVE ||
        view_uint(&request, F(ompi_request_t, req_complete)) == OMPI_REQUEST_COMPLETED)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_coll_libnbc_request_t), item, &own));
    const int64_t tag = view_int(&own, F(ompi_coll_libnbc_request_t, tag));
    if (!libnbc_is_tag(tag) ||
        !openmpi_find_comm(search->sink, search->by_addr,
                           view_uint(&own, F(ompi_coll_libnbc_request_t, comm)), &comm))
        return STATUS_OK;
    search->sink->nonblocking(
        search->sink,
        &(struct nonblocking){.comm = comm,
                              .sequence = -tag,
                              .request = item,
                              .peer = NO_PEER,
                              .persistent =
                                  view_uint(&request, F(ompi_request_t, req_persistent)) != 0});
    return STATUS_OK;
}

// Whether the items are what the layout says: the class of the list tells, also where the module is
// a part of a stripped library.
static enum status
confirm(const struct mpi *mpi, const struct free_list *list, bool *ret)
{
    struct view class;

    *ret = false;
    if (list->class_addr == 0)
        return STATUS_OK;
    TRY(openmpi_class_is(mpi, list->class_addr, "ompi_coll_libnbc_request_t", ret));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_class_t), list->class_addr, &class));
    *ret &= view_uint(&class, F(opal_class_t, cls_sizeof)) ==
            mpi->layout->structs[S(ompi_coll_libnbc_request_t)].size;
    return STATUS_OK;
}

static enum status
each_request(struct search_libnbc *search, struct arena *arena)
{
    const struct mpi *mpi = search->mpi;
    const struct layout *layout = mpi->layout;
    const int64_t requests = layout->fields[F(ompi_coll_libnbc_component_t, requests)].offset;
    struct free_list list;
    taddr addr;
    bool same;

    if (layout->structs[S(ompi_coll_libnbc_request_t)].origin == ORIGIN_NONE || requests < 0 ||
        inferior_symbol(mpi->inf, "mca_coll_libnbc_component", &addr) != STATUS_OK)
        return STATUS_OK;
    TRY(free_list_load(mpi, addr + (taddr) requests, &list));
    TRY(confirm(mpi, &list, &same));
    return same ? free_list_each(mpi, &list, arena, visit, search) : STATUS_OK;
}

static enum status
each_comm(const struct search_libnbc *search)
{
    const struct mpi *mpi = search->mpi;
    struct view view;

    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        if (view_load_whole(mpi->inf, mpi->layout, S(ompi_communicator_t),
                            search->sink->comms[i].addr, &view) != STATUS_OK) {
            trail_reset(&mpi->inf->trail);
            continue;
        }
        const int64_t tag = view_int(&view, F(ompi_communicator_t, c_nbc_tag)); // 0: not known
        if (libnbc_is_tag(tag))
            search->sink->next_nonblocking(search->sink, i, -tag);
    }
    return STATUS_OK;
}

enum status
libnbc_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    struct search_libnbc search = {mpi, sink, openmpi_sort_comms(arena, sink)};

    if (search.by_addr == NULL)
        return STATUS_NOMEM;
    enum status status = each_comm(&search);
    if (status == STATUS_OK)
        status = each_request(&search, arena);
    // The queues are worth having without it.
    if (status == STATUS_NOMEM)
        return status;
    trail_reset(&mpi->inf->trail);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's worker of libucp, the communicators by their number in the word, and Open MPI's part
// of a request.
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

#include <stdio.h>

// Before MPI_Init there is no worker.
enum status
ucx_open(const struct mpi *mpi, struct ucp *ret)
{
    struct view module;
    taddr addr;

    ucp_init(ret, mpi->inf, mpi->layout, UCP_PLACE);
    ret->user_size = mpi->layout->structs[S(ompi_request_t)].size;
    if (inferior_symbol(mpi->inf, "ompi_pml_ucx", &addr) != STATUS_OK)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "there is no variable ompi_pml_ucx");
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_module_t), addr, &module));
    const taddr worker = view_uint(&module, F(mca_pml_ucx_module_t, ucp_worker));
    if (worker == 0)
        return STATUS_ABSENT;
    TRY(ucp_use_worker(ret, worker, view_uint(&module, F(mca_pml_ucx_module_t, ucp_context))));
    return ucp_has_pool(ret) ? STATUS_OK
                             : trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                                           "the layout of libucp's pool is not known");
}

// A receive that waits for its message was queued, and so was counted.
enum status
ucx_count(const struct mpi *mpi, uint64_t *ret)
{
    struct ucp ucp;

    TRY(ucx_open(mpi, &ucp));
    return ucp_count_queued(&ucp, ret);
}

static enum status
is_persistent(const struct mpi *mpi, taddr addr, bool *ret)
{
    struct view object;
    taddr class_addr;

    TRY(inferior_symbol(mpi->inf, "mca_pml_ucx_persistent_request_t_class", &class_addr));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), addr, &object));
    *ret = view_uint(&object, F(opal_object_t, obj_class)) == class_addr;
    return STATUS_OK;
}

static enum status
contradicts(const struct mpi *mpi, const struct ucx_request *request, const char *what)
{
    return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "request at %#llx: %s",
                       (unsigned long long) request->addr, what);
}

// The request that a persistent one has made does the work, and leads to it, which leads back as
// soon as it has been started, until it is complete.
static enum status
load_persistent(const struct mpi *mpi, taddr addr, struct ucx_request *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_persistent_request_t), addr, &view));
    const taddr started = view_uint(&view, F(mca_pml_ucx_persistent_request_t, tmp_req));
    ret->untold = started == 0;
    if (started == 0)
        return STATUS_OK;
    if (started != ret->addr)
        return contradicts(mpi, ret, "the persistent request that it works for has another one");
    ret->addr = addr;
    ret->persistent = true;
    ret->count = view_uint(&view, F(mca_pml_ucx_persistent_request_t, count));
    if (view_has(&view, F(mca_pml_ucx_persistent_request_t, ompi_datatype)))
        ret->datatype = view_uint(&view, F(mca_pml_ucx_persistent_request_t, ompi_datatype));
    ret->tag = view_uint(&view, F(mca_pml_ucx_persistent_request_t, tag));
    ret->mode = view_int(&view, F(mca_pml_ucx_persistent_request_t, send));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), addr, &ret->ompi));
    return inferior_read_pointer(mpi->inf, view_addr(&ret->ompi, F(ompi_request_t, req_mpi_object)),
                                 &ret->comm);
}

// What the request is of, and what its callback is given: a persistent request, or the copy of the
// data of a buffered send. Both are checked before they are used.
static enum status
load_object(const struct mpi *mpi, struct ucx_request *ret)
{
    ret->comm = ret->data = 0;
    if (!view_has(&ret->ompi, F(ompi_request_t, req_mpi_object)))
        return STATUS_OK;
    const taddr object = view_addr(&ret->ompi, F(ompi_request_t, req_mpi_object));
    TRY(inferior_read_pointer(mpi->inf, object, &ret->comm));
    return inferior_read_pointer(mpi->inf, object - mpi->inf->model.pointer_size, &ret->data);
}

// What a request is of may be a communicator that was freed, or one of Open MPI's own use.
static enum status
check_object(const struct mpi *mpi, const struct ucx_request *request)
{
    bool persistent = false;

    if (request->comm != 0 && is_persistent(mpi, request->comm, &persistent) != STATUS_OK)
        trail_reset(&mpi->inf->trail);
    return persistent ? contradicts(mpi, request, "its communicator is a persistent request")
                      : STATUS_OK;
}

enum status
ucx_request_load(const struct mpi *mpi, const struct ucp *ucp, taddr addr, struct ucx_request *ret)
{
    ret->ucp = addr;
    ret->addr = addr + ucp_request_size(ucp);
    ret->datatype = 0;
    ret->persistent = false;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), ret->addr, &ret->ompi));
    TRY(load_object(mpi, ret));
    bool persistent = false;
    ret->untold = ret->data != 0 && is_persistent(mpi, ret->data, &persistent) != STATUS_OK;
    if (ret->untold)
        trail_reset(&mpi->inf->trail);
    TRY(persistent ? load_persistent(mpi, ret->data, ret) : check_object(mpi, ret));
    const taddr complete = view_uint(&ret->ompi, F(ompi_request_t, req_complete));
    ret->complete = complete == OMPI_REQUEST_COMPLETED;
    ret->blocked = complete > OMPI_REQUEST_COMPLETED && !ret->untold;
    return STATUS_OK;
}

enum status
ucx_describe_matched(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct ucp_receive receive;
    taddr user = ref->addr;
    struct view view;
    struct ucp ucp;

    TRY(ucx_open(mpi, &ucp));
    if (ref->flags & HANDED_PERSISTENT) {
        TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_persistent_request_t), ref->addr,
                      &view));
        user = view_uint(&view, F(mca_pml_ucx_persistent_request_t, tmp_req));
    }
    TRY(ucp_receive_load(&ucp, user - ucp_request_size(&ucp), &receive));
    if (((receive.sender_tag ^ receive.tag) & receive.tag_mask) != 0)
        return STATUS_OK;
    const struct ucx_word word = ucx_split(receive.sender_tag);
    op->actual_peer = word.rank;
    op->actual_tag = word.tag;
    op->actual_bytes = (int64_t) (receive.sender_bytes & INT64_MAX);
    op->known |= OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

void
ucx_limit(const struct mpi *mpi, unsigned *ret_hidden, char *ret, size_t size)
{
    struct ucp ucp;
    const enum status status = ucx_open(mpi, &ucp);

    if (status == STATUS_OK || status == STATUS_ABSENT) {
        snprintf(
            ret, size,
            "libucp has the queues: it does not show counts and datatypes of data in one piece, "
            "except of persistent requests, MPI_Probe, blocking calls that send or whose "
            "message is being received, nor the tag of sends whose data is on the way");
        return;
    }
    *ret_hidden = 1u << OP_SEND | 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
    snprintf(ret, size, "the queues of PML ucx are inside libucp, which cannot be read: %.200s",
             trail_text(&mpi->inf->trail));
}

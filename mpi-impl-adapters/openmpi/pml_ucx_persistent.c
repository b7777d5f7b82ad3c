// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests of PML ucx that are complete: libucp has nothing of them any more.
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

enum { PERSISTENT_SEND = 1 << 0 };

static enum status
emit_complete(void *context, taddr item)
{
    struct ucx_search *search = context;
    const struct mpi *mpi = search->mpi;
    struct view ompi, view;
    struct op_ref ref = {
        .addr = item,
        .stage = STAGE_COMPLETE,
        .flags = REF_HANDED | HANDED_PERSISTENT,
    };

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), item, &ompi));
    if (view_int(&ompi, F(ompi_request_t, req_state)) != OMPI_REQUEST_ACTIVE ||
        view_uint(&ompi, F(ompi_request_t, req_complete)) != OMPI_REQUEST_COMPLETED)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_persistent_request_t), item, &view));
    const uint64_t tag = view_uint(&view, F(mca_pml_ucx_persistent_request_t, tag));
    ref.buffer = view_uint(&view, F(mca_pml_ucx_persistent_request_t, buffer));
    ref.count = view_uint(&view, F(mca_pml_ucx_persistent_request_t, count));
    // Without the datatype the count says nothing of bytes.
    if (view_has(&view, F(mca_pml_ucx_persistent_request_t, ompi_datatype))) {
        ref.datatype = view_uint(&view, F(mca_pml_ucx_persistent_request_t, ompi_datatype));
        ref.flags |= HANDED_BYTES;
    }
    if (view_uint(&view, F(mca_pml_ucx_persistent_request_t, flags)) & PERSISTENT_SEND) {
        ref.class = OP_SEND;
        ref.tag = ucx_split(tag).tag;
        ref.flags |= HANDED_TAG;
        ref.spare = handed_kind_of_mode(view_int(&view, F(mca_pml_ucx_persistent_request_t, send)));
    } else {
        ref.class = OP_RECEIVE;
        ref.spare = 1 + OP_KIND_RECEIVE;
        ucx_add_wanted(tag, view_uint(&view, F(mca_pml_ucx_persistent_request_t, recv)), &ref);
    }
    return contexts_find(&search->contexts, ucx_split(tag).context, &ref.comm)
               ? handed_emit(search->sink, &ref)
               : STATUS_OK;
}

enum status
ucx_persistent(struct ucx_search *search)
{
    const struct mpi *mpi = search->mpi;
    struct free_list list;
    struct view module;
    taddr addr;

    if (mpi->layout->structs[S(mca_pml_ucx_persistent_request_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(inferior_symbol(mpi->inf, "ompi_pml_ucx", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_module_t), addr, &module));
    TRY(free_list_load(mpi, view_addr(&module, F(mca_pml_ucx_module_t, persistent_reqs)), &list));
    return free_list_each(mpi, &list, search->arena, emit_complete, search);
}

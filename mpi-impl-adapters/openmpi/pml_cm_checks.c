// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's requests and libfabric's queue say of one another: where they contradict, the
// layout of one of them does not fit, and nothing follows from what is not found.
#include "mpi-impl-adapters/openmpi/pml_cm_search.h"

// Bytes of a request with MTL ofi's part, at most.
static uint64_t
receive_size(const struct cm_search *search)
{
    const struct struct_layout *structs = search->mpi->layout->structs;

    return (uint64_t) structs[S(mca_pml_cm_hvy_recv_request_t)].size +
           structs[S(ompi_mtl_ofi_request_t)].size;
}

// A receive has a message only if libfabric has been given nothing of it.
enum status
cm_check_gone(const struct cm_search *search, const struct cm_request *request)
{
    const uint32_t at = addrs_not_below(&search->sorted, request->addr);

    return at < search->sorted.count && search->sorted.at[at] - request->addr < receive_size(search)
               ? trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                             "request at %#llx: libfabric was given another part of it",
                             (unsigned long long) request->addr)
               : STATUS_OK;
}

// MTL ofi's part of a request leads back to the convertor that is in the request.
enum status
cm_check_part(const struct cm_search *search, const struct cm_request *request,
              const struct cm_part *part)
{
    const struct mpi *mpi = search->mpi;
    const taddr own = request->addr +
                      (taddr) mpi->layout->fields[F(mca_pml_base_request_t, req_convertor)].offset;

    return part->convertor == own
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "request at %#llx: its part for libfabric is of another one",
                             (unsigned long long) request->addr);
}

// The answer to a send has come only if none is awaited with its tag that is of no send.
enum status
cm_check_answered(const struct cm_search *search, const struct cm_request *request, uint32_t comm)
{
    struct ofi_receive receive;
    uint32_t of;

    for (uint32_t i = 0; i < search->answers.count; ++i) {
        const uint32_t at = (uint32_t) search->answers.at[i];
        TRY(ofi_receive_load(&search->ofi, search->posted.at[at], &receive));
        const struct cm_word word = cm_split(search->module.form, receive.tag);
        if (search->state[at] == ANSWER && word.tag == request->tag &&
            contexts_find(&search->contexts, word.context, &of) && of == comm)
            return trail_begin(&search->mpi->inf->trail, STATUS_UNSUPPORTED,
                               "request at %#llx: whether the answer to it has come is not known",
                               (unsigned long long) request->addr);
    }
    return STATUS_OK;
}

// What lies in an item of the free list is no blocking call's: a layout does not fit.
enum status
cm_check_apart(const struct cm_search *search, taddr context)
{
    return addrs_cover(&search->items, receive_size(search), context)
               ? trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                             "libfabric was given %#llx, which lies in a request that waits for "
                             "nothing",
                             (unsigned long long) context)
               : STATUS_OK;
}

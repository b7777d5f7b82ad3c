// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's requests and libfabric's queue say of one another: where they contradict, the
// layout of one of them does not fit, and nothing follows from what is not found.
#include "mpi-impl-adapters/openmpi/pml_cm_search.h"

#include "mpi-impl-adapters/openmpi/evidence.h"

enum { TYPE_FLAG_PREDEFINED = 0x2 };

// What of a word's bits does not count: MTL ofi's own bits, or the first of them, and all of the
// source, the sign of the tag excepted all of the tag, or neither.
static bool
is_mask(struct cm_form form, uint64_t ignore)
{
    const struct cm_word wild = cm_split(form, ignore);

    return wild.protocol & CM_SYNCHRONOUS && wild.context == 0 &&
           (wild.tag == 0 || wild.tag == (int32_t) ((UINT32_C(1) << (form.tag_bits - 1)) - 1)) &&
           (wild.rank == 0 || wild.rank == (UINT32_C(1) << form.source_bits) - 1);
}

// libfabric has what MTL ofi has noted of a receive before it handed it over. The provider leaves
// out whom it is from where the word has the source. Of the receive of an answer nothing is noted.
enum status
cm_check_given(const struct cm_search *search, const struct ofi_receive *receive)
{
    const struct cm_form form = search->module.form;
    struct cm_part part;
    bool same;

    if (receive->matched)
        return STATUS_OK;
    if (cm_split(form, receive->tag).protocol & CM_ANSWER) {
        same = receive->ignore == 0;
    } else {
        TRY(cm_part_load(search->mpi, cm_part_of(search->mpi, receive->context), &part));
        same = receive->tag == part.word && is_mask(form, receive->ignore) &&
               (receive->address == part.address ||
                (form.source_bits != 0 && receive->address == OFI_ANY_ADDRESS));
    }
    return same ? STATUS_OK
                : trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                              "libfabric's receive at %#llx is not what MTL ofi has asked for",
                              (unsigned long long) receive->addr);
}

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

static bool
is_predefined(const struct mpi *mpi, taddr datatype)
{
    const struct field_layout *flags = &mpi->layout->fields[F(opal_datatype_t, flags)];
    uint64_t value;

    return flags->offset >= 0 &&
           inferior_read_uint(mpi->inf, datatype + (taddr) flags->offset, flags->width, &value) ==
               STATUS_OK &&
           value & TYPE_FLAG_PREDEFINED;
}

// What a convertor is to unpack is as long as what libfabric was given for it. Data of a predefined
// type goes where the program wants it, unless that is not the memory of the host.
static enum status
weigh_convertor(const struct cm_search *search, const struct ofi_receive *receive,
                struct evidence *lengths, struct evidence *buffers)
{
    const struct mpi *mpi = search->mpi;
    struct cm_part part;
    struct view view;
    uint64_t size;

    TRY(cm_part_load(mpi, cm_part_of(mpi, receive->context), &part));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_convertor_t), part.convertor, &view));
    const taddr datatype = view_uint(&view, F(opal_convertor_t, pDesc));
    if (!openmpi_datatype_size(mpi, datatype, &size))
        return STATUS_OK;
    evidence_note(lengths, openmpi_is_length(size, view_uint(&view, F(opal_convertor_t, count)),
                                             receive->bytes));
    if (receive->bytes == 0 || !is_predefined(mpi, datatype))
        return STATUS_OK;
    evidence_note(buffers, view_uint(&view, F(opal_convertor_t, pBaseBuf)) == receive->buffer);
    return STATUS_OK;
}

enum status
cm_check_convertors(struct cm_search *search)
{
    struct evidence lengths = {0}, buffers = {0};
    struct ofi_receive receive;

    for (uint32_t i = 0; i < search->posted.count; ++i) {
        if (search->state[i] == ANSWER ||
            ofi_receive_load(&search->ofi, search->posted.at[i], &receive) != STATUS_OK)
            continue;
        if (weigh_convertor(search, &receive, &lengths, &buffers) == STATUS_NOMEM)
            return STATUS_NOMEM;
    }
    trail_reset(&search->mpi->inf->trail);
    search->hides_buffers = buffers.contradicted > buffers.agreed;
    search->misread = lengths.contradicted > lengths.agreed;
    return !search->misread ? STATUS_OK
                            : trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                                          "%u receives have other lengths than libfabric was given",
                                          lengths.contradicted);
}

enum status
cm_check_length(const struct cm_search *search, const struct cm_request *request,
                const struct ofi_receive *receive)
{
    uint64_t size;

    if (!openmpi_datatype_size(search->mpi, request->datatype, &size) ||
        openmpi_is_length(size, request->count, receive->bytes))
        return STATUS_OK;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                       "request at %#llx: libfabric was given %llu bytes for %llu elements of %llu",
                       (unsigned long long) request->addr, (unsigned long long) receive->bytes,
                       (unsigned long long) request->count, (unsigned long long) size);
}

enum status
cm_check_direction(struct cm_search *search, const struct cm_request *request, bool sends)
{
    if (!request->active || request->sends == sends)
        return STATUS_OK;
    search->misread = true;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                       "request at %#llx: it is of the other direction",
                       (unsigned long long) request->addr);
}

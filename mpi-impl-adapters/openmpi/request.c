// SPDX-License-Identifier: BSD-3-Clause
// Decodes requests and unexpected messages of PML ob1.
#include "mpi-impl-adapters/openmpi/request.h"

enum {
    HDR_TYPE_MATCH = 0x41,
    HDR_TYPE_RNDV = 0x42,
    HDR_TYPE_RGET = 0x43,
    HDR_TYPE_CID = 0x4a,
};

enum {
    WAITS_MAX = 1 << 24,   // requests of one wait
    WAIT_ERRORS = 1 << 10, // error codes of the library, all negative
};
enum { EAGER_MAX = 1 << 30 }; // bytes of a message sent at once; more is taken for damaged memory

// What has not been active yet may have anything in it.
static enum status
check_active(const struct mpi *mpi, const struct request *request)
{
    const uint64_t flags = view_uint(&request->ompi, F(ompi_request_t, req_persistent)) |
                           view_uint(&request->base, F(mca_pml_base_request_t, req_pml_complete)) |
                           view_uint(&request->base, F(mca_pml_base_request_t, req_free_called));

    return flags <= 1 ? STATUS_OK
                      : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                                    "request at %#llx: a flag is neither true nor false",
                                    (unsigned long long) request->addr);
}

// What a thread waits with is on its stack, and begins with how many requests it waits for and an
// error.
static bool
is_wait(const struct mpi *mpi, taddr addr)
{
    uint8_t bytes[2 * sizeof(int32_t)];

    if (addr % mpi->inf->model.pointer_size != 0 ||
        inferior_read(mpi->inf, addr, sizeof(bytes), bytes) != STATUS_OK) {
        trail_reset(&mpi->inf->trail);
        return false;
    }
    const int64_t count = datamodel_int(&mpi->inf->model, bytes, sizeof(int32_t));
    const int64_t error = datamodel_int(&mpi->inf->model, bytes + sizeof(int32_t), sizeof(int32_t));
    return count > 0 && count <= WAITS_MAX && error <= 0 && error >= -WAIT_ERRORS;
}

enum status
request_load(const struct mpi *mpi, taddr addr, struct request *ret)
{
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), addr, &ret->ompi));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_base_request_t), addr, &ret->base));
    const taddr complete = view_uint(&ret->ompi, F(ompi_request_t, req_complete));
    ret->addr = addr;
    ret->comm = view_uint(&ret->base, F(mca_pml_base_request_t, req_comm));
    ret->datatype = view_uint(&ret->base, F(mca_pml_base_request_t, req_datatype));
    ret->buffer = view_uint(&ret->base, F(mca_pml_base_request_t, req_addr));
    ret->count = view_uint(&ret->base, F(mca_pml_base_request_t, req_count));
    ret->persistent = view_uint(&ret->ompi, F(ompi_request_t, req_persistent)) != 0;
    ret->type = view_int(&ret->base, F(mca_pml_base_request_t, req_type));
    ret->peer = view_int(&ret->base, F(mca_pml_base_request_t, req_peer));
    ret->tag = view_int(&ret->base, F(mca_pml_base_request_t, req_tag));
    ret->sequence = view_uint(&ret->base, F(mca_pml_base_request_t, req_sequence));
    ret->active = view_int(&ret->ompi, F(ompi_request_t, req_state)) == OMPI_REQUEST_ACTIVE;
    ret->complete = complete == OMPI_REQUEST_COMPLETED;
    ret->pml_complete = view_int(&ret->base, F(mca_pml_base_request_t, req_pml_complete)) != 0;
    ret->freed = view_int(&ret->base, F(mca_pml_base_request_t, req_free_called)) != 0;
    ret->internal = ret->tag < 0 && ret->tag != OMPI_ANY_TAG;
    ret->blocked = ret->active && complete > OMPI_REQUEST_COMPLETED && is_wait(mpi, complete);
    return ret->active ? check_active(mpi, ret) : STATUS_OK;
}

enum status
request_matched(const struct mpi *mpi, taddr addr, bool *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_recv_request_t), addr, &view));
    *ret = view_uint(&view, F(mca_pml_ob1_recv_request_t, req_match_received)) != 0;
    return STATUS_OK;
}

enum status
request_acknowledged(const struct mpi *mpi, taddr addr, bool *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_send_request_t), addr, &view));
    // The receiver's request, at its address there.
    const taddr receive = view_uint(&view, F(mca_pml_ob1_send_request_t, req_recv));
    *ret = receive != 0;
    return receive % mpi->inf->model.pointer_size == 0 && (receive == 0 || op_address(receive))
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "request at %#llx: its receiver's cannot be at %#llx",
                             (unsigned long long) addr, (unsigned long long) receive);
}

enum status
request_send_lingers(const struct mpi *mpi, const struct request *request, bool *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_base_send_request_t), request->addr, &view));
    const bool buffered =
        view_int(&view, F(mca_pml_base_send_request_t, req_send_mode)) == PML_SEND_BUFFERED;
    *ret = !request->pml_complete && (buffered || request->freed);
    return STATUS_OK;
}

// Bytes of the header before the data of an eager message. Heterogeneous builds pad it.
static uint64_t
match_header_size(const struct layout *layout)
{
    const bool padded = layout->fields[F(mca_pml_ob1_match_hdr_t, hdr_padding)].offset >= 0;
    const struct field_layout *last = &layout->fields[F(mca_pml_ob1_match_hdr_t, hdr_seq)];

    return padded ? layout->structs[S(mca_pml_ob1_match_hdr_t)].size
                  : (uint64_t) last->offset + last->width;
}

// An eager message is here whole, behind its header. Its length counts the `skipped` bytes in front
// of `start`, too.
static void
decode_eager(const struct layout *layout, taddr start, uint64_t length, uint64_t skipped,
             struct fragment *ret)
{
    const uint64_t header = match_header_size(layout);

    if (length < skipped + header || length - skipped - header > EAGER_MAX)
        return;
    ret->sized = true;
    ret->bytes = length - skipped - header;
    if (ret->bytes > 0)
        ret->data = start + header;
}

// Of a large message only the envelope is here, and perhaps its beginning.
static enum status
load_rendezvous(const struct mpi *mpi, taddr header, struct fragment *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_rendezvous_hdr_t), header, &view));
    ret->bytes = view_uint(&view, F(mca_pml_ob1_rendezvous_hdr_t, hdr_msg_length));
    ret->rendezvous = true;
    ret->sized = ret->bytes <= INT64_MAX;
    return STATUS_OK;
}

static enum status
load_header(const struct mpi *mpi, taddr header, struct fragment *ret)
{
    struct view view, common;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_match_hdr_t), header, &view));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_common_hdr_t),
                  view_addr(&view, F(mca_pml_ob1_match_hdr_t, hdr_common)), &common));
    *ret = (struct fragment){
        .source = view_int(&view, F(mca_pml_ob1_match_hdr_t, hdr_src)),
        .tag = view_int(&view, F(mca_pml_ob1_match_hdr_t, hdr_tag)),
        .type = view_uint(&common, F(mca_pml_ob1_common_hdr_t, hdr_type)),
        .context = (uint32_t) view_uint(&view, F(mca_pml_ob1_match_hdr_t, hdr_ctx)),
        .sequence = (uint16_t) view_uint(&view, F(mca_pml_ob1_match_hdr_t, hdr_seq)),
    };
    return STATUS_OK;
}

bool
fragment_is_message(const struct fragment *fragment)
{
    return fragment->type == HDR_TYPE_MATCH || fragment->type == HDR_TYPE_RNDV ||
           fragment->type == HDR_TYPE_RGET;
}

enum status
fragment_load(const struct mpi *mpi, taddr addr, struct fragment *ret)
{
    const struct layout *layout = mpi->layout;
    struct view view, segment;
    uint64_t skipped = 0;

    TRY(view_load(mpi->inf, layout, S(mca_pml_ob1_recv_frag_t), addr, &view));
    TRY(view_load(mpi->inf, layout, S(mca_btl_base_segment_t),
                  view_addr(&view, F(mca_pml_ob1_recv_frag_t, segments)), &segment));
    taddr header = view_addr(&view, F(mca_pml_ob1_recv_frag_t, hdr));
    const taddr start = view_uint(&segment, F(mca_btl_base_segment_t, seg_addr));
    TRY(load_header(mpi, header, ret));
    // What came before its communicator was there keeps the header that stands before its own.
    if (ret->type == HDR_TYPE_CID) {
        skipped = layout->structs[S(mca_pml_ob1_cid_hdr_t)].size;
        header = start;
        if (skipped == 0)
            return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                               "the layout of mca_pml_ob1_cid_hdr_t is not known");
        TRY(load_header(mpi, header, ret));
    }
    if (ret->type == HDR_TYPE_RNDV || ret->type == HDR_TYPE_RGET)
        return load_rendezvous(mpi, header, ret);
    if (ret->type == HDR_TYPE_MATCH &&
        view_uint(&view, F(mca_pml_ob1_recv_frag_t, num_segments)) == 1)
        decode_eager(layout, start, view_uint(&segment, F(mca_btl_base_segment_t, seg_len)),
                     skipped, ret);
    return STATUS_OK;
}

enum status
fragment_decode(const struct mpi *mpi, taddr header, uint64_t length, struct fragment *ret)
{
    TRY(load_header(mpi, header, ret));
    if (ret->type == HDR_TYPE_RNDV || ret->type == HDR_TYPE_RGET)
        return load_rendezvous(mpi, header, ret);
    if (ret->type != HDR_TYPE_MATCH)
        return STATUS_ABSENT;
    decode_eager(mpi->layout, header, length, 0, ret);
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// The module that PML cm hands messages to, and its requests.
#include "mpi-impl-adapters/openmpi/pml_cm.h"

#include "mpi-impl-adapters/openmpi/request.h"

#include <stdio.h>
#include <string.h>

/** Kinds of request, as PML cm numbers them. */
enum { CM_HEAVY_SEND, CM_THIN_SEND, CM_HEAVY_RECEIVE, CM_THIN_RECEIVE };

enum { MOST_SOURCE_BITS = 24 };

struct cm_word
cm_split(struct cm_form form, uint64_t word)
{
    const unsigned above = form.tag_bits + CM_PROTOCOL_BITS;

    return (struct cm_word){
        .tag = (int32_t) ((int64_t) (word << (64 - form.tag_bits)) >> (64 - form.tag_bits)),
        .protocol = (unsigned) (word >> form.tag_bits) & ((1u << CM_PROTOCOL_BITS) - 1),
        .rank = (uint32_t) (word >> above & ((UINT64_C(1) << form.source_bits) - 1)),
        .context = (uint32_t) (word >> (above + form.source_bits)),
    };
}

// The selected module's component has the name at the place of all components.
static void
load_name(const struct mpi *mpi, char *ret, size_t size)
{
    struct view view;
    taddr addr, component;

    ret[0] = '\0';
    if (inferior_symbol(mpi->inf, "ompi_mtl_base_selected_component", &addr) != STATUS_OK ||
        inferior_read_pointer(mpi->inf, addr, &component) != STATUS_OK ||
        view_load(mpi->inf, mpi->layout, S(mca_base_component_t), component, &view) != STATUS_OK)
        return;
    snprintf(ret, size, "%.*s", (int) (size - 1),
             (const char *) view_bytes(&view, F(mca_base_component_t, mca_component_name)));
}

// The module's own two bits, of which one is known, stand between the tag and what else there is.
static enum status
load_form(const struct mpi *mpi, const struct view *view, struct cm_form *ret)
{
    const uint64_t synchronous = view_uint(view, F(mca_mtl_ofi_module_t, sync_send));
    const int64_t source = view_int(view, F(mca_mtl_ofi_module_t, num_bits_source_rank));

    if (synchronous < 2 || synchronous > UINT64_C(1) << 32 ||
        (synchronous & (synchronous - 1)) != 0 || source < 0 || source > MOST_SOURCE_BITS)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MTL ofi marks synchronous sends by %#llx, and has %lld bits of source",
                           (unsigned long long) synchronous, (long long) source);
    *ret = (struct cm_form){(unsigned) __builtin_ctzll(synchronous), (unsigned) source};
    return STATUS_OK;
}

static enum status
load_ofi(const struct mpi *mpi, taddr addr, struct cm_module *ret)
{
    struct view view, context;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_mtl_ofi_module_t), addr, &view));
    const taddr contexts = view_uint(&view, F(mca_mtl_ofi_module_t, ofi_ctxt));
    if (contexts == 0)
        return STATUS_ABSENT;
    TRY(load_form(mpi, &view, &ret->form));
    ret->any_address = view_uint(&view, F(mca_mtl_ofi_module_t, any_addr));
    TRY(inferior_read_string(mpi->inf, view_uint(&view, F(mca_mtl_ofi_module_t, provider_name)),
                             sizeof(ret->provider), ret->provider));
    if (view_int(&view, F(mca_mtl_ofi_module_t, total_ctxts_used)) > 1)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(mca_mtl_ofi_context_t), contexts, &context));
    ret->endpoint = view_uint(&context, F(mca_mtl_ofi_context_t, rx_ep));
    return STATUS_OK;
}

enum status
cm_module_load(const struct mpi *mpi, struct cm_module *ret)
{
    taddr addr, selected, ofi;

    *ret = (struct cm_module){.is_ofi = false};
    TRY(inferior_symbol(mpi->inf, "ompi_mtl", &addr));
    TRY(inferior_read_pointer(mpi->inf, addr, &selected));
    if (selected == 0)
        return STATUS_ABSENT;
    load_name(mpi, ret->name, sizeof(ret->name));
    ret->is_ofi = inferior_symbol(mpi->inf, "ompi_mtl_ofi", &ofi) == STATUS_OK && ofi == selected;
    trail_reset(&mpi->inf->trail);
    return ret->is_ofi ? load_ofi(mpi, ofi, ret) : STATUS_OK;
}

enum status
cm_open(const struct mpi *mpi, const struct cm_module *module, struct ofi *ret)
{
    if (!module->is_ofi || module->endpoint == 0)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "%s",
                           module->is_ofi ? "it has several endpoints"
                                          : "it is not one of libfabric's");
    return ofi_open(mpi->inf, mpi->layout, OFI_PLACE, module->provider, module->endpoint, ret);
}

// The light ones have nothing but the module's part, which is the last.
static enum status
load_light(const struct mpi *mpi, unsigned mtl, struct cm_request *ret)
{
    const int32_t offset = mpi->layout->fields[mtl].offset;

    if (offset < 0)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of PML cm's light requests is not known");
    ret->mtl = ret->addr + (taddr) offset;
    return STATUS_OK;
}

// What those of one size have, and those of the other.
static enum status
load_receive(const struct mpi *mpi, bool heavy, struct cm_request *ret)
{
    struct view view;

    if (!heavy)
        return load_light(mpi, F(mca_pml_cm_thin_recv_request_t, req_mtl), ret);
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_cm_hvy_recv_request_t), ret->addr, &view));
    ret->mtl = view_addr(&view, F(mca_pml_cm_hvy_recv_request_t, req_mtl));
    ret->buffer = view_uint(&view, F(mca_pml_cm_hvy_recv_request_t, req_addr));
    ret->count = view_uint(&view, F(mca_pml_cm_hvy_recv_request_t, req_count));
    ret->peer = (int32_t) view_int(&view, F(mca_pml_cm_hvy_recv_request_t, req_peer));
    ret->tag = (int32_t) view_int(&view, F(mca_pml_cm_hvy_recv_request_t, req_tag));
    ret->enveloped = true;
    return STATUS_OK;
}

// The status of a send has its tag and its count from the beginning.
static enum status
load_send(const struct mpi *mpi, const struct view *ompi, bool heavy, struct cm_request *ret)
{
    struct view view, status;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_cm_send_request_t), ret->addr, &view));
    ret->mode = view_int(&view, F(mca_pml_cm_send_request_t, req_send_mode));
    TRY(openmpi_status_load(mpi, ompi, &status));
    ret->tag = (int32_t) view_int(&status, F(ompi_status_public_t, MPI_TAG));
    ret->count = view_uint(&status, F(ompi_status_public_t, _ucount));
    ret->sends = true;
    if (!heavy)
        return load_light(mpi, F(mca_pml_cm_thin_send_request_t, req_mtl), ret);
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_cm_hvy_send_request_t), ret->addr, &view));
    ret->mtl = view_addr(&view, F(mca_pml_cm_hvy_send_request_t, req_mtl));
    ret->peer = (int32_t) view_int(&view, F(mca_pml_cm_hvy_send_request_t, req_peer));
    ret->tag = (int32_t) view_int(&view, F(mca_pml_cm_hvy_send_request_t, req_tag));
    ret->enveloped = true;
    ret->buffer = ret->mode == PML_SEND_BUFFERED
                      ? view_uint(&view, F(mca_pml_cm_hvy_send_request_t, req_buff))
                      : view_uint(&view, F(mca_pml_cm_hvy_send_request_t, req_addr));
    return STATUS_OK;
}

enum status
cm_request_load(const struct mpi *mpi, taddr addr, struct cm_request *ret)
{
    struct request base;
    struct view convertor;

    // All but the envelope and the buffer is where every PML has it.
    TRY(request_load(mpi, addr, &base));
    *ret = (struct cm_request){
        .addr = addr,
        .comm = base.comm,
        .datatype = base.datatype,
        .active = base.active,
        .complete = base.complete,
        .pml_complete = base.pml_complete,
        .blocked = base.blocked,
        .freed = base.freed,
        .persistent = base.persistent,
    };
    if (!view_has(&base.base, F(mca_pml_base_request_t, req_convertor)))
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of PML cm's requests is not known");
    TRY(view_load(mpi->inf, mpi->layout, S(opal_convertor_t),
                  view_addr(&base.base, F(mca_pml_base_request_t, req_convertor)), &convertor));
    ret->count = view_uint(&convertor, F(opal_convertor_t, count));
    ret->buffer = view_uint(&convertor, F(opal_convertor_t, pBaseBuf));
    switch (base.type) {
    case CM_HEAVY_SEND:
    case CM_THIN_SEND:
        return load_send(mpi, &base.ompi, base.type == CM_HEAVY_SEND, ret);
    case CM_HEAVY_RECEIVE:
    case CM_THIN_RECEIVE:
        return load_receive(mpi, base.type == CM_HEAVY_RECEIVE, ret);
    default:
        return !ret->active ? STATUS_OK
                            : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                                          "request at %#llx: kind %lld cannot be",
                                          (unsigned long long) addr, (long long) base.type);
    }
}

taddr
cm_part_of(const struct mpi *mpi, taddr context)
{
    return context - (taddr) mpi->layout->fields[F(ompi_mtl_ofi_request_t, ctx)].offset;
}

enum status
cm_part_load(const struct mpi *mpi, taddr addr, struct cm_part *ret)
{
    struct view view, super;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_mtl_ofi_request_t), addr, &view));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_mtl_request_t),
                  view_addr(&view, F(ompi_mtl_ofi_request_t, super)), &super));
    *ret = (struct cm_part){
        .request = view_uint(&super, F(mca_mtl_request_t, ompi_req)),
        .context = view_addr(&view, F(ompi_mtl_ofi_request_t, ctx)),
        .convertor = view_uint(&view, F(ompi_mtl_ofi_request_t, convertor)),
        .parent = view_uint(&view, F(ompi_mtl_ofi_request_t, parent)),
        .word = view_uint(&view, F(ompi_mtl_ofi_request_t, match_bits)),
        .address = view_uint(&view, F(ompi_mtl_ofi_request_t, remote_addr)),
        .bytes = view_uint(&view, F(ompi_mtl_ofi_request_t, length)),
    };
    return STATUS_OK;
}

// What MTL ofi keeps of a process has a class of its own.
enum status
cm_peer_address(const struct mpi *mpi, taddr word, uint64_t *ret)
{
    struct view object, endpoint;
    taddr class_addr;

    if (word == 0)
        return STATUS_ABSENT;
    TRY(inferior_symbol(mpi->inf, "mca_mtl_ofi_endpoint_t_class", &class_addr));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), word, &object));
    if (view_uint(&object, F(opal_object_t, obj_class)) != class_addr)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(mca_mtl_ofi_endpoint_t), word, &endpoint));
    *ret = view_uint(&endpoint, F(mca_mtl_ofi_endpoint_t, peer_fiaddr));
    return STATUS_OK;
}

void
cm_limit(const struct mpi *mpi, unsigned *ret_hidden, char *what, size_t what_size, char *ret,
         size_t size)
{
    struct cm_module module;
    struct ofi ofi;

    what[0] = '\0';
    enum status status = cm_module_load(mpi, &module);
    if (status == STATUS_OK) {
        snprintf(what, what_size, ", mtl %.8s%s%s", module.name, module.is_ofi ? ", " : "",
                 module.provider);
        status = cm_open(mpi, &module, &ofi);
    }
    if (status == STATUS_ABSENT)
        return;
    if (status == STATUS_OK) {
        snprintf(
            ret, size,
            "libfabric's provider %s has the queues: it does not show %sMPI_Probe, blocking "
            "calls that send, to whom sends of MPI_Isend go and whether they are matched, nor in "
            "full what a receive asked for once it has its message",
            module.provider, ofi_unread(&ofi));
        return;
    }
    *ret_hidden = 1u << OP_UNEXPECTED;
    snprintf(ret, size,
             "PML cm hands messages to %s%s%s, whose queues cannot be read (%.80s): receives and "
             "sends are shown as far as Open MPI has kept them, and none of blocking calls",
             module.is_ofi ? "libfabric's provider " : "MTL ",
             module.is_ofi ? module.provider : module.name, "", trail_text(&mpi->inf->trail));
}

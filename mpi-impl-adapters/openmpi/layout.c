// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of Open MPI's structs come from, and how a built-in one is confirmed.
//
// Open MPI describes its classes itself: NAME_class is an opal_class_t with the class's name,
// parent and size, statically initialised, exported, and there in a stripped library. A built-in
// block is used only when every class below has the size that it says. (Not among them is
// ompi_proc_t: its size depends on which components were built.)
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "mpi-impl-adapters/openmpi/pml_ucx.h"
#include "mpi-impl-adapters/ucp/ucp.h"
#include "target/layout_check.h"

#include <stdio.h>
#include <string.h>

static const struct class_symbol {
    unsigned number;
    const char *symbol;
    const char *name;
} class_symbols[] = {
#define CLASS(type)                    \
    {                                  \
        S(type), #type "_class", #type \
    }
    CLASS(opal_list_item_t),
    CLASS(opal_list_t),
    CLASS(opal_free_list_item_t),
    CLASS(opal_free_list_t),
    CLASS(opal_pointer_array_t),
    CLASS(opal_proc_t),
    CLASS(ompi_group_t),
    CLASS(ompi_communicator_t),
    CLASS(opal_datatype_t),
    CLASS(ompi_datatype_t),
    CLASS(ompi_request_t),
    CLASS(mca_pml_base_request_t),
    CLASS(mca_pml_base_recv_request_t),
    CLASS(mca_pml_base_send_request_t),
    CLASS(mca_pml_ucx_persistent_request_t),
    CLASS(ompi_message_t),
    CLASS(mca_pml_cm_send_request_t),
    CLASS(mca_pml_cm_thin_send_request_t),
    CLASS(mca_pml_cm_hvy_send_request_t),
    CLASS(mca_pml_cm_thin_recv_request_t),
    CLASS(mca_pml_cm_hvy_recv_request_t),
    CLASS(mca_mtl_ofi_endpoint_t),
    CLASS(mca_pml_ob1_recv_request_t),
    CLASS(mca_pml_ob1_send_request_t),
    CLASS(mca_pml_ob1_comm_t),
    CLASS(mca_pml_ob1_comm_proc_t),
    CLASS(mca_pml_ob1_recv_frag_t),
    CLASS(mca_btl_vader_endpoint_t),
#undef CLASS
};

enum { N_CLASS_SYMBOLS = sizeof(class_symbols) / sizeof(class_symbols[0]) };

// What only handles need: without it there is less to show, and the block is as good as before.
static const struct class_symbol object_symbols[] = {
#define CLASS(type)                    \
    {                                  \
        S(type), #type "_class", #type \
    }
    CLASS(mca_topo_base_module_t),
    CLASS(mca_topo_base_comm_cart_2_2_0_t),
    CLASS(mca_topo_base_comm_graph_2_2_0_t),
    CLASS(mca_topo_base_comm_dist_graph_2_2_0_t),
    CLASS(opal_hash_table_t),
    CLASS(ompi_win_t),
    CLASS(ompi_file_t),
    CLASS(ompi_op_t),
    CLASS(ompi_errhandler_t),
    CLASS(ompi_info_t),
    CLASS(opal_info_entry_t),
    CLASS(opal_cstring_t),
    CLASS(opal_infosubscriber_t),
    CLASS(ompi_osc_rdma_sync_t),
    CLASS(ompi_osc_rdma_peer_t),
    CLASS(ompi_osc_pt2pt_sync_t),
    CLASS(ompi_osc_pt2pt_peer_t),
    CLASS(ompi_osc_pt2pt_pending_lock_t),
    CLASS(ompi_osc_ucx_lock_t),
#undef CLASS
};

// The class of a module that is there: only its size parts the blocks of 4.1.
static bool
is_awaited(struct inferior *inf, const struct class_symbol *class)
{
    return class->number == S(mca_pml_ucx_persistent_request_t) &&
           inferior_has_name(inf, "ompi_pml_ucx");
}

// Checks one class of the process against the layout. A class that the process lacks is of a module
// that is not loaded, or of one without which there is nothing to show.
static enum status
confirm_class(struct inferior *inf, const struct layout *layout, const struct class_symbol *class)
{
    const struct mpi mpi = {inf, layout};
    const struct struct_layout *want = &layout->structs[class->number];
    struct view view;
    taddr addr;
    bool same;

    if (want->origin != ORIGIN_BUILTIN)
        return STATUS_OK;
    const enum status found = inferior_symbol(inf, class->symbol, &addr);
    if (found != STATUS_OK && is_awaited(inf, class))
        return trail_begin(&inf->trail, found, "no symbol %s", class->symbol);
    if (found != STATUS_OK)
        return layout->needs->structs[class->number].presence == PRESENCE_REQUIRED
                   ? trail_begin(&inf->trail, STATUS_MISMATCH, "no symbol %s", class->symbol)
                   : STATUS_OK;
    TRY(view_load(inf, layout, S(opal_class_t), addr, &view));
    TRY(openmpi_class_is(&mpi, addr, class->name, &same));
    if (!same)
        return trail_begin(&inf->trail, STATUS_MISMATCH, "%s has another class name",
                           class->symbol);
    const uint64_t size = view_uint(&view, F(opal_class_t, cls_sizeof));
    if (size != want->size)
        return trail_begin(&inf->trail, STATUS_MISMATCH, "%s has %llu bytes, %u in built-in %s",
                           class->name, (unsigned long long) size, want->size, layout->label);
    return STATUS_OK;
}

// MTL ofi has no class for its part of a request, but says how much more than the beginning it is:
// as soon as it is in use. It may be a part of the library, and never be.
static enum status
confirm_mtl(struct inferior *inf, const struct layout *layout)
{
    const struct struct_layout *want = &layout->structs[S(ompi_mtl_ofi_request_t)];
    struct view module;
    taddr addr;

    if (want->origin != ORIGIN_BUILTIN || !inferior_has_name(inf, "ompi_mtl_ofi"))
        return STATUS_OK;
    TRY(inferior_symbol(inf, "ompi_mtl_ofi", &addr));
    TRY(view_load(inf, layout, S(mca_mtl_ofi_module_t), addr, &module));
    if (!view_has(&module, F(mca_mtl_ofi_module_t, mtl_request_size)))
        return STATUS_OK;
    const uint64_t more = view_uint(&module, F(mca_mtl_ofi_module_t, mtl_request_size));
    const uint64_t size = more + layout->structs[S(mca_mtl_request_t)].size;
    return more == 0 || size == want->size
               ? STATUS_OK
               : trail_begin(&inf->trail, STATUS_MISMATCH,
                             "ompi_mtl_ofi_request_t has %llu bytes, %u in built-in %s",
                             (unsigned long long) size, want->size, layout->label);
}

// What a struct adds to the one that it begins with stands behind that one's part.
static enum status
confirm_parents(struct inferior *inf, const struct layout *layout)
{
    static const struct {
        unsigned number, parent;
    } parents[] = {
        {S(mca_pml_base_request_t), S(ompi_request_t)},
        {S(mca_pml_base_recv_request_t), S(mca_pml_base_request_t)},
        {S(mca_pml_base_send_request_t), S(mca_pml_base_request_t)},
        {S(mca_pml_ob1_recv_request_t), S(mca_pml_base_recv_request_t)},
        {S(mca_pml_ob1_send_request_t), S(mca_pml_base_send_request_t)},
        {S(mca_pml_ob1_rendezvous_hdr_t), S(mca_pml_ob1_match_hdr_t)},
    };

    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); ++i) {
        const struct field_range range = layout_fields_of(layout->needs, parents[i].number);
        if (layout->structs[parents[i].number].origin != ORIGIN_BUILTIN)
            continue;
        for (unsigned k = range.first; k < range.end; ++k)
            if (layout->fields[k].offset >= 0 &&
                (uint32_t) layout->fields[k].offset < layout->structs[parents[i].parent].size)
                return trail_begin(
                    &inf->trail, STATUS_MISMATCH, "%s.%s is in the part of its parent",
                    layout->needs->structs[parents[i].number].name, layout->needs->fields[k].name);
    }
    return STATUS_OK;
}

// A communicator that no program can give another name.
static enum status
confirm_comm_name(const struct mpi *mpi)
{
    char name[COMM_NAME];
    struct view view;
    taddr addr;

    if (mpi->layout->structs[S(ompi_communicator_t)].origin != ORIGIN_BUILTIN ||
        inferior_symbol(mpi->inf, "ompi_mpi_comm_null", &addr) != STATUS_OK)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), addr, &view));
    openmpi_comm_name(mpi, &view, name);
    return !strcmp(name, "MPI_COMM_NULL")
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                             "MPI_COMM_NULL has another name in built-in %s", mpi->layout->label);
}

// Types whose size is not their extent. A program may have given one another name, but not all.
static enum status
confirm_types(const struct mpi *mpi)
{
    static const struct {
        const char *symbol, *name;
        uint64_t size;
    } types[] = {
        {"ompi_mpi_double_int", "MPI_DOUBLE_INT", 12},
        {"ompi_mpi_short_int", "MPI_SHORT_INT", 6},
    };
    const struct struct_layout *structs = mpi->layout->structs;
    char name[DATATYPE_NAME];
    bool is_named = false;
    uint64_t size;
    taddr addr;

    if (structs[S(opal_datatype_t)].origin != ORIGIN_BUILTIN ||
        structs[S(ompi_datatype_t)].origin != ORIGIN_BUILTIN)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (inferior_symbol(mpi->inf, types[i].symbol, &addr) != STATUS_OK ||
            !openmpi_datatype_size(mpi, addr, &size) || !openmpi_datatype_name(mpi, addr, name))
            return STATUS_OK;
        is_named |= !strcmp(name, types[i].name);
        if (size != types[i].size)
            return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                               "%s has %llu bytes in built-in %s", types[i].name,
                               (unsigned long long) size, mpi->layout->label);
    }
    return is_named
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                             "MPI's datatypes have other names in built-in %s", mpi->layout->label);
}

// Objects that are the same in each process once MPI_Init is over.
static enum status
confirm_objects(struct inferior *inf, const struct layout *layout)
{
    const struct mpi mpi = {inf, layout};
    enum phase phase;

    if (openmpi_phase(&mpi, &phase) != STATUS_OK || phase != PHASE_IN_USE)
        return STATUS_OK;
    TRY(confirm_comm_name(&mpi));
    return confirm_types(&mpi);
}

// @param ret_agreed number of classes that agree, up to the first that does not
static enum status
confirm(struct inferior *inf, const struct layout *layout, int *ret_agreed)
{
    for (*ret_agreed = 0; *ret_agreed < N_CLASS_SYMBOLS; ++*ret_agreed)
        TRY(confirm_class(inf, layout, &class_symbols[*ret_agreed]));
    TRY(confirm_mtl(inf, layout));
    TRY(confirm_parents(inf, layout));
    return confirm_objects(inf, layout);
}

// Without its module nothing has confirmed the part of a request that the blocks of 4.1 differ in.
// What handles need is refuted struct by struct; a class that cannot be read refutes nothing.
static void
discard_unconfirmed(struct inferior *inf, struct layout *layout)
{
    if (layout->structs[S(ompi_mtl_ofi_request_t)].origin == ORIGIN_BUILTIN &&
        !inferior_has_name(inf, "ompi_mtl_ofi"))
        layout_discard(layout, S(ompi_mtl_ofi_request_t));
    for (size_t i = 0; i < sizeof(object_symbols) / sizeof(object_symbols[0]); ++i)
        if (layout->structs[object_symbols[i].number].origin == ORIGIN_BUILTIN &&
            confirm_class(inf, layout, &object_symbols[i]) == STATUS_MISMATCH)
            layout_discard(layout, object_symbols[i].number);
    trail_reset(&inf->trail);
}

// Tries the blocks in turn on what debug information has left open. The trail is of the one that
// agrees most. What cannot be read refutes no block, so that a later one would be a guess.
static enum status
resolve_builtin(struct inferior *inf, const struct layout *begun, struct layout *ret)
{
    enum status status = STATUS_OK;
    struct trail nearest = inf->trail;
    int most = -1, agreed;

    for (unsigned block = 0; status != STATUS_END; ++block) {
        *ret = *begun;
        status = layout_from_block(ret, openmpi_builtin, openmpi_builtin_rows, block);
        if (status != STATUS_OK)
            continue;
        const enum status fits = confirm(inf, ret, &agreed);
        if (fits == STATUS_OK) {
            discard_unconfirmed(inf, ret);
            return STATUS_OK;
        }
        status = fits == STATUS_MISMATCH ? STATUS_OK : STATUS_END;
        if (agreed > most)
            nearest = inf->trail;
        most = agreed > most ? agreed : most;
    }
    *ret = *begun;
    inf->trail = nearest;
    return STATUS_MISMATCH;
}

// A built-in block may fill in the optional structs too (a stripped ob1 beside a libmpi with debug
// information), so it is tried whenever anything is unresolved.
static bool
incomplete(const struct layout *layout)
{
    for (unsigned i = 0; i < layout->needs->n_structs; ++i)
        if (layout->structs[i].origin == ORIGIN_NONE)
            return true;
    return false;
}

// libucp is not of the release that the library is: its block is a choice of its own, of the
// version until there is a worker. Only PML ucx needs it.
static void
resolve_ucp(struct inferior *inf, struct layout *layout)
{
    const struct mpi mpi = {inf, layout};
    struct ucp ucp;
    taddr addr;

    layout->label[0] = '\0';
    if (inferior_symbol(inf, "ompi_pml_ucx", &addr) == STATUS_OK &&
        ucp_resolve(inf, UCP_PLACE, layout) == STATUS_OK) {
        const enum status status = ucx_open(&mpi, &ucp);
        if (status == STATUS_OK)
            ucp_put_back(&ucp, UCP_PLACE, layout);
        else
            ucp_drop_refused(status, UCP_PLACE, layout);
        // Without a worker libucp is not in use, and nothing confirms what is built in.
        if (status == STATUS_ABSENT)
            layout->label[0] = '\0';
    }
    trail_reset(&inf->trail);
}

static void
add_ucp(struct inferior *inf, struct layout *layout)
{
    char own[LAYOUT_LABEL], ucp[LAYOUT_LABEL];

    memcpy(own, layout->label, sizeof(own));
    resolve_ucp(inf, layout);
    memcpy(ucp, layout->label, sizeof(ucp));
    memcpy(layout->label, own, sizeof(own));
    if (ucp[0] != '\0' && strcmp(ucp, own) != 0)
        snprintf(layout->label, sizeof(layout->label), "%.28s, %.17s", ucp,
                 own[0] != '\0' ? own : "debug information");
}

enum status
openmpi_resolve(struct inferior *inf, unsigned origins, struct layout *ret)
{
    struct layout begun;
    enum status status = STATUS_OK;

    layout_init(&begun, &openmpi_needs, &inf->model);
    trail_reset(&inf->trail);
    if (origins & 1u << ORIGIN_DEBUG)
        layout_from_debug(&begun, inf);
    *ret = begun;
    if (incomplete(&begun) && origins & 1u << ORIGIN_BUILTIN)
        status = resolve_builtin(inf, &begun, ret);
    const char *missing = layout_missing(ret);
    if (missing == NULL) {
        add_ucp(inf, ret);
        return STATUS_OK;
    }
    char releases[LAYOUT_LABEL];
    layout_releases(openmpi_builtin, openmpi_builtin_rows, NULL, releases, sizeof(releases));
    return trail_prepend(
        &inf->trail, status == STATUS_OK ? STATUS_MISMATCH : status,
        "the layout of %s is not known: not among those built in (%s); install the "
        "debug information of the library",
        missing, releases);
}

// Not awaited are the header in front of another one, which releases before 5.0 lack, and what only
// PMLs ucx and cm use (the last structs), which check what they find themselves; but libucp and
// MTL ofi's requests are looked for until they are found where they are used: what could not be
// read once may be there the next time.
bool
openmpi_has_modules(struct inferior *inf, const struct layout *layout)
{
    taddr addr;

    for (unsigned i = 0; i < S(mca_pml_ucx_module_t); ++i)
        if (layout->structs[i].origin == ORIGIN_NONE && i != S(mca_pml_ob1_cid_hdr_t))
            return false;
    if (layout->structs[S(ompi_mtl_ofi_request_t)].origin == ORIGIN_NONE &&
        inferior_has_name(inf, "ompi_mtl_ofi"))
        return false;
    return layout->structs[S(ucp_request_send)].origin != ORIGIN_NONE ||
           inferior_symbol(inf, "ompi_pml_ucx", &addr) != STATUS_OK;
}

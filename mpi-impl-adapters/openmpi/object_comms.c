// SPDX-License-Identifier: BSD-3-Clause
// What is known of communicators, their topologies, and groups.
#include "mpi-impl-adapters/openmpi/objects.h"

enum status
emit_ranks(const struct mpi *mpi, struct member_sink *sink, enum member_id id, taddr group,
           int64_t size)
{
    enum status status = STATUS_OK;

    int32_t *ranks = inferior_alloc(mpi->inf, ((size_t) size + 1) * sizeof(*ranks));
    if (ranks == NULL)
        return STATUS_NOMEM;
    if (size > 0)
        status = openmpi_group(mpi, group, (uint32_t) size, ranks);
    for (int64_t i = 0; i < size && status == STATUS_OK; ++i)
        status = emit_indexed(sink, id, (uint32_t) i, ranks[i]);
    inferior_free(mpi->inf, ranks);
    return status;
}

static enum status
emit_group(const struct mpi *mpi, struct member_sink *sink, enum member_id size_id,
           enum member_id id, taddr group)
{
    int64_t size;

    TRY(openmpi_group_size(mpi, group, &size));
    TRY(emit_number(sink, size_id, size));
    return emit_ranks(mpi, sink, id, group, size);
}

static enum status
cart_members(const struct mpi *mpi, taddr addr, struct member_sink *sink)
{
    const size_t width = mpi->inf->model.int_size;
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(mca_topo_base_comm_cart_2_2_0_t), addr, &view));
    const int64_t n = view_int(&view, F(mca_topo_base_comm_cart_2_2_0_t, ndims));
    TRY(emit_text(sink, MEMBER_topology, "MPI_Cart"));
    TRY(emit_array(mpi, sink, MEMBER_dims,
                   view_uint(&view, F(mca_topo_base_comm_cart_2_2_0_t, dims)), n, width));
    TRY(emit_array(mpi, sink, MEMBER_periods,
                   view_uint(&view, F(mca_topo_base_comm_cart_2_2_0_t, periods)), n, width));
    return emit_array(mpi, sink, MEMBER_coords,
                      view_uint(&view, F(mca_topo_base_comm_cart_2_2_0_t, coords)), n, width);
}

// The edges of one node are those from the end of the node before to its own.
static enum status
graph_members(const struct mpi *mpi, taddr addr, int64_t rank, struct member_sink *sink)
{
    const size_t width = mpi->inf->model.int_size;
    struct view view;
    uint64_t begin = 0, end;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(mca_topo_base_comm_graph_2_2_0_t), addr, &view));
    TRY(emit_text(sink, MEMBER_topology, "MPI_Graph"));
    if (rank < 0 || rank >= view_int(&view, F(mca_topo_base_comm_graph_2_2_0_t, nnodes)))
        return STATUS_OK;
    const taddr index =
        view_uint(&view, F(mca_topo_base_comm_graph_2_2_0_t, index)) + (taddr) rank * width;
    if (rank > 0)
        TRY(inferior_read_uint(mpi->inf, index - width, width, &begin));
    TRY(inferior_read_uint(mpi->inf, index, width, &end));
    return emit_array(mpi, sink, MEMBER_neighbor,
                      view_uint(&view, F(mca_topo_base_comm_graph_2_2_0_t, edges)) + begin * width,
                      (int64_t) (end - begin), width);
}

static enum status
dist_graph_members(const struct mpi *mpi, taddr addr, struct member_sink *sink)
{
#define D(field) F(mca_topo_base_comm_dist_graph_2_2_0_t, field)
    const size_t width = mpi->inf->model.int_size;
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(mca_topo_base_comm_dist_graph_2_2_0_t), addr,
                        &view));
    const int64_t n_in = view_int(&view, D(indegree)), n_out = view_int(&view, D(outdegree));
    TRY(emit_text(sink, MEMBER_topology, "MPI_Dist_graph"));
    TRY(emit_array(mpi, sink, MEMBER_in_neighbor, view_uint(&view, D(in)), n_in, width));
    TRY(emit_array(mpi, sink, MEMBER_out_neighbor, view_uint(&view, D(out)), n_out, width));
    if (view_uint(&view, D(weighted)) == 0)
        return STATUS_OK;
    TRY(emit_array(mpi, sink, MEMBER_in_weight, view_uint(&view, D(inw)), n_in, width));
    return emit_array(mpi, sink, MEMBER_out_weight, view_uint(&view, D(outw)), n_out, width);
#undef D
}

static enum status
topology_members(const struct mpi *mpi, const struct view *comm, struct member_sink *sink)
{
    const uint64_t flags = view_uint(comm, F(ompi_communicator_t, c_flags));
    const taddr topo = view_uint(comm, F(ompi_communicator_t, c_topo));
    struct view view;

    if (!(flags & (COMM_FLAG_CART | COMM_FLAG_GRAPH | COMM_FLAG_DIST_GRAPH)) || topo == 0)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(mca_topo_base_module_t), topo, &view));
    const taddr part = view_uint(&view, F(mca_topo_base_module_t, mtc));
    return flags & COMM_FLAG_CART ? cart_members(mpi, part, sink)
           : flags & COMM_FLAG_GRAPH
               ? graph_members(mpi, part, view_int(comm, F(ompi_communicator_t, c_my_rank)), sink)
               : dist_graph_members(mpi, part, sink);
}

enum status
comm_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_communicator_t), object->addr, &view));
    const bool inter = view_uint(&view, F(ompi_communicator_t, c_flags)) & COMM_FLAG_INTER;
    TRY(emit_number(sink, MEMBER_rank, view_int(&view, F(ompi_communicator_t, c_my_rank))));
    TRY(emit_number(sink, MEMBER_inter, inter));
    TRY(emit_handle(sink, MEMBER_error_handler, OBJECT_ERRHANDLER, 0,
                    view_uint(&view, F(ompi_communicator_t, error_handler))));
    enum status worst = topology_members(mpi, &view, sink);
    const enum status attributes = emit_attributes(
        mpi, sink, view_uint(&view, F(ompi_communicator_t, c_keyhash)), OBJECT_COMM_KEYVAL);
    worst = attributes != STATUS_OK ? attributes : worst;
    const enum status hints = emit_hints(mpi, sink, object->addr);
    worst = hints != STATUS_OK ? hints : worst;
    TRY(emit_group(mpi, sink, MEMBER_size, MEMBER_member,
                   view_uint(&view, F(ompi_communicator_t, c_local_group))));
    if (inter)
        TRY(emit_group(mpi, sink, MEMBER_remote_size, MEMBER_remote_member,
                       view_uint(&view, F(ompi_communicator_t, c_remote_group))));
    return worst;
}

enum status
group_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_group_t), object->addr, &view));
    const int64_t rank = view_int(&view, F(ompi_group_t, grp_my_rank));
    if (view_has(&view, F(ompi_group_t, grp_my_rank)) && rank >= 0)
        TRY(emit_number(sink, MEMBER_rank, rank));
    return emit_group(mpi, sink, MEMBER_size, MEMBER_member, object->addr);
}

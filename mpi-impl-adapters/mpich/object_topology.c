// SPDX-License-Identifier: BSD-3-Clause
// Topologies: an attribute of the communicator, of a keyval of the library's own.
//
// What is in the union follows from C's rules: ints, each pointer at its alignment.
#include "mpi-impl-adapters/mpich/object.h"

// MPICH's numbers, and those of the standard ABI.
enum { GRAPH = 1, CART, DIST_GRAPH, ABI_CART = 211, ABI_GRAPH, ABI_DIST_GRAPH };
enum { DIMS_MAX = 64, DEGREE_MAX = 1 << 20 };

/** The union, read member by member. */
struct parts {
    const struct datamodel *model;
    const uint8_t *bytes;
    size_t at;
};

static int64_t
next_int(struct parts *parts)
{
    const size_t at = parts->at;

    parts->at += parts->model->int_size;
    return datamodel_int(parts->model, parts->bytes + at, parts->model->int_size);
}

static taddr
next_pointer(struct parts *parts)
{
    const size_t width = parts->model->pointer_size;
    const size_t at = (parts->at + width - 1) / width * width;

    parts->at = at + width;
    return datamodel_uint(parts->model, parts->bytes + at, width);
}

static enum status
say_ints(const struct describing *it, enum member_id id, taddr addr, int64_t count)
{
    return say_numbers(it, id, addr, (uint64_t) count, it->mpi->inf->model.int_size);
}

static enum status
too_many(const struct describing *it, const char *of, int64_t count)
{
    return trail_begin(&it->mpi->inf->trail, STATUS_CORRUPT, "topology: %lld %s", (long long) count,
                       of);
}

static enum status
cart_members(const struct describing *it, struct parts *parts)
{
    next_int(parts); // nodes
    const int64_t n = next_int(parts);
    const taddr dims = next_pointer(parts), periods = next_pointer(parts);

    TRY(say_text(it, MEMBER_topology, 0, "MPI_Cart"));
    if (n < 0 || n > DIMS_MAX)
        return too_many(it, "dimensions", n);
    TRY(say_ints(it, MEMBER_dims, dims, n));
    TRY(say_ints(it, MEMBER_periods, periods, n));
    return say_ints(it, MEMBER_coords, next_pointer(parts), n);
}

// The neighbours of all ranks are in a row; for each rank there is where its own end.
static enum status
graph_members(const struct describing *it, struct parts *parts, int64_t rank)
{
    const size_t width = it->mpi->inf->model.int_size;
    const int64_t nodes = next_int(parts), edges = next_int(parts);
    const taddr index = next_pointer(parts), neighbors = next_pointer(parts);
    uint64_t first = 0, end;

    TRY(say_text(it, MEMBER_topology, 0, "MPI_Graph"));
    if (rank < 0 || rank >= nodes)
        return STATUS_OK;
    TRY(inferior_read_uint(it->mpi->inf, index + (taddr) rank * width, width, &end));
    if (rank > 0)
        TRY(inferior_read_uint(it->mpi->inf, index + (taddr) (rank - 1) * width, width, &first));
    if (edges < 0 || edges > DEGREE_MAX || first > end || end > (uint64_t) edges)
        return too_many(it, "edges", edges);
    return say_ints(it, MEMBER_neighbor, neighbors + first * width, (int64_t) (end - first));
}

static enum status
dist_graph_members(const struct describing *it, struct parts *parts)
{
    const int64_t n_in = next_int(parts);
    const taddr in = next_pointer(parts), in_weights = next_pointer(parts);
    const int64_t n_out = next_int(parts);
    const taddr out = next_pointer(parts), out_weights = next_pointer(parts);
    const bool weighted = next_int(parts) != 0;

    TRY(say_text(it, MEMBER_topology, 0, "MPI_Dist_graph"));
    if (n_in < 0 || n_in > DEGREE_MAX || n_out < 0 || n_out > DEGREE_MAX)
        return too_many(it, "neighbors", n_in > n_out ? n_in : n_out);
    TRY(say_ints(it, MEMBER_in_neighbor, in, n_in));
    TRY(say_ints(it, MEMBER_out_neighbor, out, n_out));
    if (!weighted)
        return STATUS_OK;
    TRY(say_ints(it, MEMBER_in_weight, in_weights, n_in));
    return say_ints(it, MEMBER_out_weight, out_weights, n_out);
}

enum status
mpich_topology_members(const struct describing *it, taddr attributes, int64_t rank)
{
    const struct mpi *mpi = it->mpi;
    struct view view;
    uint64_t keyval;
    taddr addr;

    enum status status = attributes == 0 ? STATUS_ABSENT : mpich_topology_keyval(mpi, &addr);
    if (status == STATUS_OK)
        status = inferior_read_uint(mpi->inf, addr, mpi->inf->model.int_size, &keyval);
    if (status == STATUS_OK)
        status = mpich_find_attribute(mpi, attributes, (uint32_t) keyval, &addr);
    if (status == STATUS_ABSENT || status == STATUS_UNSUPPORTED)
        return STATUS_OK;
    TRY(status);
    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Topology), addr, &view));
    struct parts parts = {&mpi->inf->model, view_bytes(&view, F(MPIR_Topology, topo)), 0};
    switch (view_int(&view, F(MPIR_Topology, kind))) {
    case GRAPH:
    case ABI_GRAPH:
        return graph_members(it, &parts, rank);
    case CART:
    case ABI_CART:
        return cart_members(it, &parts);
    case DIST_GRAPH:
    case ABI_DIST_GRAPH:
        return dist_graph_members(it, &parts);
    default:
        return STATUS_OK;
    }
}

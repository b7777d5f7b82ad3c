// SPDX-License-Identifier: BSD-3-Clause
// Communicators with and without topologies, and groups.
#include "tests/handles/objects.h"

#include <stdlib.h>

MPI_Comm doomed_comm;

static int comm_key_state;
static int attribute_of_comm;

// Ranks in MPI_COMM_WORLD.
static void
say_members(const struct about *about, const char *member, MPI_Group group)
{
    MPI_Group world;
    int size;

    need(MPI_Comm_group(MPI_COMM_WORLD, &world));
    need(MPI_Group_size(group, &size));
    for (int i = 0; i < size; ++i) {
        int rank;
        need(MPI_Group_translate_ranks(group, 1, &i, world, &rank));
        say_number(about, member, i, rank);
    }
    need(MPI_Group_free(&world));
}

static void
say_cart(const struct about *about, MPI_Comm comm)
{
    int n, dims[4], periods[4], coords[4];

    need(MPI_Cartdim_get(comm, &n));
    need(MPI_Cart_get(comm, n, dims, periods, coords));
    say(about, "topology", 0, "MPI_Cart");
    for (int i = 0; i < n; ++i) {
        say_number(about, "dims", i, dims[i]);
        say_number(about, "periods", i, periods[i] != 0);
        say_number(about, "coords", i, coords[i]);
    }
}

static void
say_graph(const struct about *about, MPI_Comm comm)
{
    int rank, count, neighbors[64];

    need(MPI_Comm_rank(comm, &rank));
    need(MPI_Graph_neighbors_count(comm, rank, &count));
    need(MPI_Graph_neighbors(comm, rank, count, neighbors));
    say(about, "topology", 0, "MPI_Graph");
    for (int i = 0; i < count; ++i)
        say_number(about, "neighbor", i, neighbors[i]);
}

static void
say_dist_graph(const struct about *about, MPI_Comm comm)
{
    int n_in, n_out, weighted, in[16], out[16], in_weights[16], out_weights[16];

    need(MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted));
    need(MPI_Dist_graph_neighbors(comm, n_in, in, in_weights, n_out, out, out_weights));
    say(about, "topology", 0, "MPI_Dist_graph");
    for (int i = 0; i < n_in; ++i)
        say_number(about, "in_neighbor", i, in[i]);
    for (int i = 0; i < n_out; ++i)
        say_number(about, "out_neighbor", i, out[i]);
    for (int i = 0; i < n_in && weighted; ++i)
        say_number(about, "in_weight", i, in_weights[i]);
    for (int i = 0; i < n_out && weighted; ++i)
        say_number(about, "out_weight", i, out_weights[i]);
}

static void
say_comm(MPI_Comm comm, const char *state)
{
    const struct about about = ABOUT("communicator", comm, MPI_Comm_c2f(comm));
    char name[MPI_MAX_OBJECT_NAME];
    int length, number, inter, topology;
    MPI_Errhandler handler;
    MPI_Group group;
    MPI_Info hints;

    need(MPI_Comm_get_name(comm, name, &length));
    say_state(&about, state, name);
    need(MPI_Comm_size(comm, &number));
    say_number(&about, "size", 0, number);
    need(MPI_Comm_rank(comm, &number));
    say_number(&about, "rank", 0, number);
    need(MPI_Comm_group(comm, &group));
    say_members(&about, "member", group);
    need(MPI_Group_free(&group));
    need(MPI_Comm_test_inter(comm, &inter));
    say_number(&about, "intercommunicator", 0, inter != 0);
    if (inter) {
        need(MPI_Comm_remote_size(comm, &number));
        say_number(&about, "remote_size", 0, number);
        need(MPI_Comm_remote_group(comm, &group));
        say_members(&about, "remote_member", group);
        need(MPI_Group_free(&group));
    }
    need(MPI_Comm_get_errhandler(comm, &handler));
    say_errhandler(&about, handler);
    need(MPI_Comm_get_info(comm, &hints));
    say_pairs(&about, hints);
    need(MPI_Topo_test(comm, &topology));
    if (topology == MPI_CART)
        say_cart(&about, comm);
    if (topology == MPI_GRAPH)
        say_graph(&about, comm);
    if (topology == MPI_DIST_GRAPH)
        say_dist_graph(&about, comm);
}

static void
make_named(void)
{
    MPI_Comm comm;
    MPI_Info info;
    int key;

    need(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    need(MPI_Comm_set_name(comm, "solver"));
    need(MPI_Info_create(&info));
    need(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    need(MPI_Info_set(info, "mpi_assert_no_any_source", "1"));
    need(MPI_Comm_set_info(comm, info));
    need(MPI_Info_free(&info));
    need(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    need(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key,
                                &comm_key_state));
    need(MPI_Comm_set_attr(comm, key, &attribute_of_comm));
    say_comm(comm, "live");
    const struct about about = ABOUT("communicator", comm, MPI_Comm_c2f(comm));
    say_handle(&about, "attribute", 0, BITS(key));
    say_address(&about, "attribute_value", &attribute_of_comm);
}

static void
make_cart(int size)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Comm comm, row;

    need(MPI_Dims_create(size, 2, dims));
    need(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    say_comm(comm, "live");
    need(MPI_Cart_sub(comm, (int[]){1, 0}, &row));
    say_comm(row, "live");
}

static void
make_graphs(int rank, int size)
{
    int index[64], edges[128], ring[2] = {(rank + size - 1) % size, (rank + 1) % size};
    int *volatile unweighted = MPI_UNWEIGHTED; // no array, whatever compilers make of it
    MPI_Comm comm;

    for (int i = 0; i < size; ++i) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    need(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
    say_comm(comm, "live");
    need(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, ring, (int[]){7 + rank}, 2, ring,
                                        (int[]){3, 4}, MPI_INFO_NULL, 0, &comm));
    say_comm(comm, "live");
    need(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring, unweighted, 1, ring + 1,
                                        unweighted, MPI_INFO_NULL, 0, &comm));
    say_comm(comm, "live");
}

void
make_communicators(void)
{
    const MPI_Comm none = MPI_COMM_NULL;
    const struct about about = ABOUT("communicator", none, MPI_Comm_c2f(none));
    int rank, size;
    MPI_Comm half, bridge;

    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    need(MPI_Comm_size(MPI_COMM_WORLD, &size));
    say_state(&about, "null", "MPI_COMM_NULL");
    say_comm(MPI_COMM_WORLD, "predefined");
    say_comm(MPI_COMM_SELF, "predefined");
    make_named();
    need(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    say_comm(half, "live");
    make_cart(size);
    make_graphs(rank, size);
    if (size > 1) {
        need(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                                  rank % 2 == 0 ? size - 1 - size % 2 : size - 2 + size % 2, 5,
                                  &bridge));
        say_comm(bridge, "live");
    }
    need(MPI_Comm_dup(MPI_COMM_WORLD, &doomed_comm));
}

static void
say_group(MPI_Group group, const char *state, const char *name)
{
    const struct about about = ABOUT("group", group, MPI_Group_c2f(group));
    int number;

    say_state(&about, state, name);
    need(MPI_Group_size(group, &number));
    say_number(&about, "size", 0, number);
    need(MPI_Group_rank(group, &number));
    if (number != MPI_UNDEFINED)
        say_number(&about, "rank", 0, number);
    say_members(&about, "member", group);
}

void
make_groups(void)
{
    const MPI_Group none = MPI_GROUP_NULL;
    const struct about about = ABOUT("group", none, MPI_Group_c2f(none));
    MPI_Group world, part;
    int size;

    say_state(&about, "null", "MPI_GROUP_NULL");
    say_group(MPI_GROUP_EMPTY, "predefined", "MPI_GROUP_EMPTY");
    need(MPI_Comm_group(MPI_COMM_WORLD, &world));
    need(MPI_Group_size(world, &size));
    say_group(world, "live", NULL);
    need(MPI_Group_excl(world, 1, (int[]){0}, &part));
    if (size > 1)
        say_group(part, "live", NULL);
    need(MPI_Group_incl(world, 1, (int[]){size - 1}, &part));
    say_group(part, "live", NULL);
}

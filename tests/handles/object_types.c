// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of each combiner.
#include "tests/handles/objects.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    int combiner;
    const char *name;
} combiners[] = {
    {MPI_COMBINER_NAMED, "named"},
    {MPI_COMBINER_DUP, "dup"},
    {MPI_COMBINER_CONTIGUOUS, "contiguous"},
    {MPI_COMBINER_VECTOR, "vector"},
    {MPI_COMBINER_HVECTOR, "hvector"},
    {MPI_COMBINER_INDEXED, "indexed"},
    {MPI_COMBINER_HINDEXED, "hindexed"},
    {MPI_COMBINER_INDEXED_BLOCK, "indexed_block"},
    {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block"},
    {MPI_COMBINER_STRUCT, "struct"},
    {MPI_COMBINER_SUBARRAY, "subarray"},
    {MPI_COMBINER_DARRAY, "darray"},
    {MPI_COMBINER_F90_REAL, "f90_real"},
    {MPI_COMBINER_F90_COMPLEX, "f90_complex"},
    {MPI_COMBINER_F90_INTEGER, "f90_integer"},
    {MPI_COMBINER_RESIZED, "resized"},
};

static const char *
combiner_name(int combiner)
{
    for (size_t i = 0; i < sizeof(combiners) / sizeof(*combiners); ++i)
        if (combiners[i].combiner == combiner)
            return combiners[i].name;
    return "unknown";
}

static void
say_extents(const struct about *about, MPI_Datatype type)
{
    MPI_Count size, bound, extent;

    need(MPI_Type_size_x(type, &size));
    say_number(about, "size", 0, size);
    need(MPI_Type_get_extent_x(type, &bound, &extent));
    say_number(about, "lower_bound", 0, bound);
    say_number(about, "extent", 0, extent);
    need(MPI_Type_get_true_extent_x(type, &bound, &extent));
    say_number(about, "true_lower_bound", 0, bound);
    say_number(about, "true_extent", 0, extent);
}

/** The latest type that was made, of which the next ones may be: MPI_Type_get_contents gives it, or
 * a copy of it. */
static MPI_Datatype latest = MPI_DATATYPE_NULL;

static void
say_inner(const struct about *about, int index, MPI_Datatype type)
{
    int n[3], combiner;

    need(MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner));
    if (combiner == MPI_COMBINER_NAMED)
        say_handle(about, "type", index, BITS(type));
    else
        say(about, "type", index, "%#llx|%#llx", (unsigned long long) BITS(type),
            (unsigned long long) BITS(latest));
}

static void
say_contents(const struct about *about, MPI_Datatype type)
{
    int n_integers, n_addresses, n_types, combiner, integers[64];
    MPI_Aint addresses[16];
    MPI_Datatype types[16];

    need(MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner));
    say(about, "combiner", 0, "%s", combiner_name(combiner));
    if (combiner == MPI_COMBINER_NAMED)
        return;
    need(MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types));
    for (int i = 0; i < n_integers; ++i)
        say_number(about, "integer", i, integers[i]);
    for (int i = 0; i < n_addresses; ++i)
        say_number(about, "address", i, addresses[i]);
    for (int i = 0; i < n_types; ++i)
        say_inner(about, i, types[i]);
}

// Not what is not to be had of a type that is not committed.
static void
say_type(MPI_Datatype type, const char *state, bool committed)
{
    const struct about about = ABOUT("datatype", type, MPI_Type_c2f(type));
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    need(MPI_Type_get_name(type, name, &length));
    say_state(&about, state, name);
    say_extents(&about, type);
    say_contents(&about, type);
    say_number(&about, "committed", 0, committed);
}

static MPI_Datatype
commit(MPI_Datatype type)
{
    need(MPI_Type_commit(&type));
    say_type(type, "live", true);
    return type;
}

static void
make_arrays(void)
{
    MPI_Datatype type;
    int size, rank;

    need(MPI_Comm_size(MPI_COMM_WORLD, &size));
    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    need(MPI_Type_create_subarray(2, (int[]){8, 9}, (int[]){3, 4}, (int[]){1, 2}, MPI_ORDER_C,
                                  MPI_DOUBLE, &type));
    commit(type);
    need(MPI_Type_create_darray(size, rank, 1, (int[]){100}, (int[]){MPI_DISTRIBUTE_BLOCK},
                                (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){size}, MPI_ORDER_FORTRAN,
                                MPI_FLOAT, &type));
    commit(type);
}

static MPI_Datatype
make_blocks(MPI_Datatype inner)
{
    MPI_Datatype type;

    need(MPI_Type_create_hvector(2, 1, 100, inner, &type));
    commit(type);
    need(MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 5}, MPI_INT, &type));
    commit(type);
    need(MPI_Type_create_hindexed(2, (int[]){3, 1}, (MPI_Aint[]){0, 64}, MPI_CHAR, &type));
    commit(type);
    need(MPI_Type_create_indexed_block(3, 2, (int[]){4, 0, 9}, MPI_SHORT, &type));
    commit(type);
    need(MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){16, 0}, MPI_LONG, &type));
    commit(type);
    need(MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 8, 400},
                                (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, inner}, &type));
    return commit(type);
}

static void
say_predefined(void)
{
    const MPI_Datatype none = MPI_DATATYPE_NULL;
    const struct about about = ABOUT("datatype", none, MPI_Type_c2f(none));
    const MPI_Datatype all[] = {
        MPI_INT,       MPI_DOUBLE,   MPI_CHAR,  MPI_BYTE,    MPI_PACKED,           MPI_FLOAT,
        MPI_LONG_LONG, MPI_UNSIGNED, MPI_SHORT, MPI_INT64_T, MPI_C_DOUBLE_COMPLEX, MPI_AINT};

    say_state(&about, "null", "MPI_DATATYPE_NULL");
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); ++i)
        say_type(all[i], "predefined", true);
}

void
make_datatypes(void)
{
    static int attribute;
    MPI_Datatype type, vector;
    int key;

    say_predefined();
    need(MPI_Type_vector(3, 2, 4, MPI_INT, &vector));
    need(MPI_Type_set_name(vector, "face"));
    latest = commit(vector);
    need(MPI_Type_contiguous(5, MPI_DOUBLE, &type));
    say_type(type, "live", false);
    need(MPI_Type_contiguous(2, vector, &type));
    commit(type);
    need(MPI_Type_dup(vector, &type));
    say_type(type, "live", true);
    latest = make_blocks(vector);
    make_arrays();
    need(MPI_Type_create_resized(latest, -8, 1000, &type));
    need(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
    need(MPI_Type_set_attr(type, key, &attribute));
    commit(type);
    const struct about about = ABOUT("datatype", type, MPI_Type_c2f(type));
    say_handle(&about, "attribute", 0, BITS(key));
    say_address(&about, "attribute_value", &attribute);
}

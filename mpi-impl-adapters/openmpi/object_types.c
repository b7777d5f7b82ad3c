// SPDX-License-Identifier: BSD-3-Clause
// What is known of datatypes: how they were made, as MPI_Type_get_contents gives it, and extents.
#include "mpi-impl-adapters/openmpi/objects.h"

enum { TYPE_FLAG_COMMITTED = 0x4, COMBINERS = 20 };

/** By their numbers in mpi.h. */
static const char *const combiners[COMBINERS] = {
    "named",    "dup",         "contiguous",    "vector",  "hvector",        "hvector",  "indexed",
    "hindexed", "hindexed",    "indexed_block", "struct",  "struct",         "subarray", "darray",
    "f90_real", "f90_complex", "f90_integer",   "resized", "hindexed_block",
};

// The integers that MPI_Type_get_contents gives are those that are kept; of some combiners, more
// are kept than it gives, or in another order: not of those that Open MPI has.
static enum status
contents_members(const struct mpi *mpi, taddr args, struct member_sink *sink)
{
#define A(field) F(ompi_datatype_args_t, field)
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_datatype_args_t), args, &view));
    const int64_t combiner = view_int(&view, A(create_type));
    if (combiner < 0 || combiner >= COMBINERS || combiners[combiner] == NULL)
        return trail_begin(&mpi->inf->trail, STATUS_UNSUPPORTED, "combiner %lld is not known",
                           (long long) combiner);
    TRY(emit_text(sink, MEMBER_combiner, combiners[combiner]));
    TRY(emit_array(mpi, sink, MEMBER_integer, view_uint(&view, A(i)), view_int(&view, A(ci)),
                   mpi->inf->model.int_size));
    TRY(emit_array(mpi, sink, MEMBER_address, view_uint(&view, A(a)), view_int(&view, A(ca)),
                   mpi->inf->model.pointer_size));
    return emit_handles(mpi, sink, MEMBER_type, OBJECT_DATATYPE, view_uint(&view, A(d)),
                        view_int(&view, A(cd)));
#undef A
}

static enum status
extent_members(const struct view *view, struct member_sink *sink)
{
    const int64_t lower = view_int(view, F(opal_datatype_t, lb));
    const int64_t true_lower = view_int(view, F(opal_datatype_t, true_lb));

    TRY(emit_number(sink, MEMBER_size, (int64_t) view_uint(view, F(opal_datatype_t, size))));
    if (!view_has(view, F(opal_datatype_t, ub)))
        return STATUS_OK;
    TRY(emit_number(sink, MEMBER_lower_bound, lower));
    TRY(emit_number(sink, MEMBER_extent, view_int(view, F(opal_datatype_t, ub)) - lower));
    TRY(emit_number(sink, MEMBER_true_lower_bound, true_lower));
    TRY(emit_number(sink, MEMBER_true_extent,
                    view_int(view, F(opal_datatype_t, true_ub)) - true_lower));
    return emit_number(sink, MEMBER_committed,
                       (view_uint(view, F(opal_datatype_t, flags)) & TYPE_FLAG_COMMITTED) != 0);
}

enum status
datatype_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view super, view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_datatype_t), object->addr, &super));
    TRY(extent_members(&super, sink));
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_datatype_t), object->addr, &view));
    if (view_has(&view, F(ompi_datatype_t, d_keyhash)))
        TRY(emit_attributes(mpi, sink, view_uint(&view, F(ompi_datatype_t, d_keyhash)),
                            OBJECT_TYPE_KEYVAL));
    if (!view_has(&view, F(ompi_datatype_t, args)))
        return STATUS_OK;
    const taddr args = view_uint(&view, F(ompi_datatype_t, args));
    return args != 0 ? contents_members(mpi, args, sink)
                     : emit_text(sink, MEMBER_combiner, "named");
}

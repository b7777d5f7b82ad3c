// SPDX-License-Identifier: BSD-3-Clause
// Members of datatypes: extents, and how they were made.
#include "mpi-impl-adapters/mpich/object.h"

enum { CONTENTS_MAX = 1 << 20, ALIGNMENT = 16 };

static const char *const combiners[] = {
    NULL,         "named",          "dup",
    "contiguous", "vector",         "hvector_integer",
    "hvector",    "indexed",        "hindexed_integer",
    "hindexed",   "indexed_block",  "struct_integer",
    "struct",     "subarray",       "darray",
    "f90_real",   "f90_complex",    "f90_integer",
    "resized",    "hindexed_block", "value_index",
};

// Those of the standard ABI, from the first number on.
static const char *const abi_combiners[] = {
    "named",    "dup",           "contiguous",     "vector",  "hvector",     "indexed",
    "hindexed", "indexed_block", "hindexed_block", "struct",  "subarray",    "darray",
    "f90_real", "f90_complex",   "f90_integer",    "resized", "value_index",
};

enum {
    COMBINERS = sizeof(combiners) / sizeof(combiners[0]),
    ABI_FIRST = 101,
    ABI_END = ABI_FIRST + sizeof(abi_combiners) / sizeof(abi_combiners[0])
};

// @return NULL when there is none
static const char *
combiner_name(int64_t number)
{
    return number > 0 && number < COMBINERS          ? combiners[number]
           : number >= ABI_FIRST && number < ABI_END ? abi_combiners[number - ABI_FIRST]
                                                     : NULL;
}

/** What stands behind MPIR_Datatype_contents. */
struct contents {
    uint64_t types, integers, addresses; // how many
};

// A number that grew over the releases.
static uint64_t
count_of(const struct view *view, unsigned narrow, unsigned wide)
{
    return view_uint(view, view_has(view, narrow) ? narrow : wide);
}

static taddr
align(taddr addr)
{
    return (addr + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static enum status
say_types(const struct describing *it, taddr addr, uint64_t count)
{
    const unsigned width = it->mpi->inf->model.int_size;
    uint64_t number;

    for (uint32_t i = 0; i < count; ++i) {
        TRY(inferior_read_uint(it->mpi->inf, addr + (taddr) i * width, width, &number));
        TRY(say_handle(it, MEMBER_type, i, OBJECT_DATATYPE, (uint32_t) number));
    }
    return STATUS_OK;
}

// The parts are in a row, each aligned as the strictest type is.
static enum status
say_parts(const struct describing *it, const struct view *view, const struct contents *contents)
{
    const struct datamodel *model = &it->mpi->inf->model;
    const taddr types = view->addr + align(view->layout->structs[view->number].size);
    const taddr integers = types + align(contents->types * model->int_size);
    const taddr addresses = integers + align(contents->integers * model->int_size);

    TRY(say_numbers(it, MEMBER_integer, integers, contents->integers, model->int_size));
    TRY(say_numbers(it, MEMBER_address, addresses, contents->addresses, model->pointer_size));
    return say_types(it, types, contents->types);
}

static enum status
say_contents(const struct describing *it, taddr addr)
{
    struct view view;

    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Datatype_contents), addr, &view));
    const int64_t combiner = view_int(&view, F(MPIR_Datatype_contents, combiner));
    const struct contents contents = {
        count_of(&view, F(MPIR_Datatype_contents, nr_types_int),
                 F(MPIR_Datatype_contents, nr_types_long)),
        count_of(&view, F(MPIR_Datatype_contents, nr_ints_int),
                 F(MPIR_Datatype_contents, nr_ints_long)),
        count_of(&view, F(MPIR_Datatype_contents, nr_aints_int),
                 F(MPIR_Datatype_contents, nr_aints_long)),
    };
    const char *name = combiner_name(combiner);
    if (name == NULL || contents.types > CONTENTS_MAX || contents.integers > CONTENTS_MAX ||
        contents.addresses > CONTENTS_MAX)
        return trail_begin(&it->mpi->inf->trail, STATUS_CORRUPT,
                           "contents of the datatype at %#llx: combiner %lld",
                           (unsigned long long) it->object->addr, (long long) combiner);
    TRY(say_text(it, MEMBER_combiner, 0, name));
    return say_parts(it, &view, &contents);
}

static enum status
say_extents(const struct describing *it, const struct view *view)
{
    const int64_t true_lb = view_int(view, F(MPIR_Datatype, true_lb));

    TRY(say_number(it, MEMBER_size, 0, view_int(view, F(MPIR_Datatype, size))));
    if (!view_has(view, F(MPIR_Datatype, extent)))
        return STATUS_OK;
    TRY(say_number(it, MEMBER_lower_bound, 0, view_int(view, F(MPIR_Datatype, lb))));
    TRY(say_number(it, MEMBER_extent, 0, view_int(view, F(MPIR_Datatype, extent))));
    TRY(say_number(it, MEMBER_true_lower_bound, 0, true_lb));
    return say_number(
        it, MEMBER_true_extent, 0,
        (int64_t) ((uint64_t) view_int(view, F(MPIR_Datatype, true_ub)) - (uint64_t) true_lb));
}

// One that is built in is as long as its handle says.
static enum status
builtin_members(const struct describing *it)
{
    uint64_t size;

    TRY(mpich_datatype_size(it->mpi, it->number, &size));
    TRY(say_number(it, MEMBER_size, 0, (int64_t) size));
    TRY(say_number(it, MEMBER_lower_bound, 0, 0));
    TRY(say_number(it, MEMBER_extent, 0, (int64_t) size));
    TRY(say_number(it, MEMBER_true_lower_bound, 0, 0));
    TRY(say_number(it, MEMBER_true_extent, 0, (int64_t) size));
    TRY(say_text(it, MEMBER_combiner, 0, combiners[1]));
    return say_number(it, MEMBER_committed, 0, true);
}

enum status
mpich_datatype_members(const struct describing *it)
{
    const bool predefined = it->object->state == OBJECT_PREDEFINED;
    enum status status = STATUS_OK;
    struct view view;

    if (it->object->addr == 0)
        return builtin_members(it);
    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Datatype), it->object->addr, &view));
    TRY(say_extents(it, &view));
    if (predefined || view_has(&view, F(MPIR_Datatype, is_committed)))
        TRY(say_number(it, MEMBER_committed, 0,
                       predefined || view_int(&view, F(MPIR_Datatype, is_committed)) != 0));
    if (predefined)
        TRY(say_text(it, MEMBER_combiner, 0, combiners[1]));
    else if (view_has(&view, F(MPIR_Datatype, contents)))
        status = say_contents(it, view_uint(&view, F(MPIR_Datatype, contents)));
    if (status == STATUS_NOMEM)
        return status;
    const enum status other =
        say_attributes(it, view_uint(&view, F(MPIR_Datatype, attributes)), OBJECT_TYPE_KEYVAL);
    return other != STATUS_OK ? other : status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Members of operations of reductions, error handlers, infos, keyvals, sessions and statuses.
#include "mpi-impl-adapters/mpich/object.h"

#include <string.h>

enum { OP_REPLACE = 0x5800000d, OP_NO_OP = 0x5800000e };
enum { PAIRS_MAX = 1 << 16, USER_NONCOMMUTE = 32, USER_NONCOMMUTE_LARGE = 34, CANCELLED = 1 };

// A pointer to a function, as bytes: in the union that it is in, all are.
static int64_t
function_of(const struct view *view, unsigned field, unsigned place)
{
    const struct datamodel *model = &view->layout->model;
    const uint8_t *bytes = view_bytes(view, field);

    return (int64_t) datamodel_uint(model, bytes + (size_t) place * model->pointer_size,
                                    model->pointer_size);
}

// Up to 4.2 the kind says it.
static bool
is_commutative(const struct view *op)
{
    const int64_t kind = view_int(op, F(MPIR_Op, kind));

    return view_has(op, F(MPIR_Op, is_commute))
               ? view_int(op, F(MPIR_Op, is_commute)) != 0
               : kind != USER_NONCOMMUTE && kind != USER_NONCOMMUTE_LARGE;
}

enum status
mpich_op_members(const struct describing *it)
{
    struct view view;

    if (it->object->addr == 0)
        return say_number(it, MEMBER_commutative, 0,
                          it->number != OP_REPLACE && it->number != OP_NO_OP);
    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Op), it->object->addr, &view));
    TRY(say_number(it, MEMBER_commutative, 0, is_commutative(&view)));
    return say_number(it, MEMBER_function, 0, function_of(&view, F(MPIR_Op, function), 0));
}

enum status
mpich_errhandler_members(const struct describing *it)
{
    static const char *const object_kinds[] = {[HANDLE_COMM] = "communicator",
                                               [4] = "file",
                                               [HANDLE_WIN] = "window",
                                               [HANDLE_SESSION] = "session"};
    struct view view;

    if (it->object->addr == 0)
        return STATUS_OK;
    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Errhandler), it->object->addr,
                        &view));
    TRY(SAY_NAME(it, MEMBER_object_kind, object_kinds, view_int(&view, F(MPIR_Errhandler, kind))));
    return say_number(it, MEMBER_function, 0, function_of(&view, F(MPIR_Errhandler, errfn), 0));
}

// Up to 4.0 a pair is an object of the pool, too: it has a key, and is no info.
enum status
mpich_info_state(const struct mpi *mpi, struct object *object)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Info), object->addr, &view));
    return view_uint(&view, F(MPIR_Info, key)) == 0 ? STATUS_OK : STATUS_ABSENT;
}

static enum status
say_pair(const struct describing *it, uint32_t index, taddr key, taddr value)
{
    TRY(say_text_at(it, MEMBER_key, index, key));
    return say_text_at(it, MEMBER_value, index, value);
}

static enum status
say_listed_pairs(const struct describing *it, taddr next)
{
    struct view view;
    uint32_t count = 0;

    for (; next != 0 && count < PAIRS_MAX; ++count) {
        TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Info), next, &view));
        TRY(say_pair(it, count, view_uint(&view, F(MPIR_Info, key)),
                     view_uint(&view, F(MPIR_Info, value))));
        next = view_uint(&view, F(MPIR_Info, next));
    }
    return say_number(it, MEMBER_count, 0, count);
}

static enum status
say_array_of_pairs(const struct describing *it, taddr entries, int64_t count)
{
    const unsigned width = it->mpi->inf->model.pointer_size;
    taddr key, value;

    if (count < 0 || count > PAIRS_MAX)
        return trail_begin(&it->mpi->inf->trail, STATUS_CORRUPT, "info of %lld pairs",
                           (long long) count);
    TRY(say_number(it, MEMBER_count, 0, count));
    for (uint32_t i = 0; i < count; ++i) {
        const taddr entry = entries + (taddr) i * 2 * width;
        TRY(inferior_read_pointer(it->mpi->inf, entry, &key));
        TRY(inferior_read_pointer(it->mpi->inf, entry + width, &value));
        TRY(say_pair(it, i, key, value));
    }
    return STATUS_OK;
}

enum status
mpich_info_members(const struct describing *it)
{
    struct view view;

    if (it->object->addr == 0)
        return STATUS_OK;
    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Info), it->object->addr, &view));
    return view_has(&view, F(MPIR_Info, entries))
               ? say_array_of_pairs(it, view_uint(&view, F(MPIR_Info, entries)),
                                    view_int(&view, F(MPIR_Info, size)))
               : say_listed_pairs(it, view_uint(&view, F(MPIR_Info, next)));
}

enum status
mpich_keyval_state(const struct mpi *mpi, struct object *object)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPII_Keyval), object->addr, &view));
    if (view_int(&view, F(MPII_Keyval, was_freed)) != 0)
        object->state = OBJECT_FREED;
    return STATUS_OK;
}

// Three functions for three languages, then the user's own.
enum status
mpich_keyval_members(const struct describing *it)
{
    enum { OF_THE_USER = 3 };
    struct view view;

    if (it->object->addr == 0)
        return STATUS_OK;
    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPII_Keyval), it->object->addr, &view));
    TRY(say_number(it, MEMBER_extra_state, 0, view_int(&view, F(MPII_Keyval, extra_state))));
    TRY(say_number(it, MEMBER_copy_function, 0,
                   function_of(&view, F(MPII_Keyval, copyfn), OF_THE_USER)));
    return say_number(it, MEMBER_delete_function, 0,
                      function_of(&view, F(MPII_Keyval, delfn), OF_THE_USER));
}

enum status
mpich_session_members(const struct describing *it)
{
    struct view view;

    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Session), it->object->addr, &view));
    return say_errhandler(it, view_uint(&view, F(MPIR_Session, errhandler)));
}

// Any memory may be one: what can be read is.
enum status
mpich_status_object(const struct mpi *mpi, uint64_t value, struct object *ret)
{
    struct view view;

    if (value % mpi->inf->model.int_size != 0 ||
        view_load_whole(mpi->inf, mpi->layout, S(MPI_Status), value, &view) != STATUS_OK)
        return STATUS_ABSENT;
    ret->state = OBJECT_LIVE;
    ret->addr = ret->handle = value;
    return STATUS_OK;
}

enum status
mpich_status_members(const struct describing *it)
{
    struct view view;

    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPI_Status), it->object->addr, &view));
    const uint64_t high = view_uint(&view, F(MPI_Status, count_hi_and_cancelled));
    const uint64_t bytes = high >> 1 << 32 | view_uint(&view, F(MPI_Status, count_lo));
    TRY(say_number(it, MEMBER_source, 0, view_int(&view, F(MPI_Status, MPI_SOURCE))));
    TRY(say_number(it, MEMBER_tag, 0, view_int(&view, F(MPI_Status, MPI_TAG))));
    if (view_has(&view, F(MPI_Status, MPI_ERROR)))
        TRY(say_number(it, MEMBER_error, 0, view_int(&view, F(MPI_Status, MPI_ERROR))));
    TRY(say_number(it, MEMBER_cancelled, 0, (int64_t) (high & CANCELLED)));
    return say_number(it, MEMBER_bytes, 0, (int64_t) bytes);
}

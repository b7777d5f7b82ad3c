// SPDX-License-Identifier: BSD-3-Clause
// Files: ROMIO's ADIOI_FileD, whose address is the handle. In Fortran it is an index into a table.
#include "mpi-impl-adapters/mpich/object.h"

#include "target/code.h"

#include <stdio.h>
#include <string.h>

enum { COOKIE = 2487376, FUNCTION_BYTES = 1024, FORTRAN_MAX = 1 << 20, CALLS_DEEP = 2 };
#define TABLE "ADIOI_Ftable"
enum { ABI_FILE_NULL = 0x118, ERRORS_RETURN = 0x54000001 };

static enum status
load_file(const struct mpi *mpi, taddr addr, struct view *ret)
{
    if (addr == 0 || addr % mpi->inf->model.pointer_size != 0)
        return STATUS_ABSENT;
    if (view_load_whole(mpi->inf, mpi->layout, S(ADIOI_FileD), addr, ret) != STATUS_OK)
        return STATUS_ABSENT;
    return view_int(ret, F(ADIOI_FileD, cookie)) == COOKIE ? STATUS_OK : STATUS_ABSENT;
}

// From 5.0 on, whose groups have their processes themselves, small INTEGERs are left to the
// standard.
static uint64_t
first_fortran(const struct mpi *mpi)
{
    return pmap_readable(mpi->layout) ? 0x1000 : 0;
}

// What is in the table under a number says that it has that number.
static bool
is_in_table(const struct mpi *mpi, taddr variable, uint64_t number, struct view *ret)
{
    const unsigned width = mpi->inf->model.pointer_size;
    taddr table, file;

    return inferior_read_pointer(mpi->inf, variable, &table) == STATUS_OK &&
           inferior_read_pointer(mpi->inf, table + number * width, &file) == STATUS_OK &&
           load_file(mpi, file, ret) == STATUS_OK &&
           view_uint(ret, F(ADIOI_FileD, fortran_handle)) == number;
}

static bool
try_tables(const struct mpi *mpi, const struct code_references *references, uint64_t number,
           struct view *ret)
{
    for (unsigned i = 0; i < references->count; ++i)
        if (is_in_table(mpi, references->at[i].addr, number, ret)) {
            inferior_remember(mpi->inf, TABLE, references->at[i].addr);
            return true;
        }
    return false;
}

// Where the table has no symbol, it is a variable that the function that looks into it refers to,
// or one that it calls: from 5.0 on that does by another one.
static bool
try_code(const struct mpi *mpi, taddr code, uint64_t number, unsigned depth, struct view *ret)
{
    struct code_references references;
    struct code_calls calls;

    if (code_references_at(mpi->inf, code, FUNCTION_BYTES, &references) == STATUS_OK &&
        try_tables(mpi, &references, number, ret))
        return true;
    if (depth == 0 || code_calls_at(mpi->inf, code, FUNCTION_BYTES, &calls) != STATUS_OK)
        return false;
    for (unsigned i = 0; i < calls.count; ++i)
        if (try_code(mpi, calls.at[i], number, depth - 1, ret))
            return true;
    return false;
}

static enum status
find_fortran(const struct mpi *mpi, uint64_t number, struct view *ret)
{
    taddr table, function;

    if (number <= first_fortran(mpi) || number > FORTRAN_MAX)
        return STATUS_ABSENT;
    number -= first_fortran(mpi);
    if (inferior_symbol(mpi->inf, TABLE, &table) == STATUS_OK)
        return is_in_table(mpi, table, number, ret) ? STATUS_OK : STATUS_ABSENT;
    return code_function(mpi->inf, "PMPI_File_f2c", &function) == STATUS_OK &&
                   try_code(mpi, function, number, CALLS_DEEP, ret)
               ? STATUS_OK
               : STATUS_ABSENT;
}

static enum status
set_null(const struct mpi *mpi, struct object *ret)
{
    ret->state = OBJECT_NULL;
    ret->handle = mpich_standard_abi(mpi->layout) ? ABI_FILE_NULL : 0;
    ret->fortran = (int32_t) ret->handle;
    ret->has_fortran = ret->has_name = true;
    snprintf(ret->name, sizeof(ret->name), "MPI_FILE_NULL");
    return STATUS_OK;
}

enum status
mpich_file_object(const struct mpi *mpi, enum handle_form form, uint64_t value, struct object *ret)
{
    const bool abi = mpich_standard_abi(mpi->layout);
    struct view view;

    if (form == FORM_ABI && !abi)
        return STATUS_UNSUPPORTED;
    if (form != FORM_ADDRESS && (value == 0 || (abi && value == ABI_FILE_NULL)))
        return set_null(mpi, ret);
    if (mpi->layout->structs[S(ADIOI_FileD)].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    TRY(form == FORM_FORTRAN ? find_fortran(mpi, value, &view) : load_file(mpi, value, &view));
    ret->state = OBJECT_LIVE;
    ret->addr = ret->handle = view.addr;
    const int64_t fortran = view_int(&view, F(ADIOI_FileD, fortran_handle));
    ret->has_fortran = fortran > 0;
    ret->fortran = (int32_t) (fortran + (int64_t) first_fortran(mpi));
    return STATUS_OK;
}

// The pointer counts elementary types from where the view begins; of a view with gaps, bytes with
// them are all that is there.
static enum status
say_view(const struct describing *it, const struct view *file)
{
    const uint32_t etype = (uint32_t) view_uint(file, F(ADIOI_FileD, etype));
    const uint32_t filetype = (uint32_t) view_uint(file, F(ADIOI_FileD, filetype));
    const int64_t size = view_int(file, F(ADIOI_FileD, etype_size));
    int64_t distance;

    TRY(say_number(it, MEMBER_view_displacement, 0, view_int(file, F(ADIOI_FileD, disp))));
    TRY(say_handle(it, MEMBER_view_etype, 0, OBJECT_DATATYPE, etype));
    TRY(say_handle(it, MEMBER_view_filetype, 0, OBJECT_DATATYPE, filetype));
    TRY(say_text(it, MEMBER_data_representation, 0,
                 view_int(file, F(ADIOI_FileD, is_external32)) != 0 ? "external32" : "native"));
    if (handle_place(filetype) != HANDLE_BUILTIN || size <= 0 ||
        __builtin_sub_overflow(view_int(file, F(ADIOI_FileD, fp_ind)),
                               view_int(file, F(ADIOI_FileD, disp)), &distance))
        return STATUS_OK;
    return say_number(it, MEMBER_pointer, 0, distance / size);
}

enum status
mpich_file_members(const struct describing *it)
{
    struct view file;

    TRY(load_file(it->mpi, it->object->addr, &file));
    const enum status status =
        say_text_at(it, MEMBER_file_name, 0, view_uint(&file, F(ADIOI_FileD, filename)));
    if (status == STATUS_NOMEM)
        return status;
    const uint32_t handler = (uint32_t) view_uint(&file, F(ADIOI_FileD, err_handler));
    TRY(say_number(it, MEMBER_access_mode, 0, view_int(&file, F(ADIOI_FileD, orig_access_mode))));
    TRY(say_handle(it, MEMBER_communicator, 0, OBJECT_COMMUNICATOR,
                   (uint32_t) view_uint(&file, F(ADIOI_FileD, comm))));
    TRY(say_handle(it, MEMBER_info, 0, OBJECT_INFO,
                   (uint32_t) view_uint(&file, F(ADIOI_FileD, info))));
    TRY(say_view(it, &file));
    TRY(say_number(it, MEMBER_atomic, 0, view_int(&file, F(ADIOI_FileD, atomicity)) != 0));
    TRY(say_handle(it, MEMBER_error_handler, 0, OBJECT_ERRHANDLER,
                   handler == 0 ? ERRORS_RETURN : handler));
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Datatypes by handle. The handle of a predefined one says its size; what is not predefined is an
// object of the pool MPIR_Datatype_mem.
#include "mpi-impl-adapters/mpich/mpich.h"

#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t handle;
    const char *name;
} predefined[] = {
#define DATATYPE(name, handle) {handle, #name},
#include "mpi-impl-adapters/mpich/datatypes.def"
#undef DATATYPE
};

enum {
    SIZE_SHIFT = 8,
    SIZE_MASK = 0xff,
    INTERNAL = 1 << 23, // since 5.0: MPICH has put its own handle for the same in its place
    INTERNAL_KIND = 0xff << 16,
};

uint32_t
mpich_datatype_of_user(uint32_t handle)
{
    const bool internal = handle_place(handle) == HANDLE_BUILTIN &&
                          handle_kind(handle) == HANDLE_DATATYPE && handle & INTERNAL;

    return internal ? handle & ~(uint32_t) INTERNAL_KIND : handle;
}

// A size may differ from machine to machine; the rest of the handle does not.
const char *
mpich_datatype_predefined(uint32_t handle)
{
    const uint32_t size = handle_place(handle) == HANDLE_BUILTIN ? SIZE_MASK << SIZE_SHIFT : 0;

    handle = mpich_datatype_of_user(handle);
    for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); ++i)
        if ((predefined[i].handle | size) == (handle | size))
            return predefined[i].name;
    return NULL;
}

uint32_t
mpich_datatype_number(unsigned n)
{
    return n < sizeof(predefined) / sizeof(predefined[0]) ? predefined[n].handle : 0;
}

static enum status
load_object(const struct mpi *mpi, uint32_t handle, struct view *ret)
{
    taddr addr = 0;

    const enum status status = mpich_find_object(mpi, HANDLE_DATATYPE, handle, &addr);
    if (status == STATUS_ABSENT)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "no datatype has handle %#x", handle);
    TRY(status);
    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Datatype), addr, ret));
    const uint32_t own = (uint32_t) view_uint(ret, F(MPIR_Datatype, handle));
    return own == handle ? STATUS_OK
                         : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                                       "the datatype of handle %#x has handle %#x", handle, own);
}

uint64_t
mpich_pair_size(const struct datamodel *model, uint32_t handle)
{
    const uint64_t first[] = {sizeof(float), sizeof(double), model->long_size, sizeof(short)};
    const uint32_t i = handle - 0x8c000000U; // MPI_FLOAT_INT

    return i < sizeof(first) / sizeof(*first) ? first[i] + model->int_size : 0;
}

enum status
mpich_datatype_size(const struct mpi *mpi, uint32_t handle, uint64_t *ret)
{
    struct view view;

    if (handle_place(handle) == HANDLE_BUILTIN && handle_kind(handle) == HANDLE_DATATYPE) {
        *ret = handle >> SIZE_SHIFT & SIZE_MASK;
        return STATUS_OK;
    }
    *ret = mpich_pair_size(&mpi->inf->model, handle);
    if (*ret != 0)
        return STATUS_OK;
    TRY(load_object(mpi, handle, &view));
    *ret = view_uint(&view, F(MPIR_Datatype, size));
    return STATUS_OK;
}

bool
mpich_datatype_at(const struct mpi *mpi, taddr addr, uint32_t *ret)
{
    struct view view;
    taddr place;
    bool found = false;

    if (view_load(mpi->inf, mpi->layout, S(MPIR_Datatype), addr, &view) == STATUS_OK) {
        *ret = (uint32_t) view_uint(&view, F(MPIR_Datatype, handle));
        found = handle_place(*ret) != HANDLE_BUILTIN &&
                mpich_find_object(mpi, HANDLE_DATATYPE, *ret, &place) == STATUS_OK && place == addr;
    }
    trail_reset(&mpi->inf->trail);
    return found;
}

// Before a name stands a pointer, which no text looks like: a part of a name has the rest there.
static bool
is_whole_name(const struct view *view, const uint8_t *name)
{
    const struct datamodel *model = &view->layout->model;
    const unsigned width = model->pointer_size;

    if (name < view->bytes + width)
        return true;
    const taddr before = datamodel_uint(model, name - width, width);
    return before == 0 || mpich_is_pointer(model, before);
}

bool
mpich_datatype_name(const struct mpi *mpi, uint32_t handle, char *ret)
{
    const char *name = mpich_datatype_predefined(handle);
    struct view view;

    memset(ret, 0, DATATYPE_NAME);
    if (name != NULL) {
        snprintf(ret, DATATYPE_NAME, "%s", name);
        return true;
    }
    if (handle_place(handle) == HANDLE_BUILTIN || load_object(mpi, handle, &view) != STATUS_OK)
        return false;
    name = view_bytes(&view, F(MPIR_Datatype, name));
    if (!is_whole_name(&view, (const uint8_t *) name))
        return false;
    memcpy(ret, name, strnlen(name, DATATYPE_NAME - 1));
    return true;
}

// SPDX-License-Identifier: BSD-3-Clause
// Groups of 5.0: each has its processes itself, as a table or by a rule.
//
// A process has a number of 64 bits: its rank in a world, and above it which world, 0 being
// MPI_COMM_WORLD.
#include "mpi-impl-adapters/mpich/mpich.h"

enum { NUMBER = 8, MEMBER_CHUNK = 256 }; // bytes of a process's number; members read at a time

static enum status
look_up(const struct mpi *mpi, taddr table, uint32_t first, uint32_t count, int64_t *ret)
{
    uint8_t bytes[MEMBER_CHUNK * NUMBER];

    TRY(inferior_read(mpi->inf, table + (taddr) first * NUMBER, count * NUMBER, bytes));
    for (uint32_t i = 0; i < count; ++i)
        ret[i] = datamodel_int(&mpi->inf->model, bytes + i * NUMBER, NUMBER);
    return STATUS_OK;
}

static enum status
translate_table(const struct mpi *mpi, taddr table, uint32_t size, int64_t *ret)
{
    for (uint32_t first = 0; first < size; first += MEMBER_CHUNK) {
        const uint32_t left = size - first;
        TRY(look_up(mpi, table, first, left < MEMBER_CHUNK ? left : MEMBER_CHUNK, ret + first));
    }
    return STATUS_OK;
}

static void
translate_rule(int64_t offset, int64_t stride, uint32_t size, int64_t *ret)
{
    for (uint32_t i = 0; i < size; ++i) {
        int64_t distance;
        if (__builtin_mul_overflow(stride, (int64_t) i, &distance) ||
            __builtin_add_overflow(offset, distance, &ret[i]) || ret[i] < 0)
            ret[i] = NO_RANK;
    }
}

bool
pmap_readable(const struct layout *layout)
{
    return layout->structs[S(MPIR_Group)].origin != ORIGIN_NONE &&
           layout->fields[F(MPIR_Group, pmap)].offset >= 0 &&
           layout->structs[S(MPIR_Pmap)].origin != ORIGIN_NONE;
}

enum status
pmap_members(const struct mpi *mpi, taddr group, uint32_t size, int64_t *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    struct view view, pmap;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Group), group, &view));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Pmap), view_addr(&view, F(MPIR_Group, pmap)),
                  &pmap));
    const int64_t have = view_int(&view, F(MPIR_Group, size));
    if (have != size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPIR_Group at %#llx: %lld processes in a group of %u",
                           (unsigned long long) group, (long long) have, size);
    const uint8_t *u = view_bytes(&pmap, F(MPIR_Pmap, u));
    if (view_uint(&pmap, F(MPIR_Pmap, use_map)) != 0)
        return translate_table(mpi, datamodel_uint(model, u, model->pointer_size), size, ret);
    translate_rule(datamodel_int(model, u, NUMBER), datamodel_int(model, u + NUMBER, NUMBER), size,
                   ret);
    return STATUS_OK;
}

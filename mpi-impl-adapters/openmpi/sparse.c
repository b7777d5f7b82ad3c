// SPDX-License-Identifier: BSD-3-Clause
// The three rules of sparse groups.
#include "mpi-impl-adapters/openmpi/sparse.h"

enum { RANGES_MAX = 1 << 20 };

// Gives the next member of `ret`, number `*at`, the rank of the parent's member `from`.
static enum status
take(struct inferior *inf, const struct ranks *parent, int64_t from, struct ranks *ret,
     uint32_t *at)
{
    if (from < 0 || from >= (int64_t) parent->size || *at >= ret->size)
        return trail_begin(&inf->trail, STATUS_CORRUPT,
                           "sparse group: member %u is number %lld of a parent of %u", *at,
                           (long long) from, parent->size);
    ret->at[(*at)++] = parent->at[from];
    return STATUS_OK;
}

// Member r is the parent's member r * stride + offset.
static enum status
strided(const struct mpi *mpi, taddr data, const struct ranks *parent, struct ranks *ret,
        uint32_t *at)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_strided_data_t), data, &view));
    const int64_t offset = view_int(&view, F(ompi_group_strided_data_t, grp_strided_offset));
    const int64_t stride = view_int(&view, F(ompi_group_strided_data_t, grp_strided_stride));
    while (*at < ret->size)
        TRY(take(mpi->inf, parent, offset + stride * *at, ret, at));
    return STATUS_OK;
}

// Members are the concatenation of ranges of the parent's.
static enum status
sporadic(const struct mpi *mpi, taddr data, const struct ranks *parent, struct ranks *ret,
         uint32_t *at)
{
    const uint32_t stride = mpi->layout->structs[S(ompi_group_sporadic_list_t)].size;
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_sporadic_data_t), data, &view));
    const taddr ranges = view_uint(&view, F(ompi_group_sporadic_data_t, grp_sporadic_list));
    const int64_t count = view_int(&view, F(ompi_group_sporadic_data_t, grp_sporadic_list_len));
    if (count < 0 || count > RANGES_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "sparse group: %lld ranges",
                           (long long) count);
    for (int64_t i = 0; i < count && *at < ret->size; ++i) {
        TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_sporadic_list_t),
                      ranges + (taddr) i * stride, &view));
        const int64_t first = view_int(&view, F(ompi_group_sporadic_list_t, rank_first));
        const int64_t length = view_int(&view, F(ompi_group_sporadic_list_t, length));
        for (int64_t j = 0; j < length && *at < ret->size; ++j)
            TRY(take(mpi->inf, parent, first + j, ret, at));
    }
    return STATUS_OK;
}

// Members are the parent's whose bit is set.
static enum status
bitmap(const struct mpi *mpi, taddr data, const struct ranks *parent, struct ranks *ret,
       uint32_t *at)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_bitmap_data_t), data, &view));
    const taddr array = view_uint(&view, F(ompi_group_bitmap_data_t, grp_bitmap_array));
    const int64_t length = view_int(&view, F(ompi_group_bitmap_data_t, grp_bitmap_array_len));
    for (int64_t i = 0; i < length && *at < ret->size; ++i) {
        uint64_t byte;
        TRY(inferior_read_uint(mpi->inf, array + (taddr) i, 1, &byte));
        for (unsigned bit = 0; bit < 8 && *at < ret->size; ++bit)
            if (byte & 1u << bit)
                TRY(take(mpi->inf, parent, i * 8 + bit, ret, at));
        // A parent has no member beyond its size, so neither has the map bits that count.
        if (i * 8 > (int64_t) parent->size)
            break;
    }
    return STATUS_OK;
}

enum status
sparse_ranks(const struct mpi *mpi, const struct view *group, const struct ranks *parent,
             struct ranks *ret)
{
    const uint64_t flags = view_uint(group, F(ompi_group_t, grp_flags));
    uint32_t at = 0;

    if (!view_has(group, F(ompi_group_t, sparse_data)))
        return trail_begin(&mpi->inf->trail, STATUS_UNSUPPORTED, "sparse group: layout not known");
    const taddr data = view_addr(group, F(ompi_group_t, sparse_data));
    if (flags & GROUP_FLAG_STRIDED)
        TRY(strided(mpi, data, parent, ret, &at));
    else if (flags & GROUP_FLAG_SPORADIC)
        TRY(sporadic(mpi, data, parent, ret, &at));
    else
        TRY(bitmap(mpi, data, parent, ret, &at));
    if (at < ret->size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "sparse group: %u of %u members", at,
                           ret->size);
    return STATUS_OK;
}

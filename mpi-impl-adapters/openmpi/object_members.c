// SPDX-License-Identifier: BSD-3-Clause
// Giving members of objects, one or an array.
#include "mpi-impl-adapters/openmpi/objects.h"

enum { CHUNK = 128 };

enum status
emit_number(struct member_sink *sink, enum member_id id, int64_t value)
{
    return emit_indexed(sink, id, 0, value);
}

enum status
emit_indexed(struct member_sink *sink, enum member_id id, uint32_t index, int64_t value)
{
    return sink->emit(sink, &(struct member){.id = id, .index = index, .value = value});
}

enum status
emit_text(struct member_sink *sink, enum member_id id, const char *text)
{
    return sink->emit(sink, &(struct member){.id = id, .text = text});
}

enum status
emit_choice(struct member_sink *sink, enum member_id id, const char *const *names, size_t n,
            int64_t value)
{
    return value >= 0 && value < (int64_t) n && names[value] != NULL
               ? emit_text(sink, id, names[value])
               : STATUS_OK;
}

enum status
emit_handle(struct member_sink *sink, enum member_id id, enum object_kind kind, uint32_t index,
            taddr object)
{
    if (object == 0)
        return STATUS_OK;
    return sink->emit(
        sink, &(struct member){.id = id, .index = index, .kind = kind, .value = (int64_t) object});
}

// The numbers of an array, as numbers or as handles of a kind.
static enum status
emit_each(const struct mpi *mpi, struct member_sink *sink, struct member member, taddr addr,
          int64_t count, size_t width, bool is_signed)
{
    uint8_t bytes[CHUNK * sizeof(uint64_t)];

    if (count < 0 || count > ARRAY_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "an array of %lld numbers",
                           (long long) count);
    for (int64_t first = 0; first < count; first += CHUNK) {
        const int64_t here = count - first < CHUNK ? count - first : CHUNK;
        TRY(inferior_read(mpi->inf, addr + (taddr) first * width, (size_t) here * width, bytes));
        for (int64_t i = 0; i < here; ++i) {
            const uint8_t *at = bytes + (size_t) i * width;
            member.index = (uint32_t) (first + i);
            member.value = is_signed ? datamodel_int(&mpi->inf->model, at, width)
                                     : (int64_t) datamodel_uint(&mpi->inf->model, at, width);
            TRY(sink->emit(sink, &member));
        }
    }
    return STATUS_OK;
}

enum status
emit_array(const struct mpi *mpi, struct member_sink *sink, enum member_id id, taddr addr,
           int64_t count, size_t width)
{
    return emit_each(mpi, sink, (struct member){.id = id}, addr, count, width, true);
}

enum status
emit_handles(const struct mpi *mpi, struct member_sink *sink, enum member_id id,
             enum object_kind kind, taddr addr, int64_t count)
{
    return emit_each(mpi, sink, (struct member){.id = id, .kind = kind}, addr, count,
                     mpi->inf->model.pointer_size, false);
}

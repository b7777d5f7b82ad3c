// SPDX-License-Identifier: BSD-3-Clause
// How members of objects are emitted.
#include "mpi-impl-adapters/mpich/object.h"

enum {
    CHUNK = 256,           // bytes read at a time
    NUMBERS_MAX = 1 << 20, // in a row; more is damaged memory
    ATTRIBUTES_MAX = 1 << 16,
    ERRORS_ARE_FATAL = 0x54000000,
};

enum status
say_number(const struct describing *it, enum member_id id, uint32_t index, int64_t value)
{
    return it->sink->emit(it->sink, &(struct member){.id = id, .index = index, .value = value});
}

enum status
say_text(const struct describing *it, enum member_id id, uint32_t index, const char *text)
{
    return it->sink->emit(it->sink, &(struct member){.id = id, .index = index, .text = text});
}

enum status
say_handle(const struct describing *it, enum member_id id, uint32_t index, enum object_kind kind,
           uint32_t number)
{
    struct member member = {.id = id, .index = index, .kind = kind};
    uint64_t handle;

    const enum status status = mpich_object_handle(it->mpi, kind, number, &handle);
    if (status == STATUS_ABSENT || status == STATUS_UNSUPPORTED)
        return STATUS_OK;
    TRY(status);
    member.value = (int64_t) handle;
    return it->sink->emit(it->sink, &member);
}

enum status
say_object(const struct describing *it, enum member_id id, enum object_kind kind, taddr addr)
{
    uint64_t number;

    if (addr == 0)
        return STATUS_OK;
    TRY(inferior_read_uint(it->mpi->inf, addr, it->mpi->inf->model.int_size, &number));
    return say_handle(it, id, 0, kind, (uint32_t) number);
}

enum status
say_text_at(const struct describing *it, enum member_id id, uint32_t index, taddr addr)
{
    char text[MEMBER_TEXT];

    TRY(inferior_read_string(it->mpi->inf, addr, sizeof(text), text));
    return say_text(it, id, index, text);
}

enum status
say_name(const struct describing *it, enum member_id id, const char *const *names, size_t count,
         int64_t number)
{
    const bool known = number >= 0 && number < (int64_t) count && names[number] != NULL;

    return known ? say_text(it, id, 0, names[number]) : STATUS_OK;
}

enum status
say_numbers(const struct describing *it, enum member_id id, taddr addr, uint64_t count,
            unsigned width)
{
    uint8_t bytes[CHUNK];
    const uint32_t most = CHUNK / width;

    if (count > NUMBERS_MAX)
        return trail_begin(&it->mpi->inf->trail, STATUS_CORRUPT, "%llu numbers at %#llx",
                           (unsigned long long) count, (unsigned long long) addr);
    for (uint32_t first = 0; first < count; first += most) {
        const uint32_t left = (uint32_t) count - first, n = left < most ? left : most;
        TRY(inferior_read(it->mpi->inf, addr + (taddr) first * width, (size_t) n * width, bytes));
        for (uint32_t i = 0; i < n; ++i)
            TRY(say_number(it, id, first + i,
                           datamodel_int(&it->mpi->inf->model, bytes + i * width, width)));
    }
    return STATUS_OK;
}

/** An attribute in its list. */
struct attribute {
    uint32_t keyval; // its handle
    taddr value;
    taddr next;
};

static enum status
load_attribute(const struct mpi *mpi, taddr addr, struct attribute *ret)
{
    struct view view;
    uint64_t number;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Attribute), addr, &view));
    TRY(inferior_read_uint(mpi->inf, view_uint(&view, F(MPIR_Attribute, keyval)),
                           mpi->inf->model.int_size, &number));
    *ret = (struct attribute){(uint32_t) number, view_uint(&view, F(MPIR_Attribute, value)),
                              view_uint(&view, F(MPIR_Attribute, next))};
    return STATUS_OK;
}

enum status
mpich_find_attribute(const struct mpi *mpi, taddr first, uint32_t keyval, taddr *ret_value)
{
    struct attribute attribute = {.next = first};

    for (uint32_t i = 0; attribute.next != 0 && i < ATTRIBUTES_MAX; ++i) {
        TRY(load_attribute(mpi, attribute.next, &attribute));
        *ret_value = attribute.value;
        if (attribute.keyval == keyval)
            return STATUS_OK;
    }
    return STATUS_ABSENT;
}

// The keyval of topologies; 0: not known.
static uint32_t
own_keyval(const struct mpi *mpi)
{
    uint64_t number = 0;
    taddr addr;

    if (mpich_topology_keyval(mpi, &addr) != STATUS_OK ||
        inferior_read_uint(mpi->inf, addr, mpi->inf->model.int_size, &number) != STATUS_OK)
        number = 0;
    trail_reset(&mpi->inf->trail);
    return (uint32_t) number;
}

enum status
say_attributes(const struct describing *it, taddr first, enum object_kind kind)
{
    const uint32_t own = kind == OBJECT_COMM_KEYVAL ? own_keyval(it->mpi) : 0;
    struct attribute attribute = {.next = first};
    uint32_t index = 0;

    for (uint32_t i = 0; attribute.next != 0 && i < ATTRIBUTES_MAX; ++i) {
        TRY(load_attribute(it->mpi, attribute.next, &attribute));
        if (attribute.keyval == own)
            continue;
        TRY(say_handle(it, MEMBER_attribute, index, kind, attribute.keyval));
        TRY(say_number(it, MEMBER_attribute_value, index++, (int64_t) attribute.value));
    }
    return STATUS_OK;
}

enum status
say_errhandler(const struct describing *it, taddr addr)
{
    return addr != 0 ? say_object(it, MEMBER_error_handler, OBJECT_ERRHANDLER, addr)
                     : say_handle(it, MEMBER_error_handler, 0, OBJECT_ERRHANDLER, ERRORS_ARE_FATAL);
}

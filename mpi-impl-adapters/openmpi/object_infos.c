// SPDX-License-Identifier: BSD-3-Clause
// Pairs of keys and values: infos, and the hints of communicators, windows and files.
#include "mpi-impl-adapters/openmpi/objects.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 256, INFO_MAX = 1 << 16, HINTS_MAX = 256 };

/** Up to 4.1, before the key of a hint whose value the library has changed: what it was. */
#define SAVED "_OMPI_IN_"

/** A pair of a list. */
struct pair {
    char key[TEXT], value[TEXT];
    bool has_value;
    bool is_hidden; // not given to the program
};

// Up to 4.1 a text is a string, from 5.0 on, where the key is an object, one too.
static enum status
read_text(const struct mpi *mpi, taddr addr, bool is_object, char *ret)
{
    if (is_object && mpi->layout->structs[S(opal_cstring_t)].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    if (is_object)
        addr += (taddr) mpi->layout->fields[F(opal_cstring_t, string)].offset;
    return inferior_read_string(mpi->inf, addr, TEXT, ret);
}

static enum status
load_pair(const struct mpi *mpi, taddr addr, struct pair *ret)
{
    struct view view;

    *ret = (struct pair){.has_value = false};
    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_info_entry_t), addr, &view));
    const char *bytes = view_bytes(&view, F(opal_info_entry_t, ie_key_array));
    const taddr value = view_uint(&view, F(opal_info_entry_t, ie_value));
    ret->is_hidden = view_has(&view, F(opal_info_entry_t, ie_internal)) &&
                     (view_uint(&view, F(opal_info_entry_t, ie_internal)) != 0 ||
                      view_uint(&view, F(opal_info_entry_t, ie_referenced)) == 0);
    if (bytes != NULL)
        memcpy(ret->key, bytes,
               strnlen(bytes, mpi->layout->fields[F(opal_info_entry_t, ie_key_array)].width));
    else
        TRY(read_text(mpi, view_uint(&view, F(opal_info_entry_t, ie_key_pointer)), true, ret->key));
    ret->has_value = value != 0;
    return value == 0 ? STATUS_OK : read_text(mpi, value, bytes == NULL, ret->value);
}

static enum status
emit_pair(struct member_sink *sink, uint32_t index, const struct pair *pair)
{
    TRY(sink->emit(sink, &(struct member){.id = MEMBER_key, .index = index, .text = pair->key}));
    return pair->has_value ? sink->emit(sink, &(struct member){.id = MEMBER_value,
                                                               .index = index,
                                                               .text = pair->value})
                           : STATUS_OK;
}

static enum status
begin(const struct mpi *mpi, taddr addr, uint64_t most, struct walk *ret, uint64_t *ret_length)
{
    TRY(openmpi_list_walk(mpi, addr, ret, ret_length));
    return *ret_length <= most
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "an info of %llu pairs",
                             (unsigned long long) *ret_length);
}

static enum status
next_pair(const struct mpi *mpi, struct walk *walk, struct pair *ret)
{
    taddr entry;

    TRY(walk_next(walk, &entry));
    return load_pair(mpi, entry, ret);
}

// An info is a list of pairs.
enum status
info_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct walk walk;
    struct pair pair;
    uint64_t length;
    uint32_t index = 0;
    enum status status;

    TRY(begin(mpi, object->addr, INFO_MAX, &walk, &length));
    TRY(emit_number(sink, MEMBER_count, (int64_t) length));
    while ((status = next_pair(mpi, &walk, &pair)) == STATUS_OK) {
        TRY(emit_pair(sink, index++, &pair));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

// Takes the value that the program has given, where the library has another one.
static enum status
take_saved(const struct mpi *mpi, taddr list, struct pair *pair)
{
    char key[sizeof(SAVED) + TEXT];
    struct walk walk;
    struct pair other;
    uint64_t length;
    enum status status;

    snprintf(key, sizeof(key), "%s%s", SAVED, pair->key);
    TRY(begin(mpi, list, HINTS_MAX, &walk, &length));
    while ((status = next_pair(mpi, &walk, &other)) == STATUS_OK) {
        if (strcmp(other.key, key) != 0)
            continue;
        memcpy(pair->value, other.value, sizeof(pair->value));
        pair->has_value = other.has_value;
        return STATUS_OK;
    }
    return status == STATUS_END ? STATUS_OK : status;
}

// What is not given to the program tell flags of a pair from 5.0 on, and keys up to 4.1: one that
// is known by neither is not read.
static bool
is_readable(const struct mpi *mpi)
{
    const struct field_layout *fields = mpi->layout->fields;

    return mpi->layout->structs[S(opal_infosubscriber_t)].origin != ORIGIN_NONE &&
           mpi->layout->structs[S(opal_info_entry_t)].origin != ORIGIN_NONE &&
           (fields[F(opal_info_entry_t, ie_key_array)].offset >= 0 ||
            (fields[F(opal_info_entry_t, ie_internal)].offset >= 0 &&
             fields[F(opal_info_entry_t, ie_referenced)].offset >= 0));
}

enum status
emit_hints(const struct mpi *mpi, struct member_sink *sink, taddr object)
{
    struct view view;
    struct walk walk;
    struct pair pair;
    uint64_t length;
    uint32_t index = 0;
    enum status status;

    if (!is_readable(mpi))
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_infosubscriber_t), object, &view));
    const taddr list = view_uint(&view, F(opal_infosubscriber_t, s_info));
    if (list == 0)
        return STATUS_OK;
    TRY(begin(mpi, list, HINTS_MAX, &walk, &length));
    while ((status = next_pair(mpi, &walk, &pair)) == STATUS_OK) {
        if (pair.is_hidden || strncmp(pair.key, SAVED, sizeof(SAVED) - 1) == 0)
            continue;
        if (mpi->layout->fields[F(opal_info_entry_t, ie_key_array)].offset >= 0)
            TRY(take_saved(mpi, list, &pair));
        TRY(emit_pair(sink, index++, &pair));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

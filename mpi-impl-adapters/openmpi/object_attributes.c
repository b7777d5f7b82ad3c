// SPDX-License-Identifier: BSD-3-Clause
// Attributes of objects, and their keyvals: hash tables by the number of the keyval.
//
// The table of keyvals is a variable that only its own file sees, so a stripped library has no name
// for it. It lies next before the variables of the communicators, and is known by what it holds;
// from 5.0 on, what lies there leads to an object that has it.
#include "mpi-impl-adapters/openmpi/objects.h"

#include <string.h>

enum {
    TABLE_MAX = 1 << 16,  // elements; more is taken for damaged memory
    NEIGHBOURHOOD = 4096, // bytes that are searched for the table of keyvals
    SUBSYSTEM_WORDS = 8,  // of what has it
    KEYVAL_FLAG_PREDEFINED = 1,
    ATTRIBUTE_INT = 1, // how an attribute was set
    ATTRIBUTE_FINT = 2,
    COMM_ATTRIBUTE = 1, // of which objects a keyval is
    TYPE_ATTRIBUTE = 2,
    WIN_ATTRIBUTE = 3,
    KEYVAL_INVALID = -1,
};

/** The keyvals of MPI by their numbers in mpi.h. */
static const char *const predefined[] = {
    "MPI_TAG_UB",
    "MPI_HOST",
    "MPI_IO",
    "MPI_WTIME_IS_GLOBAL",
    "MPI_APPNUM",
    "MPI_LASTUSEDCODE",
    "MPI_UNIVERSE_SIZE",
    "MPI_WIN_BASE",
    "MPI_WIN_SIZE",
    "MPI_WIN_DISP_UNIT",
    "MPI_WIN_CREATE_FLAVOR",
    "MPI_WIN_MODEL",
};

enum status
hash_each(const struct mpi *mpi, taddr table,
          enum status (*visit)(void *context, const struct hash_entry *entry), void *context)
{
    const size_t size = mpi->layout->structs[S(opal_hash_element_t)].size;
    struct view view, element;

    if (table == 0)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_hash_table_t), table, &view));
    const uint64_t capacity = view_uint(&view, F(opal_hash_table_t, ht_capacity));
    const taddr elements = view_uint(&view, F(opal_hash_table_t, ht_table));
    uint64_t left = view_uint(&view, F(opal_hash_table_t, ht_size));
    if (capacity > TABLE_MAX || left > capacity)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a hash table of %llu elements",
                           (unsigned long long) capacity);
    if (left > 0)
        inferior_fetch(mpi->inf, elements, capacity * size);
    for (uint64_t i = 0; i < capacity && left > 0; ++i) {
        TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_hash_element_t), elements + i * size,
                            &element));
        if (view_uint(&element, F(opal_hash_element_t, valid)) == 0)
            continue;
        const struct hash_entry entry = {
            (uint32_t) view_uint(&element, F(opal_hash_element_t, key)),
            view_uint(&element, F(opal_hash_element_t, value))};
        TRY(visit(context, &entry));
        left--;
    }
    return STATUS_OK;
}

/** A key that is looked for. */
struct wanted {
    uint32_t key;
    struct hash_entry found;
};

static enum status
compare_key(void *context, const struct hash_entry *entry)
{
    struct wanted *wanted = context;

    if (entry->key != wanted->key)
        return STATUS_OK;
    wanted->found = *entry;
    return STATUS_END;
}

enum status
hash_find(const struct mpi *mpi, taddr table, uint32_t key, struct hash_entry *ret)
{
    struct wanted wanted = {.key = key};
    const enum status status = hash_each(mpi, table, compare_key, &wanted);

    *ret = wanted.found;
    return status == STATUS_END ? STATUS_OK : status == STATUS_OK ? STATUS_ABSENT : status;
}

static enum status
load_value(const struct mpi *mpi, const struct hash_entry *entry, int64_t *ret)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(attribute_key_value_t), entry->value, &view));
    if (view_uint(&view, F(attribute_key_value_t, av_key)) != entry->key)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "an attribute is of another keyval");
    const int64_t from = view_int(&view, F(attribute_key_value_t, av_set_from));
    *ret = (int64_t) view_uint(&view, F(attribute_key_value_t, av_value));
    if (from == ATTRIBUTE_INT || from == ATTRIBUTE_FINT)
        *ret = (int32_t) *ret;
    return STATUS_OK;
}

enum status
attribute_value(const struct mpi *mpi, taddr table, uint32_t key, int64_t *ret)
{
    struct hash_entry entry;

    TRY(hash_find(mpi, table, key, &entry));
    return load_value(mpi, &entry, ret);
}

/** Where attributes go. */
struct attributes {
    const struct mpi *mpi;
    struct member_sink *sink;
    enum object_kind keyval_kind;
    uint32_t count;
};

// What MPI has set itself is no news.
static enum status
emit_attribute(void *context, const struct hash_entry *entry)
{
    struct attributes *attributes = context;
    int64_t value;

    if (entry->key < sizeof(predefined) / sizeof(*predefined))
        return STATUS_OK;
    TRY(load_value(attributes->mpi, entry, &value));
    TRY(emit_handle(attributes->sink, MEMBER_attribute, attributes->keyval_kind, attributes->count,
                    entry->key));
    return emit_indexed(attributes->sink, MEMBER_attribute_value, attributes->count++, value);
}

enum status
emit_attributes(const struct mpi *mpi, struct member_sink *sink, taddr table,
                enum object_kind keyval_kind)
{
    struct attributes attributes = {mpi, sink, keyval_kind, 0};

    return hash_each(mpi, table, emit_attribute, &attributes);
}

static enum status
check_keyval(void *context, const struct hash_entry *entry)
{
    const struct mpi *mpi = context;
    bool same;

    TRY(openmpi_object_is(mpi, entry->value, "ompi_attribute_keyval_t", &same));
    return same ? STATUS_END : STATUS_ABSENT; // one is enough
}

static bool
is_keyval_table(const struct mpi *mpi, taddr table, taddr hash_class)
{
    struct view header;

    return table != 0 &&
           view_load_whole(mpi->inf, mpi->layout, S(opal_object_t), table, &header) == STATUS_OK &&
           view_uint(&header, F(opal_object_t, obj_class)) == hash_class &&
           hash_each(mpi, table, check_keyval, (void *) mpi) == STATUS_END;
}

// Address of the pointer to the table: a variable, or one of the words of what it leads to.
static bool
find_table(const struct mpi *mpi, taddr variable, taddr hash_class, taddr *ret)
{
    const size_t width = mpi->inf->model.pointer_size;
    taddr object, table;
    bool same = false;

    *ret = variable;
    if (inferior_read_pointer(mpi->inf, variable, &object) != STATUS_OK || object == 0)
        return false;
    if (is_keyval_table(mpi, object, hash_class))
        return true;
    if (openmpi_object_is(mpi, object, "attr_subsys_t", &same) != STATUS_OK || !same)
        return false;
    for (unsigned i = 1; i < SUBSYSTEM_WORDS; ++i) {
        *ret = object + i * width;
        if (inferior_read_pointer(mpi->inf, *ret, &table) == STATUS_OK &&
            is_keyval_table(mpi, table, hash_class))
            return true;
    }
    return false;
}

static enum status
search_keyvals(const struct mpi *mpi, taddr *ret)
{
    const size_t width = mpi->inf->model.pointer_size;
    const struct trail trail = mpi->inf->trail;
    taddr end, hash_class, found;

    TRY(inferior_symbol(mpi->inf, "ompi_comm_f_to_c_table", &end));
    TRY(inferior_symbol(mpi->inf, "opal_hash_table_t_class", &hash_class));
    for (taddr at = end; at > end - NEIGHBOURHOOD; at -= width) {
        if (!find_table(mpi, at - width, hash_class, &found))
            continue;
        inferior_remember(mpi->inf, "keyval_hash", found);
        mpi->inf->trail = trail;
        return inferior_read_pointer(mpi->inf, found, ret);
    }
    mpi->inf->trail = trail;
    inferior_give_up(mpi->inf, "keyval_hash");
    return STATUS_UNSUPPORTED;
}

static enum status
keyvals(const struct mpi *mpi, taddr *ret)
{
    taddr addr;

    if (mpi->layout->structs[S(ompi_attribute_keyval_t)].origin == ORIGIN_NONE ||
        mpi->layout->structs[S(opal_hash_table_t)].origin == ORIGIN_NONE ||
        mpi->layout->structs[S(opal_hash_element_t)].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    if (inferior_symbol(mpi->inf, "keyval_hash", &addr) == STATUS_OK)
        return inferior_read_pointer(mpi->inf, addr, ret);
    if (inferior_has_given_up(mpi->inf, "keyval_hash"))
        return STATUS_UNSUPPORTED;
    return search_keyvals(mpi, ret);
}

static int64_t
type_of(enum object_kind kind)
{
    return kind == OBJECT_COMM_KEYVAL   ? COMM_ATTRIBUTE
           : kind == OBJECT_TYPE_KEYVAL ? TYPE_ATTRIBUTE
                                        : WIN_ATTRIBUTE;
}

static enum status
describe_keyval(const struct mpi *mpi, enum object_kind kind, const struct hash_entry *entry,
                struct object *ret)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_attribute_keyval_t), entry->value, &view));
    if (view_uint(&view, F(ompi_attribute_keyval_t, key)) != entry->key ||
        view_int(&view, F(ompi_attribute_keyval_t, attr_type)) != type_of(kind))
        return STATUS_ABSENT;
    *ret = (struct object){.kind = kind,
                           .state = OBJECT_LIVE,
                           .addr = entry->value,
                           .handle = entry->key,
                           .fortran = (int32_t) entry->key,
                           .has_fortran = true,
                           .references = -1};
    if (view_uint(&view, F(ompi_attribute_keyval_t, attr_flag)) & KEYVAL_FLAG_PREDEFINED) {
        ret->state = OBJECT_PREDEFINED;
        ret->has_name = entry->key < sizeof(predefined) / sizeof(*predefined);
        if (ret->has_name)
            strncpy(ret->name, predefined[entry->key], sizeof(ret->name) - 1);
    }
    return STATUS_OK;
}

enum status
keyval_object(const struct mpi *mpi, enum object_kind kind, uint64_t value, struct object *ret)
{
    struct hash_entry entry;
    taddr table;

    if (value != (uint32_t) value)
        return STATUS_ABSENT;
    if ((int32_t) value == KEYVAL_INVALID) {
        *ret = (struct object){.kind = kind,
                               .state = OBJECT_NULL,
                               .handle = value,
                               .fortran = KEYVAL_INVALID,
                               .has_fortran = true,
                               .has_name = true,
                               .name = "MPI_KEYVAL_INVALID",
                               .references = -1};
        return STATUS_OK;
    }
    TRY(keyvals(mpi, &table));
    TRY(hash_find(mpi, table, (uint32_t) value, &entry));
    return describe_keyval(mpi, kind, &entry, ret);
}

/** Where keyvals go. */
struct keyval_list {
    const struct mpi *mpi;
    enum object_kind kind;
    struct object_sink *sink;
};

static enum status
emit_keyval(void *context, const struct hash_entry *entry)
{
    const struct keyval_list *list = context;
    struct object object;
    const enum status status = describe_keyval(list->mpi, list->kind, entry, &object);

    if (status == STATUS_OK)
        return list->sink->emit(list->sink, &object);
    if (status != STATUS_ABSENT && status != STATUS_NOMEM)
        list->sink->broken(list->sink, status);
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

enum status
keyval_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink)
{
    struct keyval_list list = {mpi, kind, sink};
    taddr table;

    TRY(keyvals(mpi, &table));
    return hash_each(mpi, table, emit_keyval, &list);
}

enum status
keyval_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_attribute_keyval_t), object->addr, &view));
    if (object->state == OBJECT_PREDEFINED)
        return STATUS_OK;
    TRY(emit_number(sink, MEMBER_extra_state,
                    (int64_t) view_uint(&view, F(ompi_attribute_keyval_t, extra_state))));
    TRY(emit_number(sink, MEMBER_copy_function,
                    (int64_t) view_uint(&view, F(ompi_attribute_keyval_t, copy_attr_fn))));
    return emit_number(sink, MEMBER_delete_function,
                       (int64_t) view_uint(&view, F(ompi_attribute_keyval_t, delete_attr_fn)));
}

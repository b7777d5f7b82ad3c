// SPDX-License-Identifier: BSD-3-Clause
// One line about an object, for people. A table says which members of a kind are shown, and how.
#include "mqs/objects.h"

#include "include/mqs_handles.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 4, // of handles that a description leads to
    VALUES_MAX = 8 // of a member with an index
};

/** A member in the line. A truth is shown as what stands before it, when it is true. */
struct piece {
    enum object_kind kind;
    enum member_id id;
    const char *before;
    const char *between; // of several; NULL: only the first is shown
    const char *after;
};

static const struct piece pieces[] = {
    {OBJECT_COMMUNICATOR, MEMBER_size, ": ", NULL, " ranks"},
    {OBJECT_COMMUNICATOR, MEMBER_rank, ", this is ", NULL, ""},
    {OBJECT_COMMUNICATOR, MEMBER_remote_size, ", to another group of ", NULL, " ranks"},
    {OBJECT_COMMUNICATOR, MEMBER_topology, ", ", NULL, ""},
    {OBJECT_COMMUNICATOR, MEMBER_dims, " ", "x", ""},
    {OBJECT_COMMUNICATOR, MEMBER_periods, ", periodic in ", ",", ""},
    {OBJECT_COMMUNICATOR, MEMBER_coords, ", at (", ",", ")"},
    {OBJECT_GROUP, MEMBER_size, ": ", NULL, " ranks"},
    {OBJECT_GROUP, MEMBER_rank, ", this is ", NULL, ""},
    {OBJECT_GROUP, MEMBER_member, ": ", ",", ""},
    {OBJECT_DATATYPE, MEMBER_combiner, "", NULL, ""},
    {OBJECT_DATATYPE, MEMBER_integer, "(", ", ", ")"},
    {OBJECT_DATATYPE, MEMBER_address, " at (", ", ", ")"},
    {OBJECT_DATATYPE, MEMBER_type, " of ", ", ", ""},
    {OBJECT_REQUEST, MEMBER_operation, "", NULL, ""},
    {OBJECT_REQUEST, MEMBER_count, " of ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_datatype, " ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_source, " from ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_destination, " to ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_tag, " tag ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_communicator, " on ", NULL, ""},
    {OBJECT_REQUEST, MEMBER_persistent, ", persistent", NULL, ""},
    {OBJECT_REQUEST, MEMBER_active, ", active", NULL, ""},
    {OBJECT_REQUEST, MEMBER_complete, ", complete", NULL, ""},
    {OBJECT_REQUEST, MEMBER_cancelled, ", cancelled", NULL, ""},
    {OBJECT_STATUS, MEMBER_source, "from ", NULL, ""},
    {OBJECT_STATUS, MEMBER_tag, " tag ", NULL, ""},
    {OBJECT_STATUS, MEMBER_bytes, ", ", NULL, " bytes"},
    {OBJECT_STATUS, MEMBER_cancelled, ", cancelled", NULL, ""},
    {OBJECT_WINDOW, MEMBER_flavor, ", ", NULL, ""},
    {OBJECT_WINDOW, MEMBER_base, ", base ", NULL, ""},
    {OBJECT_WINDOW, MEMBER_size, ", ", NULL, " bytes"},
    {OBJECT_WINDOW, MEMBER_displacement_unit, ", unit ", NULL, ""},
    {OBJECT_WINDOW, MEMBER_communicator, ", on ", NULL, ""},
    {OBJECT_WINDOW, MEMBER_epoch, ", epoch ", NULL, ""},
    {OBJECT_WINDOW, MEMBER_epoch_member, " with ", ",", ""},
    {OBJECT_WINDOW, MEMBER_access_member, ", accesses ", ",", ""},
    {OBJECT_WINDOW, MEMBER_exposure_member, ", exposed to ", ",", ""},
    {OBJECT_WINDOW, MEMBER_locked, ", locks ", ",", ""},
    {OBJECT_FILE, MEMBER_file_name, "", NULL, ""},
    {OBJECT_FILE, MEMBER_access_mode, ", mode ", NULL, ""},
    {OBJECT_FILE, MEMBER_communicator, ", on ", NULL, ""},
    {OBJECT_FILE, MEMBER_pointer, ", at ", NULL, ""},
    {OBJECT_OP, MEMBER_function, " ", NULL, ""},
    {OBJECT_OP, MEMBER_commutative, ", commutative", NULL, ""},
    {OBJECT_ERRHANDLER, MEMBER_function, " ", NULL, ""},
    {OBJECT_INFO, MEMBER_key, ": ", ", ", ""},
    {OBJECT_MESSAGE, MEMBER_source, " from ", NULL, ""},
    {OBJECT_MESSAGE, MEMBER_tag, " tag ", NULL, ""},
    {OBJECT_MESSAGE, MEMBER_bytes, ", ", NULL, " bytes"},
    {OBJECT_MESSAGE, MEMBER_communicator, " on ", NULL, ""},
    {OBJECT_COMM_KEYVAL, MEMBER_extra_state, " extra state ", NULL, ""},
    {OBJECT_TYPE_KEYVAL, MEMBER_extra_state, " extra state ", NULL, ""},
    {OBJECT_WIN_KEYVAL, MEMBER_extra_state, " extra state ", NULL, ""},
};

/** The line as it is written. */
struct line {
    const struct adapter *adapter;
    const struct mpi *mpi;
    char *text;
    size_t size, at;
};

static enum status add_object(struct line *line, const struct object *object, int depth);

// Kinds whose members say what they are; others begin with the name of the kind.
static bool
describes_itself(enum object_kind kind)
{
    return kind == OBJECT_DATATYPE || kind == OBJECT_REQUEST || kind == OBJECT_STATUS ||
           kind == OBJECT_FILE;
}

__attribute__((format(printf, 2, 3))) static void
add(struct line *line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(line->text + line->at, line->size - line->at, format, args);
    va_end(args);
    if (length > 0)
        line->at +=
            (size_t) length < line->size - line->at ? (size_t) length : line->size - line->at - 1;
}

static enum status
add_handle(struct line *line, const struct member *member, int depth)
{
    struct object object;

    enum status status =
        line->adapter->object(line->mpi, member->kind, FORM_C, (uint64_t) member->value, &object);
    if (status == STATUS_OK && object.has_name && object.name[0] != '\0')
        add(line, "%s", object.name);
    else if (status == STATUS_OK && depth < DEPTH_MAX && describes_itself(member->kind))
        status = add_object(line, &object, depth + 1);
    else if (status == STATUS_OK)
        add(line, "%s %#" PRIx64, mqs_object_kind_name((int) member->kind),
            (uint64_t) member->value);
    else
        add(line, "%#" PRIx64, (uint64_t) member->value);
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

static const enum {
    AS_integer,
    AS_truth,
    AS_address,
    AS_handle,
    AS_text
} types[] = {
#define MEMBER(enumerator, name, type) AS_##type,
#include "include/mqs_members.def"
#undef MEMBER
};

// Any source or any tag, as the library writes it.
static bool
is_any(const struct line *line, const struct member *member)
{
    struct conventions conventions;

    return (member->id == MEMBER_source || member->id == MEMBER_tag) && member->value < 0 &&
           line->adapter->conventions != NULL &&
           line->adapter->conventions(line->mpi, &conventions) == STATUS_OK &&
           member->value ==
               (member->id == MEMBER_source ? conventions.any_source : conventions.any_tag);
}

static enum status
add_value(struct line *line, const struct member *member, int depth)
{
    switch (types[member->id]) {
    case AS_integer:
        if (is_any(line, member))
            add(line, "any");
        else
            add(line, "%" PRId64, member->value);
        return STATUS_OK;
    case AS_address:
        add(line, "%#" PRIx64, (uint64_t) member->value);
        return STATUS_OK;
    case AS_handle:
        return add_handle(line, member, depth);
    case AS_text:
        add(line, "%s", member->text);
        return STATUS_OK;
    case AS_truth:
        if (member->id == MEMBER_periods) // the dimensions that are
            add(line, "%u", member->index);
        return STATUS_OK;
    }
    return STATUS_OK;
}

// The addresses of these are no places of blocks.
static const struct {
    const char *combiner;
    struct piece piece;
} other_addresses[] = {
    {"hvector", {OBJECT_DATATYPE, MEMBER_address, " stride ", "", " bytes"}},
    {"resized", {OBJECT_DATATYPE, MEMBER_address, "(", ", ", ")"}},
};

static const struct piece *
choose_piece(const struct piece *piece, const struct found_list *members)
{
    const struct member *combiner = members_first(members, MEMBER_combiner);

    for (size_t i = 0; i < sizeof(other_addresses) / sizeof(*other_addresses); ++i)
        if (piece->id == MEMBER_address && combiner != NULL &&
            strcmp(combiner->text, other_addresses[i].combiner) == 0)
            return &other_addresses[i].piece;
    return piece;
}

// The value of a key.
static void
add_paired(struct line *line, const struct found_list *members, const struct member *key)
{
    for (const struct found_item *item = members->first; item != NULL; item = item->next)
        if (key->id == MEMBER_key && member_of(item)->id == MEMBER_value &&
            member_of(item)->index == key->index)
            add(line, "=%s", member_of(item)->text);
}

// All of its values, the first ones of many. What is said of numbers (" ranks", " bytes") loses its
// last letter behind 1.
static enum status
add_piece(struct line *line, const struct piece *piece, const struct found_list *members, int depth)
{
    int count = 0;
    bool is_one = false;

    for (const struct found_item *item = members->first; item != NULL; item = item->next) {
        const struct member *member = member_of(item);
        if (member->id != piece->id || (types[piece->id] == AS_truth && member->value == 0))
            continue;
        if (count == VALUES_MAX)
            add(line, "%s...", piece->between);
        if (++count > VALUES_MAX)
            continue;
        add(line, "%s", count == 1 ? piece->before : piece->between);
        TRY(add_value(line, member, depth));
        add_paired(line, members, member);
        is_one = piece->between == NULL && types[piece->id] == AS_integer && member->value == 1;
        if (piece->between == NULL)
            break;
    }
    if (count > 0)
        add(line, "%.*s", (int) (strlen(piece->after) - (is_one && *piece->after != '\0')),
            piece->after);
    return STATUS_OK;
}

static bool
is_named(const struct object *object)
{
    return object->has_name && object->name[0] != '\0';
}

// What a name alone says: nothing more is known of what the library has made, but communicators.
static bool
is_said(const struct object *object)
{
    return is_named(object) &&
           (object->state == OBJECT_NULL ||
            (object->state == OBJECT_PREDEFINED && object->kind != OBJECT_COMMUNICATOR));
}

static enum status
add_members(struct line *line, const struct object *object, int depth)
{
    struct found_list members;
    const size_t before = line->at;

    found_list_init(&members, line->mpi->inf->target);
    enum status status = members_find(&members, line->adapter, line->mpi, object);
    for (size_t i = 0; status == STATUS_OK && i < sizeof(pieces) / sizeof(*pieces); ++i)
        if (pieces[i].kind == object->kind)
            status = add_piece(line, choose_piece(&pieces[i], &members), &members, depth);
    found_list_deinit(&members);
    if (line->at == before && !is_named(object))
        add(line, "%s", mqs_object_kind_name((int) object->kind));
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

static enum status
add_object(struct line *line, const struct object *object, int depth)
{
    const char *kind = mqs_object_kind_name((int) object->kind);

    if (is_named(object))
        add(line, "%s", object->name);
    else if (object->state == OBJECT_NULL)
        add(line, "null %s", kind);
    else if (!describes_itself(object->kind))
        add(line, "%s", kind);
    if (object->state == OBJECT_NULL || is_said(object))
        return STATUS_OK;
    if (is_named(object) && describes_itself(object->kind))
        add(line, ": ");
    TRY(add_members(line, object, depth));
    if (object->state == OBJECT_FREED)
        add(line, ", freed");
    return STATUS_OK;
}

enum status
object_text(const struct adapter *adapter, const struct mpi *mpi, const struct object *object,
            char *ret, size_t size)
{
    struct line line = {adapter, mpi, ret, size, 0};

    ret[0] = '\0';
    return add_object(&line, object, 0);
}

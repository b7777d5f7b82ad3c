// SPDX-License-Identifier: BSD-3-Clause
// Objects by their handles: a pointer in C, in Fortran the number of a slot in a table of pointers.
//
// A pointer of any value is taken for an object only if it leads to one of the right class, which
// is in use, and whose own number leads back to it.
#include "mpi-impl-adapters/openmpi/objects.h"

#include <string.h>

enum { CLASS_DEPTH = 16, SLOTS_MAX = 1 << 20, SLOT_CHUNK = 128 };

/** How the objects of a kind are known. */
struct kind {
    unsigned number;          // of the struct
    int index;                // field with the number in the table; -1: the kind has no table
    const char *class_symbol; // of the class, or an ancestor
    const char *table;
    const char *null;
    const char *null_name;
    enum status (*members)(const struct mpi *mpi, const struct object *object,
                           struct member_sink *sink);
    const char *also; // the class of those that are made when the library is compiled
    bool derives;     // objects are of classes derived from it
    bool is_lazy;     // the number is given when it is asked for
};

#define TABLE(type, field, prefix) \
    .number = S(type), .index = F(type, field), .class_symbol = #type "_class", .table = prefix

static const struct kind kinds[OBJECT_KINDS] = {
    [OBJECT_COMMUNICATOR] = {TABLE(ompi_communicator_t, c_f_to_c_index, "ompi_comm_f_to_c_table"),
                             .null = "ompi_mpi_comm_null", .null_name = "MPI_COMM_NULL",
                             .members = comm_members},
    [OBJECT_GROUP] = {TABLE(ompi_group_t, grp_f_to_c_index, "ompi_group_f_to_c_table"),
                      .null = "ompi_mpi_group_null", .null_name = "MPI_GROUP_NULL",
                      .members = group_members},
    [OBJECT_DATATYPE] = {TABLE(ompi_datatype_t, d_f_to_c_index, "ompi_datatype_f_to_c_table"),
                         .also = "opal_datatype_t_class", .null = "ompi_mpi_datatype_null",
                         .null_name = "MPI_DATATYPE_NULL", .members = datatype_members,
                         .is_lazy = true},
    [OBJECT_REQUEST] = {TABLE(ompi_request_t, req_f_to_c_index, "ompi_request_f_to_c_table"),
                        .null = "ompi_request_null", .null_name = "MPI_REQUEST_NULL",
                        .members = request_members, .derives = true, .is_lazy = true},
    [OBJECT_STATUS] = {.number = S(ompi_status_public_t), .index = -1, .members = status_members},
    [OBJECT_WINDOW] = {TABLE(ompi_win_t, w_f_to_c_index, "ompi_mpi_windows"),
                       .null = "ompi_mpi_win_null", .null_name = "MPI_WIN_NULL",
                       .members = window_members},
    [OBJECT_FILE] = {TABLE(ompi_file_t, f_f_to_c_index, "ompi_file_f_to_c_table"),
                     .null = "ompi_mpi_file_null", .null_name = "MPI_FILE_NULL",
                     .members = file_members},
    [OBJECT_OP] = {TABLE(ompi_op_t, o_f_to_c_index, "ompi_op_f_to_c_table"),
                   .null = "ompi_mpi_op_null", .null_name = "MPI_OP_NULL", .members = op_members},
    [OBJECT_ERRHANDLER] = {TABLE(ompi_errhandler_t, eh_f_to_c_index,
                                 "ompi_errhandler_f_to_c_table"),
                           .null = "ompi_mpi_errhandler_null", .null_name = "MPI_ERRHANDLER_NULL",
                           .members = errhandler_members},
    [OBJECT_INFO] = {TABLE(ompi_info_t, i_f_to_c_index, "ompi_info_f_to_c_table"),
                     .null = "ompi_mpi_info_null", .null_name = "MPI_INFO_NULL",
                     .members = info_members},
    [OBJECT_MESSAGE] = {TABLE(ompi_message_t, m_f_to_c_index, "ompi_message_f_to_c_table"),
                        .null = "ompi_message_null", .null_name = "MPI_MESSAGE_NULL",
                        .members = message_members, .is_lazy = true},
    [OBJECT_COMM_KEYVAL] = {.index = -1, .members = keyval_members},
    [OBJECT_TYPE_KEYVAL] = {.index = -1, .members = keyval_members},
    [OBJECT_WIN_KEYVAL] = {.index = -1, .members = keyval_members},
};

/** Objects that the library makes and that do not say so themselves. */
static const struct {
    enum object_kind kind;
    const char *symbol;
    const char *name;
} made[] = {
    {OBJECT_GROUP, "ompi_mpi_group_empty", "MPI_GROUP_EMPTY"},
    {OBJECT_INFO, "ompi_mpi_info_env", "MPI_INFO_ENV"},
    {OBJECT_MESSAGE, "ompi_message_no_proc", "MPI_MESSAGE_NO_PROC"},
    {OBJECT_COMMUNICATOR, "ompi_mpi_comm_world", NULL},
    {OBJECT_COMMUNICATOR, "ompi_mpi_comm_self", NULL},
    {OBJECT_REQUEST, "ompi_request_empty", ""},
};

static bool
is_keyval(enum object_kind kind)
{
    return kind == OBJECT_COMM_KEYVAL || kind == OBJECT_TYPE_KEYVAL || kind == OBJECT_WIN_KEYVAL;
}

// What is not there, or has an address that nothing can have, is no object.
static enum status
or_absent(const struct mpi *mpi, enum status status)
{
    if (status != STATUS_UNREADABLE && status != STATUS_CORRUPT)
        return status;
    trail_reset(&mpi->inf->trail);
    return STATUS_ABSENT;
}

// The variable is the table, or a pointer to it.
static enum status
table(const struct mpi *mpi, const struct kind *kind, taddr *ret)
{
    taddr addr, class, first;

    TRY(inferior_symbol(mpi->inf, kind->table, &addr));
    TRY(inferior_symbol(mpi->inf, "opal_pointer_array_t_class", &class));
    TRY(inferior_read_pointer(mpi->inf, addr, &first));
    *ret = first == class ? addr : first;
    return *ret == 0 ? STATUS_ABSENT : STATUS_OK;
}

static enum status
slots(const struct mpi *mpi, const struct kind *kind, taddr *ret, uint32_t *ret_count)
{
    struct view view;
    taddr addr;

    TRY(table(mpi, kind, &addr));
    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_pointer_array_t), addr, &view));
    const int64_t size = view_int(&view, F(opal_pointer_array_t, size));
    *ret = view_uint(&view, F(opal_pointer_array_t, addr));
    if (size < 0 || size > SLOTS_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "%s: %lld slots", kind->table,
                           (long long) size);
    *ret_count = *ret == 0 ? 0 : (uint32_t) size;
    return STATUS_OK;
}

static enum status
slot(const struct mpi *mpi, const struct kind *kind, int64_t index, taddr *ret)
{
    uint32_t count;
    taddr addr;

    TRY(slots(mpi, kind, &addr, &count));
    if (index < 0 || index >= count)
        return STATUS_ABSENT;
    TRY(inferior_read_pointer(mpi->inf, addr + (taddr) index * mpi->inf->model.pointer_size, ret));
    return *ret == 0 ? STATUS_ABSENT : STATUS_OK;
}

static bool
is_compiled_in(const struct mpi *mpi, const struct kind *kind, taddr class)
{
    taddr wanted;

    return kind->also != NULL && inferior_symbol(mpi->inf, kind->also, &wanted) == STATUS_OK &&
           class == wanted;
}

// The class itself, or one of those derived from it.
static enum status
has_class(const struct mpi *mpi, const struct kind *kind, taddr class)
{
    struct view view;
    taddr wanted;

    TRY(inferior_symbol(mpi->inf, kind->class_symbol, &wanted));
    for (int depth = 0; class != 0 && depth < CLASS_DEPTH; ++depth) {
        if (class == wanted)
            return STATUS_OK;
        if (!kind->derives)
            break;
        TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_class_t), class, &view));
        class = view_uint(&view, F(opal_class_t, cls_parent));
    }
    return STATUS_ABSENT;
}

// An object of the kind that is in use, whose number leads back to it.
static enum status
load_object(const struct mpi *mpi, const struct kind *kind, taddr addr, struct view *ret,
            struct object *object)
{
    struct view header;
    taddr back;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_object_t), addr, &header));
    const taddr class = view_uint(&header, F(opal_object_t, obj_class));
    // MPI_MESSAGE_NULL is no whole object.
    const bool compiled_in = is_compiled_in(mpi, kind, class);
    if (!compiled_in && (class != 0 || object->state == OBJECT_LIVE))
        TRY(has_class(mpi, kind, class));
    if (compiled_in && object->state == OBJECT_LIVE)
        object->state = OBJECT_PREDEFINED;
    const unsigned count = F(opal_object_t, obj_reference_count);
    if (class != 0 && view_has(&header, count)) {
        object->references = view_int(&header, count);
        if (object->references <= 0)
            return STATUS_ABSENT;
    }
    TRY(view_load_whole(mpi->inf, mpi->layout, kind->number, addr, ret));
    if (!view_has(ret, (unsigned) kind->index))
        return STATUS_OK;
    const int64_t index = view_int(ret, (unsigned) kind->index);
    if (kind->is_lazy && (index == NO_INTEGER || index == NO_INTEGER_YET))
        return STATUS_OK;
    TRY(slot(mpi, kind, index, &back));
    object->has_fortran = true;
    object->fortran = (int32_t) index;
    return back == addr ? STATUS_OK : STATUS_ABSENT;
}

bool
object_name(const struct mpi *mpi, const struct view *view, unsigned array, unsigned pointer,
            char *ret)
{
    const char *bytes = view_bytes(view, array);
    const taddr addr = pointer != NO_FIELD ? view_uint(view, pointer) : 0;

    memset(ret, 0, OBJECT_NAME);
    if (bytes != NULL) {
        const size_t width = mpi->layout->fields[array].width;
        memcpy(ret, bytes, strnlen(bytes, width < OBJECT_NAME ? width : OBJECT_NAME - 1));
        return true;
    }
    return addr != 0 && inferior_read_string(mpi->inf, addr, OBJECT_NAME, ret) == STATUS_OK;
}

static void
set_name(struct object *object, const char *name)
{
    memset(object->name, 0, sizeof(object->name));
    memcpy(object->name, name, strnlen(name, sizeof(object->name) - 1));
    object->has_name = true;
}

// The name that an object has, and whether the library has made it.
static void
name_object(const struct mpi *mpi, const struct view *view, struct object *object)
{
    bool predefined = false;

    switch (object->kind) {
    case OBJECT_COMMUNICATOR:
        // Until it is named it may have a text for the library's own messages there.
        object->has_name = true;
        if (view_uint(view, F(ompi_communicator_t, c_flags)) & COMM_FLAG_NAME_IS_SET)
            object->has_name = object_name(mpi, view, F(ompi_communicator_t, c_name_array),
                                           F(ompi_communicator_t, c_name_pointer), object->name);
        if (view_uint(view, F(ompi_communicator_t, c_flags)) & COMM_FLAG_ISFREED)
            object->state = OBJECT_FREED;
        break;
    case OBJECT_DATATYPE:
        object->has_name = object_name(mpi, view, F(ompi_datatype_t, name_array),
                                       F(ompi_datatype_t, name_pointer), object->name);
        break;
    case OBJECT_WINDOW:
        object->has_name = object_name(mpi, view, F(ompi_win_t, w_name_array),
                                       F(ompi_win_t, w_name_pointer), object->name);
        break;
    case OBJECT_OP:
        predefined = view_uint(view, F(ompi_op_t, o_flags)) & OP_FLAG_INTRINSIC;
        object->has_name =
            predefined && object_name(mpi, view, F(ompi_op_t, o_name), NO_FIELD, object->name);
        break;
    case OBJECT_ERRHANDLER:
        predefined = view_int(view, F(ompi_errhandler_t, eh_mpi_object_type)) == 0;
        object->has_name = predefined && object_name(mpi, view, F(ompi_errhandler_t, eh_name),
                                                     NO_FIELD, object->name);
        break;
    default:
        break;
    }
    if (predefined)
        object->state = OBJECT_PREDEFINED;
}

// Requests and messages go back to lists of free ones, and keep their class there.
static enum status
check_use(const struct mpi *mpi, const struct view *view, struct object *object)
{
    if (object->state != OBJECT_LIVE)
        return STATUS_OK;
    if (object->kind == OBJECT_REQUEST)
        return request_state(mpi, view, object);
    return object->kind == OBJECT_MESSAGE && view_uint(view, F(ompi_message_t, req_ptr)) == 0
               ? STATUS_ABSENT
               : STATUS_OK;
}

// What is known by its address alone.
static void
name_made(const struct mpi *mpi, const struct kind *kind, struct object *object)
{
    taddr addr;

    if (inferior_symbol(mpi->inf, kind->null, &addr) == STATUS_OK && addr == object->addr) {
        object->state = OBJECT_NULL;
        set_name(object, kind->null_name);
        return;
    }
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); ++i) {
        if (made[i].kind != object->kind ||
            inferior_symbol(mpi->inf, made[i].symbol, &addr) != STATUS_OK || addr != object->addr)
            continue;
        object->state = OBJECT_PREDEFINED;
        if (made[i].name != NULL)
            set_name(object, made[i].name);
    }
}

static enum status
object_at(const struct mpi *mpi, enum object_kind kind, taddr addr, struct object *ret)
{
    struct view view;

    *ret = (struct object){
        .kind = kind, .state = OBJECT_LIVE, .addr = addr, .handle = addr, .references = -1};
    name_made(mpi, &kinds[kind], ret);
    TRY(or_absent(mpi, load_object(mpi, &kinds[kind], addr, &view, ret)));
    if (ret->state == OBJECT_NULL)
        return STATUS_OK;
    name_object(mpi, &view, ret);
    return or_absent(mpi, check_use(mpi, &view, ret));
}

// A status is whatever lies at its address.
static enum status
status_at(const struct mpi *mpi, taddr addr, struct object *ret)
{
    struct view view;

    *ret = (struct object){.kind = OBJECT_STATUS,
                           .state = addr == 0 ? OBJECT_NULL : OBJECT_LIVE,
                           .addr = addr,
                           .handle = addr,
                           .references = -1};
    if (addr == 0) {
        set_name(ret, "MPI_STATUS_IGNORE");
        return STATUS_OK;
    }
    return or_absent(mpi,
                     view_load_whole(mpi->inf, mpi->layout, S(ompi_status_public_t), addr, &view));
}

enum status
openmpi_object(const struct mpi *mpi, enum object_kind kind, enum handle_form form, uint64_t value,
               struct object *ret)
{
    taddr addr = value;

    if (kinds[kind].members == NULL || form == FORM_ABI)
        return STATUS_UNSUPPORTED;
    if (is_keyval(kind))
        return form == FORM_ADDRESS ? STATUS_UNSUPPORTED : keyval_object(mpi, kind, value, ret);
    if (kind == OBJECT_STATUS)
        return status_at(mpi, addr, ret);
    if (mpi->layout->structs[kinds[kind].number].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    if (form == FORM_FORTRAN) {
        if (value != (uint32_t) value)
            return STATUS_ABSENT;
        TRY(slot(mpi, &kinds[kind], (int32_t) value, &addr));
    }
    TRY(object_at(mpi, kind, addr, ret));
    if (form == FORM_FORTRAN && mpi->layout->fields[kinds[kind].index].offset < 0) {
        ret->has_fortran = true; // the object itself does not say it in this release
        ret->fortran = (int32_t) value;
    }
    return form == FORM_FORTRAN && (!ret->has_fortran || ret->fortran != (int32_t) value)
               ? STATUS_ABSENT
               : STATUS_OK;
}

static enum status
emit_slots(const struct mpi *mpi, enum object_kind kind, taddr addr, uint32_t count,
           struct object_sink *sink)
{
    const size_t width = mpi->inf->model.pointer_size;
    uint8_t bytes[SLOT_CHUNK * sizeof(taddr)];
    struct object object;

    TRY(inferior_read(mpi->inf, addr, count * width, bytes));
    for (uint32_t i = 0; i < count; ++i) {
        const taddr at = datamodel_uint(&mpi->inf->model, bytes + i * width, width);
        // A slot may be reserved, by 1.
        const enum status status = at <= 1 ? STATUS_ABSENT : object_at(mpi, kind, at, &object);
        if (status == STATUS_OK)
            TRY(sink->emit(sink, &object));
        else if (status == STATUS_NOMEM)
            return status;
        else if (status != STATUS_ABSENT)
            sink->broken(sink, status);
    }
    return STATUS_OK;
}

enum status
openmpi_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink)
{
    uint32_t count;
    taddr addr;

    if (kind == OBJECT_STATUS || kinds[kind].members == NULL)
        return STATUS_UNSUPPORTED;
    if (is_keyval(kind))
        return keyval_objects(mpi, kind, sink);
    if (mpi->layout->structs[kinds[kind].number].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    TRY(slots(mpi, &kinds[kind], &addr, &count));
    for (uint32_t i = 0; i < count; i += SLOT_CHUNK)
        TRY(emit_slots(mpi, kind, addr + i * (taddr) mpi->inf->model.pointer_size,
                       count - i < SLOT_CHUNK ? count - i : SLOT_CHUNK, sink));
    return kind == OBJECT_REQUEST   ? request_objects(mpi, sink)
           : kind == OBJECT_MESSAGE ? message_objects(mpi, sink)
                                    : STATUS_OK;
}

enum status
openmpi_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    return kinds[object->kind].members == NULL ? STATUS_UNSUPPORTED
                                               : kinds[object->kind].members(mpi, object, sink);
}

// SPDX-License-Identifier: BSD-3-Clause
// What is known of windows, files, operations of reductions, error handlers and infos.
#include "mpi-impl-adapters/openmpi/objects.h"

#include "target/walk.h"

#include <string.h>

enum { FILE_NAME = 256, INFO_MAX = 1 << 16 };

/** Keyvals of what MPI keeps of a window as attributes. */
enum { WIN_BASE = 7, WIN_SIZE, WIN_DISP_UNIT, WIN_FLAVOR, WIN_MODEL };

enum status
window_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    static const char *const flavors[] = {NULL, "create", "allocate", "dynamic", "shared"};
    static const char *const models[] = {"unified", "separate"};
    static const struct {
        uint32_t key;
        enum member_id id;
    } numbers[] = {
        {WIN_BASE, MEMBER_base},
        {WIN_SIZE, MEMBER_size},
        {WIN_DISP_UNIT, MEMBER_displacement_unit},
    };
    struct view view, group;
    int64_t value;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_win_t), object->addr, &view));
    const taddr table = view_uint(&view, F(ompi_win_t, w_keyhash));
    const taddr members = view_uint(&view, F(ompi_win_t, w_group));
    TRY(emit_choice(sink, MEMBER_flavor, flavors, 5, view_int(&view, F(ompi_win_t, w_flavor))));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); ++i)
        if (attribute_value(mpi, table, numbers[i].key, &value) == STATUS_OK)
            TRY(emit_number(sink, numbers[i].id, value));
    if (attribute_value(mpi, table, WIN_MODEL, &value) == STATUS_OK)
        TRY(emit_choice(sink, MEMBER_model, models, 2, value));
    TRY(emit_handle(sink, MEMBER_error_handler, OBJECT_ERRHANDLER, 0,
                    view_uint(&view, F(ompi_win_t, error_handler))));
    TRY(emit_handle(sink, MEMBER_group, OBJECT_GROUP, 0, members));
    TRY(emit_attributes(mpi, sink, table, OBJECT_WIN_KEYVAL));
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_group_t), members, &group));
    if (!view_has(&group, F(ompi_group_t, grp_my_rank)))
        return STATUS_OK;
    const struct window window = {.addr = object->addr,
                                  .module = view_uint(&view, F(ompi_win_t, w_osc_module)),
                                  .group = members,
                                  .rank = view_int(&group, F(ompi_group_t, grp_my_rank)),
                                  .size = view_int(&group, F(ompi_group_t, grp_proc_count))};
    TRY(emit_number(sink, MEMBER_rank, window.rank));
    return window_epoch(mpi, &window, sink);
}

static enum status
emit_string(const struct mpi *mpi, struct member_sink *sink, enum member_id id, uint32_t index,
            taddr addr)
{
    char text[FILE_NAME];

    if (addr == 0)
        return STATUS_OK;
    TRY(inferior_read_string(mpi->inf, addr, sizeof(text), text));
    return sink->emit(sink, &(struct member){.id = id, .index = index, .text = text});
}

// The individual pointer, in etypes of the view: whole copies of it, and what is used of the
// current one.
static int64_t
file_pointer(const struct view *view)
{
#define N(field) view_int(view, F(ompio_file_t, field))
    const int64_t etype = N(f_etype_size), extent = N(f_view_extent);

    if (etype <= 0)
        return 0;
    const int64_t copies = extent > 0 ? (N(f_offset) - N(f_disp)) / extent : 0;
    return copies * (N(f_view_size) / etype) + N(f_total_bytes) / etype;
#undef N
}

// Of ompio; what another module keeps of a file is not known.
static enum status
ompio_members(const struct mpi *mpi, const struct view *file, struct member_sink *sink)
{
    const taddr data = view_uint(file, F(ompi_file_t, f_io_selected_data));
    struct view view;

    if (data == 0 || mpi->layout->structs[S(ompio_file_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompio_file_t), data, &view));
    if (view_uint(&view, F(ompio_file_t, f_fh)) != file->addr ||
        view_int(&view, F(ompio_file_t, f_amode)) != view_int(file, F(ompi_file_t, f_amode)))
        return STATUS_OK;
    TRY(emit_number(sink, MEMBER_view_displacement, view_int(&view, F(ompio_file_t, f_disp))));
    TRY(emit_handle(sink, MEMBER_view_etype, OBJECT_DATATYPE, 0,
                    view_uint(&view, F(ompio_file_t, f_etype))));
    TRY(emit_handle(sink, MEMBER_view_filetype, OBJECT_DATATYPE, 0,
                    view_uint(&view, F(ompio_file_t, f_orig_filetype))));
    TRY(emit_string(mpi, sink, MEMBER_data_representation, 0,
                    view_uint(&view, F(ompio_file_t, f_datarep))));
    TRY(emit_number(sink, MEMBER_pointer, file_pointer(&view)));
    return emit_number(sink, MEMBER_atomic, view_int(&view, F(ompio_file_t, f_atomicity)) != 0);
}

enum status
file_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_file_t), object->addr, &view));
    TRY(emit_string(mpi, sink, MEMBER_file_name, 0, view_uint(&view, F(ompi_file_t, f_filename))));
    TRY(emit_number(sink, MEMBER_access_mode, view_int(&view, F(ompi_file_t, f_amode))));
    TRY(emit_handle(sink, MEMBER_communicator, OBJECT_COMMUNICATOR, 0,
                    view_uint(&view, F(ompi_file_t, f_comm))));
    TRY(emit_handle(sink, MEMBER_error_handler, OBJECT_ERRHANDLER, 0,
                    view_uint(&view, F(ompi_file_t, error_handler))));
    return ompio_members(mpi, &view, sink);
}

enum status
op_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_op_t), object->addr, &view));
    const uint64_t flags = view_uint(&view, F(ompi_op_t, o_flags));
    TRY(emit_number(sink, MEMBER_commutative, (flags & OP_FLAG_COMMUTE) != 0));
    return flags & OP_FLAG_INTRINSIC
               ? STATUS_OK
               : emit_number(sink, MEMBER_function,
                             (int64_t) view_uint(&view, F(ompi_op_t, o_func)));
}

enum status
errhandler_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    static const char *const types[] = {NULL, "communicator", "window", "file"};
    static const char *const languages[] = {"C", "C++", "Fortran"};
    static const unsigned functions[] = {NO_FIELD, F(ompi_errhandler_t, eh_comm_fn),
                                         F(ompi_errhandler_t, eh_win_fn),
                                         F(ompi_errhandler_t, eh_file_fn)};
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_errhandler_t), object->addr, &view));
    const uint64_t type = view_uint(&view, F(ompi_errhandler_t, eh_mpi_object_type));
    const int64_t language = view_int(&view, F(ompi_errhandler_t, eh_lang));
    if (type == 0 || type > 3)
        return STATUS_OK;
    TRY(emit_text(sink, MEMBER_object_kind, types[type]));
    TRY(emit_choice(sink, MEMBER_language, languages, 3, language));
    return emit_number(sink, MEMBER_function,
                       (int64_t) view_uint(&view, language == 2 ? F(ompi_errhandler_t, eh_fort_fn)
                                                                : functions[type]));
}

// A text of an info: up to 4.1 a string, from 5.0 on, where the key is an object, one too.
static enum status
emit_info_text(const struct mpi *mpi, struct member_sink *sink, enum member_id id, uint32_t index,
               taddr addr, bool is_object)
{
    return emit_string(mpi, sink, id, index,
                       is_object && addr != 0
                           ? addr + (taddr) mpi->layout->fields[F(opal_cstring_t, string)].offset
                           : addr);
}

static enum status
emit_entry(const struct mpi *mpi, struct member_sink *sink, uint32_t index, taddr addr)
{
    char key[FILE_NAME];
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_info_entry_t), addr, &view));
    const char *bytes = view_bytes(&view, F(opal_info_entry_t, ie_key_array));
    if (bytes != NULL) {
        const size_t width = mpi->layout->fields[F(opal_info_entry_t, ie_key_array)].width;
        memset(key, 0, sizeof(key));
        memcpy(key, bytes, strnlen(bytes, width));
        TRY(sink->emit(sink, &(struct member){.id = MEMBER_key, .index = index, .text = key}));
    } else {
        if (mpi->layout->structs[S(opal_cstring_t)].origin == ORIGIN_NONE)
            return STATUS_UNSUPPORTED;
        TRY(emit_info_text(mpi, sink, MEMBER_key, index,
                           view_uint(&view, F(opal_info_entry_t, ie_key_pointer)), true));
    }
    return emit_info_text(mpi, sink, MEMBER_value, index,
                          view_uint(&view, F(opal_info_entry_t, ie_value)), bytes == NULL);
}

// An info is a list of pairs.
enum status
info_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view list;
    struct walk walk;
    enum status status;
    uint32_t index = 0;
    taddr entry;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(opal_list_t), object->addr, &list));
    const uint64_t length = view_uint(&list, F(opal_list_t, opal_list_length));
    if (length > INFO_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "an info of %llu pairs",
                           (unsigned long long) length);
    TRY(emit_number(sink, MEMBER_count, (int64_t) length));
    TRY(walk_circular(&walk, mpi->inf, view_addr(&list, F(opal_list_t, opal_list_sentinel)),
                      (uint32_t) mpi->layout->fields[F(opal_list_item_t, opal_list_next)].offset,
                      length));
    while ((status = walk_next(&walk, &entry)) == STATUS_OK)
        TRY(emit_entry(mpi, sink, index++, entry));
    return status == STATUS_END ? STATUS_OK : status;
}

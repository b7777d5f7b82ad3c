// SPDX-License-Identifier: BSD-3-Clause
// What is known of windows, files, operations of reductions and error handlers.
#include "mpi-impl-adapters/openmpi/objects.h"

enum { FILE_NAME = 256 };

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
    TRY(emit_hints(mpi, sink, object->addr));
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
emit_string(const struct mpi *mpi, struct member_sink *sink, enum member_id id, taddr addr)
{
    char text[FILE_NAME];

    if (addr == 0)
        return STATUS_OK;
    TRY(inferior_read_string(mpi->inf, addr, sizeof(text), text));
    return emit_text(sink, id, text);
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
    TRY(emit_string(mpi, sink, MEMBER_data_representation,
                    view_uint(&view, F(ompio_file_t, f_datarep))));
    TRY(emit_number(sink, MEMBER_pointer, file_pointer(&view)));
    return emit_number(sink, MEMBER_atomic, view_int(&view, F(ompio_file_t, f_atomicity)) != 0);
}

enum status
file_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_file_t), object->addr, &view));
    TRY(emit_string(mpi, sink, MEMBER_file_name, view_uint(&view, F(ompi_file_t, f_filename))));
    TRY(emit_number(sink, MEMBER_access_mode, view_int(&view, F(ompi_file_t, f_amode))));
    TRY(emit_handle(sink, MEMBER_communicator, OBJECT_COMMUNICATOR, 0,
                    view_uint(&view, F(ompi_file_t, f_comm))));
    TRY(emit_handle(sink, MEMBER_error_handler, OBJECT_ERRHANDLER, 0,
                    view_uint(&view, F(ompi_file_t, error_handler))));
    const enum status hints = emit_hints(mpi, sink, object->addr);
    const enum status status = ompio_members(mpi, &view, sink);
    return status != STATUS_OK ? status : hints;
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

// SPDX-License-Identifier: BSD-3-Clause
// The functions of mpidbg.h.
#include "mqs/entry.h"
#include "mqs/record_mpidbg.h"

#include "include/mpidbg.h"

#include <string.h>

EXPORT char mpidbg_dll_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
EXPORT char mpidbg_dll_bitness = (char) (8 * sizeof(void *));
EXPORT enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
EXPORT struct mpidbg_name_map_t *mpidbg_comm_name_map;
EXPORT enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
EXPORT struct mpidbg_name_map_t *mpidbg_errhandler_name_map;
EXPORT enum mpidbg_request_capabilities_t mpidbg_request_capabilities;
EXPORT struct mpidbg_name_map_t *mpidbg_request_name_map;
EXPORT enum mpidbg_status_capabilities_t mpidbg_status_capabilities;
EXPORT struct mpidbg_name_map_t *mpidbg_status_name_map;

static const struct {
    struct mpidbg_name_map_t **map;
    enum object_kind kind;
    int nulls[2]; // INTEGER of the null handle in Open MPI and in MPICH
} maps[] = {
    {&mpidbg_comm_name_map, OBJECT_COMMUNICATOR, {2, 0x04000000}},
    {&mpidbg_errhandler_name_map, OBJECT_ERRHANDLER, {0, 0x14000000}},
    {&mpidbg_request_name_map, OBJECT_REQUEST, {0, 0x2c000000}},
};

static struct session *maps_of; // whose handles are in the maps

static const struct {
    size_t offset;
    const char *name;
} handle_types[] = {
    {offsetof(struct mpidbg_handle_info_t, hi_c_aint), "MPI_Aint"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_comm), "MPI_Comm"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_datatype), "MPI_Datatype"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_errhandler), "MPI_Errhandler"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_file), "MPI_File"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_group), "MPI_Group"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_info), "MPI_Info"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_offset), "MPI_Offset"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_op), "MPI_Op"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_request), "MPI_Request"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_status), "MPI_Status"},
    {offsetof(struct mpidbg_handle_info_t, hi_c_win), "MPI_Win"},
};

static int
result_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return MPIDBG_SUCCESS;
    case STATUS_ABSENT:
        return MPIDBG_ERR_NOT_FOUND;
    case STATUS_UNSUPPORTED:
        return MPIDBG_ERR_NOT_SUPPORTED;
    case STATUS_NOMEM:
        return MPIDBG_ERR_NO_MEM;
    default:
        return MPIDBG_ERR_UNAVAILABLE;
    }
}

EXPORT int
mpidbg_init_once(const mqs_basic_callbacks *callbacks)
{
    host_set_basic(callbacks);
    return result_of(host_basic() == NULL ? STATUS_MISUSE : STATUS_OK);
}

EXPORT int
mpidbg_interface_version_compatibility(void)
{
    return MPIDBG_INTERFACE_VERSION;
}

EXPORT char *
mpidbg_version_string(void)
{
    return (char *) "mqs-ompd " PACKAGE_VERSION ": MPI handles (mpidbg version 1)";
}

EXPORT int
mpidbg_dll_taddr_width(void)
{
    return (int) sizeof(mqs_taddr_t);
}

static void
find_types(mqs_image *image, const mqs_image_callbacks *callbacks, struct mpidbg_handle_info_t *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0;
         callbacks->mqs_find_type_fp != NULL && i < sizeof(handle_types) / sizeof(*handle_types);
         ++i) {
        mqs_type *type =
            callbacks->mqs_find_type_fp(image, (char *) handle_types[i].name, mqs_lang_c);
        memcpy((char *) ret + handle_types[i].offset, &type, sizeof(type));
    }
}

EXPORT int
mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
                      struct mpidbg_handle_info_t *types)
{
    enum status status = entry_setup_image(image, callbacks, INTERFACE_MPIDBG);

    if (status != STATUS_OK)
        return result_of(status);
    struct image *self = image_of(image);
    status = self == NULL ? STATUS_MISUSE : image_detect(self);
    if (status != STATUS_OK) {
        // Nothing of it is finalized, so nothing of it may stay.
        if (self != NULL && self->interfaces == INTERFACE_MPIDBG)
            host_basic()->mqs_put_image_info_fp(image, NULL);
        image_destroy(self, INTERFACE_MPIDBG);
        return status == STATUS_ABSENT ? MPIDBG_ERR_NOT_SUPPORTED : result_of(status);
    }
    if (types != NULL)
        find_types(image, callbacks, types);
    return MPIDBG_SUCCESS;
}

EXPORT void
mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info)
{
    (void) image;
    if (host_basic() != NULL)
        image_destroy((struct image *) image_info, INTERFACE_MPIDBG);
}

static const struct object *
find_null(struct session *self, size_t number, struct object *ret)
{
    for (size_t i = 0; i < sizeof(maps[number].nulls) / sizeof(*maps[number].nulls); ++i)
        if (entry_query(self, (int) maps[number].kind, FORM_FORTRAN,
                        (uint32_t) maps[number].nulls[i], ret) == STATUS_OK &&
            ret->state == OBJECT_NULL)
            return ret;
    return NULL;
}

static void
free_maps(void)
{
    for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); ++i) {
        mpidbg_free_map(*maps[i].map);
        *maps[i].map = NULL;
    }
    maps_of = NULL;
}

static enum status
make_map(struct session *self, size_t number)
{
    struct found_list objects;
    struct object null;

    found_list_init(&objects, self->inf.target);
    enum status status =
        objects_find(&objects, self->image->adapter, &self->mpi, maps[number].kind);
    if (status == STATUS_OK || status == STATUS_UNSUPPORTED)
        status = mpidbg_make_map(&objects, find_null(self, number, &null), maps[number].map);
    found_list_deinit(&objects);
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

static enum status
make_maps(struct session *self)
{
    free_maps();
    maps_of = self;
    for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); ++i)
        TRY(make_map(self, i));
    return STATUS_OK;
}

static void
say_capabilities(void)
{
    mpidbg_comm_capabilities =
        MPIDBG_COMM_CAP_BASIC | MPIDBG_COMM_CAP_STRING_NAMES | MPIDBG_COMM_CAP_FREED_HANDLE;
    mpidbg_errhandler_capabilities =
        MPIDBG_ERRH_CAP_BASIC | MPIDBG_ERRH_CAP_STRING_NAMES | MPIDBG_ERRH_CAP_FREED_HANDLE;
    mpidbg_request_capabilities = MPIDBG_REQUEST_CAP_BASIC;
    mpidbg_status_capabilities = MPIDBG_STATUS_CAP_BASIC;
}

static enum status
init_process(mqs_process *process)
{
    struct session *self;

    TRY(entry_attached(process, &self));
    TRY(make_maps(self));
    self->interfaces |= INTERFACE_MPIDBG;
    say_capabilities();
    return STATUS_OK;
}

EXPORT int
mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
                        struct mpidbg_handle_info_t *types)
{
    struct session *self = session_of(process);
    const bool joins = self != NULL && !(self->interfaces & INTERFACE_MPIDBG);

    (void) types;
    enum status status =
        joins ? STATUS_OK : entry_setup_process(process, callbacks, INTERFACE_MPIDBG);
    if (status != STATUS_OK)
        return result_of(status);
    status = init_process(process);
    if (status != STATUS_OK)
        free_maps();
    if (status != STATUS_OK && !joins) {
        entry_leave_process(session_of(process), INTERFACE_MPIDBG);
        host_basic()->mqs_put_process_info_fp(process, NULL);
    }
    return status == STATUS_ABSENT ? MPIDBG_ERR_NOT_SUPPORTED : result_of(status);
}

EXPORT void
mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info)
{
    (void) process;
    if (host_basic() == NULL)
        return;
    if (maps_of == (struct session *) process_info)
        free_maps();
    entry_leave_process((struct session *) process_info, INTERFACE_MPIDBG);
}

struct found {
    struct session *session;
    struct object object;
    struct found_list members;
};

// An object as the process is now: this interface has no call that says that it has run.
static enum status
find(mqs_process *process, enum object_kind kind, enum handle_form form, uint64_t value,
     struct found *ret)
{
    struct session *self = session_of(process);

    if (self == NULL)
        return STATUS_MISUSE;
    inferior_refresh(&self->inf);
    TRY(entry_attached(process, &ret->session));
    return entry_query(self, (int) kind, (int) form, value, &ret->object);
}

// Its members, too. The caller deinitializes them on success.
static enum status
find_members(mqs_process *process, enum object_kind kind, uint64_t value, struct found *ret)
{
    TRY(find(process, kind, FORM_C, value, ret));
    found_list_init(&ret->members, ret->session->inf.target);
    const enum status status =
        members_find(&ret->members, ret->session->image->adapter, &ret->session->mpi, &ret->object);
    if (status != STATUS_OK)
        found_list_deinit(&ret->members);
    return status;
}

static int
f2c(mqs_process *process, enum object_kind kind, mqs_taddr_t integer, mqs_taddr_t *ret)
{
    struct found found;

    const enum status status =
        ret == NULL ? STATUS_MISUSE : find(process, kind, FORM_FORTRAN, integer, &found);
    if (status == STATUS_OK)
        *ret = found.object.handle;
    return result_of(status);
}

EXPORT int
mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                  mqs_process_info *process_info, mqs_taddr_t c_comm,
                  struct mpidbg_comm_info_t **info)
{
    struct found found;

    (void) image, (void) image_info, (void) process_info;
    enum status status =
        info == NULL ? STATUS_MISUSE : find_members(process, OBJECT_COMMUNICATOR, c_comm, &found);
    if (status != STATUS_OK)
        return result_of(status);
    status = mpidbg_make_comm(&found.session->mpi, found.session->image->adapter, &found.object,
                              &found.members, info);
    found_list_deinit(&found.members);
    return result_of(status);
}

EXPORT int
mpidbg_comm_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                mqs_process_info *process_info, mqs_taddr_t f77_comm, mqs_taddr_t *c_comm)
{
    (void) image, (void) image_info, (void) process_info;
    return f2c(process, OBJECT_COMMUNICATOR, f77_comm, c_comm);
}

EXPORT int
mpidbg_comm_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                  mqs_process_info *process_info, mqs_taddr_t cxx_comm,
                  enum mpidbg_comm_info_bitmap_t comm_type, mqs_taddr_t *c_comm)
{
    (void) image, (void) image_info, (void) process, (void) process_info;
    (void) cxx_comm, (void) comm_type, (void) c_comm;
    return MPIDBG_ERR_NOT_SUPPORTED;
}

EXPORT int
mpidbg_errhandler_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                        mqs_process_info *process_info, mqs_taddr_t errhandler,
                        struct mpidbg_errhandler_info_t **info)
{
    struct found found;

    (void) image, (void) image_info, (void) process_info;
    enum status status =
        info == NULL ? STATUS_MISUSE : find_members(process, OBJECT_ERRHANDLER, errhandler, &found);
    if (status != STATUS_OK)
        return result_of(status);
    status = mpidbg_make_errhandler(&found.object, &found.members, info);
    found_list_deinit(&found.members);
    return result_of(status);
}

EXPORT int
mpidbg_errhandler_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                      mqs_process_info *process_info, mqs_taddr_t f77_errhandler,
                      mqs_taddr_t *c_errhandler)
{
    (void) image, (void) image_info, (void) process_info;
    return f2c(process, OBJECT_ERRHANDLER, f77_errhandler, c_errhandler);
}

EXPORT int
mpidbg_errhandler_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                        mqs_process_info *process_info, mqs_taddr_t cxx_errhandler,
                        mqs_taddr_t *c_errhandler)
{
    (void) image, (void) image_info, (void) process, (void) process_info;
    (void) cxx_errhandler, (void) c_errhandler;
    return MPIDBG_ERR_NOT_SUPPORTED;
}

EXPORT int
mpidbg_request_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                     mqs_process_info *process_info, mqs_taddr_t request,
                     struct mpidbg_request_info_t **info)
{
    struct found found;

    (void) image, (void) image_info, (void) process_info;
    enum status status =
        info == NULL ? STATUS_MISUSE : find(process, OBJECT_REQUEST, FORM_C, request, &found);
    if (status == STATUS_OK)
        status = mpidbg_make_request(&found.object, info);
    return result_of(status);
}

EXPORT int
mpidbg_request_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                   mqs_process_info *process_info, mqs_taddr_t f77_request, mqs_taddr_t *c_request)
{
    (void) image, (void) image_info, (void) process_info;
    return f2c(process, OBJECT_REQUEST, f77_request, c_request);
}

EXPORT int
mpidbg_request_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                     mqs_process_info *process_info, mqs_taddr_t cxx_request,
                     enum mpidbg_request_info_bitmap_t request_type, mqs_taddr_t *c_request)
{
    (void) image, (void) image_info, (void) process, (void) process_info;
    (void) cxx_request, (void) request_type, (void) c_request;
    return MPIDBG_ERR_NOT_SUPPORTED;
}

EXPORT int
mpidbg_status_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                    mqs_process_info *process_info, mqs_taddr_t status,
                    struct mpidbg_status_info_t **info)
{
    struct found found;

    (void) image, (void) image_info, (void) process_info;
    enum status result =
        info == NULL ? STATUS_MISUSE : find(process, OBJECT_STATUS, FORM_C, status, &found);
    if (result == STATUS_OK)
        result = mpidbg_make_status(&found.object, info);
    return result_of(result);
}

EXPORT int
mpidbg_status_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                  mqs_process_info *process_info, mqs_taddr_t f77_status, mqs_taddr_t *c_status)
{
    struct found found;

    (void) image, (void) image_info, (void) process_info;
    const enum status status =
        c_status == NULL ? STATUS_MISUSE : find(process, OBJECT_STATUS, FORM_C, f77_status, &found);
    if (status == STATUS_OK)
        *c_status = f77_status;
    return result_of(status);
}

EXPORT int
mpidbg_status_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                    mqs_process_info *process_info, mqs_taddr_t cxx_status, mqs_taddr_t *c_status)
{
    (void) image, (void) image_info, (void) process, (void) process_info;
    (void) cxx_status, (void) c_status;
    return MPIDBG_ERR_NOT_SUPPORTED;
}

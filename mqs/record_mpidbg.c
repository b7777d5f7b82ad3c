// SPDX-License-Identifier: BSD-3-Clause
#include "mqs/record_mpidbg.h"

#include "mqs/host_mqs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Zeroed memory for the debugger. @return NULL when there is none, or nothing is asked for
static void *
alloc(size_t count, size_t size)
{
    void *memory =
        count == 0 || count > SIZE_MAX / size ? NULL : host_basic()->mqs_malloc_fp(count * size);

    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

static void
dealloc(void *memory)
{
    if (memory != NULL)
        host_basic()->mqs_free_fp(memory);
}

// @return NULL: no memory
static char *
copy_text(const char *text)
{
    char *copy = alloc(strlen(text) + 1, 1);

    return copy == NULL ? NULL : memcpy(copy, text, strlen(text) + 1);
}

static int
fortran_of(const struct object *object)
{
    return object->has_fortran ? object->fortran : MPIDBG_ERR_UNAVAILABLE;
}

// Cut to the room there is, which is zeroed.
static void
copy_name(const struct object *object, char ret[MPIDBG_MAX_OBJECT_NAME])
{
    memcpy(ret, object->name, MPIDBG_MAX_OBJECT_NAME - 1);
}

static int
first_number(const struct found_list *members, enum member_id id, int otherwise)
{
    const struct member *member = members_first(members, id);

    return member == NULL ? otherwise : (int) member->value;
}

static bool
first_text_is(const struct found_list *members, enum member_id id, const char *text)
{
    const struct member *member = members_first(members, id);

    return member != NULL && strcmp(member->text, text) == 0;
}

static int
count_of(const struct found_list *members, enum member_id id)
{
    int count = 0;

    for (const struct found_item *item = members->first; item != NULL; item = item->next)
        count += member_of(item)->id == id;
    return count;
}

// All numbers of a member, as an array of int or int8_t.
static enum status
take_numbers(const struct found_list *members, enum member_id id, size_t width, void *ret,
             int *ret_count)
{
    const int count = count_of(members, id);
    uint8_t *array = alloc((size_t) count, width);
    size_t at = 0;

    memcpy(ret, &array, sizeof(array));
    if (array == NULL)
        return count == 0 ? STATUS_OK : STATUS_NOMEM;
    *ret_count = count;
    for (const struct found_item *item = members->first; item != NULL; item = item->next) {
        const int32_t number = (int32_t) member_of(item)->value;
        const int8_t narrow = (int8_t) number;
        if (member_of(item)->id != id)
            continue;
        memcpy(array + at, width == sizeof(narrow) ? (const void *) &narrow : &number, width);
        at += width;
    }
    return STATUS_OK;
}

static enum status
take_attribute(const struct mpi *mpi, const struct adapter *adapter, const struct member *keyval,
               const struct member *value, struct mpidbg_attribute_pair_t *ret)
{
    char text[24] = "";
    struct object object = {.references = -1};

    ret->keyval = (int) keyval->value;
    snprintf(text, sizeof(text), "%#" PRIx64, (uint64_t) value->value);
    if ((ret->value = copy_text(text)) == NULL)
        return STATUS_NOMEM;
    if (adapter->object(mpi, keyval->kind, FORM_C, (uint64_t) keyval->value, &object) !=
            STATUS_OK ||
        object.state != OBJECT_PREDEFINED || !object.has_name)
        return STATUS_OK;
    ret->keyval_name = copy_text(object.name);
    return ret->keyval_name == NULL ? STATUS_NOMEM : STATUS_OK;
}

static enum status
take_attributes(const struct mpi *mpi, const struct adapter *adapter,
                const struct found_list *members, struct mpidbg_comm_info_t *ret)
{
    const int count = count_of(members, MEMBER_attribute_value);
    const struct member *keyval = NULL;

    ret->comm_attrs = alloc((size_t) count, sizeof(*ret->comm_attrs));
    if (ret->comm_attrs == NULL)
        return count == 0 ? STATUS_OK : STATUS_NOMEM;
    for (const struct found_item *item = members->first; item != NULL; item = item->next)
        if (member_of(item)->id == MEMBER_attribute)
            keyval = member_of(item);
        else if (member_of(item)->id == MEMBER_attribute_value && keyval != NULL)
            TRY(take_attribute(mpi, adapter, keyval, member_of(item),
                               &ret->comm_attrs[ret->comm_num_attrs++]));
    return STATUS_OK;
}

static unsigned
comm_flags(const struct object *object, const struct found_list *members)
{
    static const struct {
        const char *topology;
        unsigned flag;
    } topologies[] = {
        {"MPI_Cart", MPIDBG_COMM_INFO_CARTESIAN},
        {"MPI_Graph", MPIDBG_COMM_INFO_GRAPH},
        {"MPI_Dist_graph", MPIDBG_COMM_INFO_DIST_GRAPH},
    };
    unsigned flags = object->state == OBJECT_NULL         ? MPIDBG_COMM_INFO_COMM_NULL
                     : object->state == OBJECT_PREDEFINED ? MPIDBG_COMM_INFO_PREDEFINED
                     : object->state == OBJECT_FREED      ? MPIDBG_COMM_INFO_FREED_HANDLE
                                                          : 0;

    if (first_number(members, MEMBER_inter, 0))
        flags |= MPIDBG_COMM_INFO_INTERCOMM;
    for (size_t i = 0; i < sizeof(topologies) / sizeof(*topologies); ++i)
        if (first_text_is(members, MEMBER_topology, topologies[i].topology))
            flags |= topologies[i].flag;
    return flags;
}

static enum status
fill_comm(const struct mpi *mpi, const struct adapter *adapter, const struct object *object,
          const struct found_list *members, struct mpidbg_comm_info_t *ret)
{
    int periods;

    copy_name(object, ret->comm_name);
    ret->comm_bitflags = (enum mpidbg_comm_info_bitmap_t) comm_flags(object, members);
    ret->comm_rank = first_number(members, MEMBER_rank, 0);
    ret->comm_size = first_number(members, MEMBER_size, 0);
    ret->comm_c_handle = object->handle;
    ret->comm_fortran_handle = fortran_of(object);
    ret->comm_num_pending_requests = MPIDBG_ERR_NOT_SUPPORTED;
    ret->comm_num_derived_windows = MPIDBG_ERR_NOT_SUPPORTED;
    ret->comm_num_derived_files = MPIDBG_ERR_NOT_SUPPORTED;
    TRY(take_numbers(members, MEMBER_member, sizeof(int), &ret->comm_local_procs,
                     &ret->comm_num_local_procs));
    TRY(take_numbers(members, MEMBER_remote_member, sizeof(int), &ret->comm_remote_procs,
                     &ret->comm_num_remote_procs));
    TRY(take_numbers(members, MEMBER_dims, sizeof(int), &ret->comm_cart_dims,
                     &ret->comm_cart_num_dims));
    TRY(take_numbers(members, MEMBER_periods, sizeof(int8_t), &ret->comm_cart_periods, &periods));
    return take_attributes(mpi, adapter, members, ret);
}

static void
free_comm(struct mpidbg_comm_info_t *info)
{
    for (int i = 0; i < info->comm_num_attrs; ++i) {
        dealloc(info->comm_attrs[i].keyval_name);
        dealloc(info->comm_attrs[i].value);
    }
    dealloc(info->comm_attrs);
    dealloc(info->comm_local_procs);
    dealloc(info->comm_remote_procs);
    dealloc(info->comm_cart_dims);
    dealloc(info->comm_cart_periods);
    dealloc(info);
}

enum status
mpidbg_make_comm(const struct mpi *mpi, const struct adapter *adapter, const struct object *object,
                 const struct found_list *members, struct mpidbg_comm_info_t **ret)
{
    struct mpidbg_comm_info_t *info = alloc(1, sizeof(*info));

    if (info == NULL)
        return STATUS_NOMEM;
    const enum status status = fill_comm(mpi, adapter, object, members, info);
    if (status == STATUS_OK)
        *ret = info;
    else
        free_comm(info);
    return status;
}

enum status
mpidbg_make_errhandler(const struct object *object, const struct found_list *members,
                       struct mpidbg_errhandler_info_t **ret)
{
    static const struct {
        enum member_id member;
        const char *text;
        unsigned flag;
    } texts[] = {
        {MEMBER_object_kind, "communicator", MPIDBG_ERRH_INFO_COMMUNICATOR},
        {MEMBER_object_kind, "file", MPIDBG_ERRH_INFO_FILE},
        {MEMBER_object_kind, "window", MPIDBG_ERRH_INFO_WINDOW},
        {MEMBER_language, "C", MPIDBG_ERRH_INFO_C_CALLBACK},
    };
    const struct member *function = members_first(members, MEMBER_function);
    struct mpidbg_errhandler_info_t *info = alloc(1, sizeof(*info));
    unsigned flags = object->state == OBJECT_PREDEFINED ? MPIDBG_ERRH_INFO_PREDEFINED
                     : object->state == OBJECT_FREED    ? MPIDBG_ERRH_INFO_FREED_HANDLE
                                                        : 0;

    if (info == NULL)
        return STATUS_NOMEM;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i)
        if (first_text_is(members, texts[i].member, texts[i].text))
            flags |= texts[i].flag;
    if (object->state == OBJECT_PREDEFINED || object->state == OBJECT_NULL)
        copy_name(object, info->eh_name);
    info->eh_bitflags = (enum mpidbg_errhandler_info_bitmap_t) flags;
    info->eh_c_handle = object->handle;
    info->eh_fortran_handle = fortran_of(object);
    info->eh_refcount = MPIDBG_ERR_NOT_SUPPORTED;
    if (function != NULL && object->state != OBJECT_PREDEFINED)
        info->eh_callback_func = (mqs_taddr_t) function->value;
    *ret = info;
    return STATUS_OK;
}

enum status
mpidbg_make_request(const struct object *object, struct mpidbg_request_info_t **ret)
{
    struct mpidbg_request_info_t *info = alloc(1, sizeof(*info));

    if (info == NULL)
        return STATUS_NOMEM;
    if (object->state == OBJECT_NULL || object->state == OBJECT_PREDEFINED)
        info->req_bitflags = MPIDBG_REQUEST_INFO_PREDEFINED;
    info->req_c_handle = object->handle;
    info->req_fortran_handle = fortran_of(object);
    *ret = info;
    return STATUS_OK;
}

enum status
mpidbg_make_status(const struct object *object, struct mpidbg_status_info_t **ret)
{
    struct mpidbg_status_info_t *info = alloc(1, sizeof(*info));

    if (info == NULL)
        return STATUS_NOMEM;
    if (object->state == OBJECT_NULL)
        info->status_bitflags = MPIDBG_STATUS_INFO_PREDEFINED;
    *ret = info;
    return STATUS_OK;
}

static enum status
map_object(const struct object *object, struct mpidbg_name_map_t *ret)
{
    ret->map_name = copy_text(object->name);
    ret->map_handle = object->handle;
    return ret->map_name == NULL ? STATUS_NOMEM : STATUS_OK;
}

static enum status
fill_map(struct found_list *objects, const struct object *null, struct mpidbg_name_map_t *ret)
{
    struct object object;

    if (null != NULL)
        TRY(map_object(null, ret++));
    while (objects_next(objects, &object) == STATUS_OK)
        if (object.state == OBJECT_PREDEFINED && object.has_name)
            TRY(map_object(&object, ret++));
    return STATUS_OK;
}

enum status
mpidbg_make_map(struct found_list *objects, const struct object *null,
                struct mpidbg_name_map_t **ret)
{
    struct mpidbg_name_map_t *map = alloc(objects->count + 2, sizeof(*map));

    if (map == NULL)
        return STATUS_NOMEM;
    const enum status status = fill_map(objects, null, map);
    if (status == STATUS_OK)
        *ret = map;
    else
        mpidbg_free_map(map);
    return status;
}

void
mpidbg_free_map(struct mpidbg_name_map_t *map)
{
    for (struct mpidbg_name_map_t *row = map; row != NULL && row->map_name != NULL; ++row)
        dealloc(row->map_name);
    dealloc(map);
}

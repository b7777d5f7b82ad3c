// SPDX-License-Identifier: BSD-3-Clause
// What a handle is: adapter.object(), objects() and members().
//
// A handle is a number of 32 bits, in C and in Fortran. In the library of the standard ABI it is,
// in C, a small number of the standard's for a predefined object, else the address of the object.
#include "mpi-impl-adapters/mpich/object.h"

#include "target/addrs.h"

#include <stdio.h>
#include <string.h>

enum { ABI_PREDEFINED = 0x1000, ERRORS_THROW = 0x54000002, BUILTIN_REQUESTS = 16 };
enum { GROUP_WORLD = 0x48000001, GROUP_SELF = 0x48000002 };

static const struct {
    enum object_kind kind;
    enum object_state state;
    const char *name;
    uint32_t number;
    uint32_t abi;
} predefined[] = {
#define HANDLE(kind, state, name, number, abi) {OBJECT_##kind, OBJECT_##state, #name, number, abi},
#include "mpi-impl-adapters/mpich/handles.def"
#undef HANDLE
};

enum { PREDEFINED = sizeof(predefined) / sizeof(predefined[0]) };

/** A kind of objects: the bits of its handles, what its objects have, and who describes them. */
static const struct {
    unsigned kind;      // enum handle_kind; 0: a handle is no number
    unsigned type;      // the struct
    unsigned name;      // a field
    unsigned keyval_of; // enum handle_kind of the objects of a keyval
    enum status (*state)(const struct mpi *mpi, struct object *object);
    enum status (*members)(const struct describing *it);
} kinds[OBJECT_KINDS] = {
    [OBJECT_COMMUNICATOR] = {HANDLE_COMM, S(MPIR_Comm), F(MPIR_Comm, name), 0, NULL,
                             mpich_comm_members},
    [OBJECT_GROUP] = {HANDLE_GROUP, S(MPIR_Group), 0, 0, NULL, mpich_group_object_members},
    [OBJECT_DATATYPE] = {HANDLE_DATATYPE, S(MPIR_Datatype), F(MPIR_Datatype, name), 0, NULL,
                         mpich_datatype_members},
    [OBJECT_REQUEST] = {HANDLE_REQUEST, S(MPIR_Request), 0, 0, mpich_request_state,
                        mpich_request_members},
    [OBJECT_STATUS] = {0, S(MPI_Status), 0, 0, NULL, mpich_status_members},
    [OBJECT_WINDOW] = {HANDLE_WIN, S(MPIR_Win), F(MPIR_Win, name), 0, NULL, mpich_window_members},
    [OBJECT_FILE] = {0, S(ADIOI_FileD), 0, 0, NULL, mpich_file_members},
    [OBJECT_OP] = {HANDLE_OP, S(MPIR_Op), 0, 0, NULL, mpich_op_members},
    [OBJECT_ERRHANDLER] = {HANDLE_ERRHANDLER, S(MPIR_Errhandler), 0, 0, NULL,
                           mpich_errhandler_members},
    [OBJECT_INFO] = {HANDLE_INFO, S(MPIR_Info), 0, 0, mpich_info_state, mpich_info_members},
    [OBJECT_MESSAGE] = {HANDLE_REQUEST, S(MPIR_Request), 0, 0, mpich_request_state,
                        mpich_request_members},
    [OBJECT_SESSION] = {HANDLE_SESSION, S(MPIR_Session), 0, 0, NULL, mpich_session_members},
    [OBJECT_COMM_KEYVAL] = {HANDLE_KEYVAL, S(MPII_Keyval), 0, HANDLE_COMM, mpich_keyval_state,
                            mpich_keyval_members},
    [OBJECT_TYPE_KEYVAL] = {HANDLE_KEYVAL, S(MPII_Keyval), 0, HANDLE_DATATYPE, mpich_keyval_state,
                            mpich_keyval_members},
    [OBJECT_WIN_KEYVAL] = {HANDLE_KEYVAL, S(MPII_Keyval), 0, HANDLE_WIN, mpich_keyval_state,
                           mpich_keyval_members},
};

static void
set_name(struct object *object, const char *name, size_t size)
{
    memset(object->name, 0, sizeof(object->name));
    memcpy(object->name, name, strnlen(name, size < OBJECT_NAME ? size : OBJECT_NAME - 1));
    object->has_name = true;
}

// Whether it is one of those that are predefined, or none; the object has the rest.
static bool
find_predefined(enum object_kind kind, uint32_t number, struct object *ret)
{
    const char *datatype = kind == OBJECT_DATATYPE && handle_kind(number) == HANDLE_DATATYPE
                               ? mpich_datatype_predefined(number)
                               : NULL;

    // In Fortran those of communicators and windows are one more.
    if (kinds[kind].keyval_of != 0 && handle_place(number) == HANDLE_BUILTIN && number % 2 == 0)
        --number;
    for (unsigned i = 0; i < PREDEFINED; ++i)
        if (predefined[i].kind == kind && predefined[i].number == number) {
            ret->state = predefined[i].state;
            set_name(ret, predefined[i].name, OBJECT_NAME);
            return true;
        }
    if (datatype == NULL)
        return false;
    ret->state = OBJECT_PREDEFINED;
    set_name(ret, datatype, OBJECT_NAME);
    return true;
}

// The objects of MPI_COMM_WORLD and MPI_COMM_SELF, and from 5.0 on their groups; of others nothing
// more is to be had.
static enum status
find_builtin(const struct mpi *mpi, uint32_t number, taddr *ret)
{
    const bool world = number == COMM_WORLD_HANDLE || number == GROUP_WORLD;
    struct view process, comm;
    uint64_t there;

    *ret = 0;
    if (!world && number != COMM_SELF_HANDLE && number != GROUP_SELF)
        return STATUS_OK;
    TRY(mpich_process(mpi, &process));
    *ret =
        view_uint(&process, world ? F(MPIR_Process_t, comm_world) : F(MPIR_Process_t, comm_self));
    if (handle_kind(number) == HANDLE_COMM)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Comm), *ret, &comm));
    *ret = view_uint(&comm, F(MPIR_Comm, local_group));
    TRY(inferior_read_uint(mpi->inf, *ret, mpi->inf->model.int_size, &there));
    return there == number ? STATUS_OK : STATUS_ABSENT;
}

static enum status
compare_free(void *context, taddr object)
{
    return object == *(taddr *) context ? STATUS_END : STATUS_OK;
}

// The head of every object is its handle and its count of references.
static enum status
check_use(const struct mpi *mpi, struct object *object)
{
    const unsigned width = mpi->inf->model.int_size;
    uint64_t references;
    struct pool pool;

    if (is_uncounted(kinds[object->kind].kind)) {
        TRY(mpich_pool(mpi, kinds[object->kind].kind, 0, &pool));
        return pool_each_free(mpi, &pool, compare_free, &object->addr) == STATUS_END ? STATUS_ABSENT
                                                                                     : STATUS_OK;
    }
    TRY(inferior_read_uint(mpi->inf, object->addr + width, width, &references));
    object->references = (int32_t) references;
    return object->references > 0 ? STATUS_OK : STATUS_ABSENT;
}

// Of one that is in use.
static enum status
load_object(const struct mpi *mpi, struct object *object)
{
    const unsigned name = kinds[object->kind].name;
    struct view view;

    if (kinds[object->kind].state != NULL)
        TRY(kinds[object->kind].state(mpi, object));
    if (name == 0 || (object->state == OBJECT_PREDEFINED && object->kind == OBJECT_DATATYPE))
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, kinds[object->kind].type, object->addr, &view));
    if (view_has(&view, name))
        set_name(object, view_bytes(&view, name), mpi->layout->fields[name].width);
    return STATUS_OK;
}

// Builtin handles that are in no table: requests that are complete from the beginning, groups that
// have names in the library only, and an error handler of C++.
static bool
is_unnamed(enum object_kind kind, uint32_t number)
{
    return (kind == OBJECT_ERRHANDLER && number == ERRORS_THROW) ||
           (kind == OBJECT_GROUP && (number == GROUP_WORLD || number == GROUP_SELF)) ||
           (kind == OBJECT_REQUEST && handle_place(number) == HANDLE_BUILTIN &&
            (number & ((1 << 26) - 1)) < BUILTIN_REQUESTS);
}

// @param in_use the object is known to be
static enum status
find_number(const struct mpi *mpi, enum object_kind kind, uint32_t number, bool in_use,
            struct object *ret)
{
    const bool is_predefined = find_predefined(kind, number, ret);

    ret->handle = number;
    ret->fortran = (int32_t) number;
    ret->has_fortran = true;
    if (is_predefined && ret->state == OBJECT_NULL)
        return STATUS_OK;
    if (handle_kind(number) != kinds[kind].kind)
        return STATUS_ABSENT;
    if (handle_place(number) == HANDLE_BUILTIN) {
        if (!is_predefined && !is_unnamed(kind, number))
            return STATUS_ABSENT;
        ret->state = kind == OBJECT_GROUP && !is_predefined ? OBJECT_LIVE : OBJECT_PREDEFINED;
        TRY(find_builtin(mpi, number, &ret->addr));
        if (ret->addr == 0)
            return STATUS_OK;
        TRY(check_use(mpi, ret));
        return load_object(mpi, ret);
    }
    if (kinds[kind].keyval_of != 0 && keyval_kind(number) != kinds[kind].keyval_of)
        return STATUS_ABSENT;
    TRY(mpich_find_object(mpi, kinds[kind].kind, number, &ret->addr));
    if (!is_predefined)
        ret->state = OBJECT_LIVE;
    if (!in_use)
        TRY(check_use(mpi, ret));
    return load_object(mpi, ret);
}

static enum status
find_address(const struct mpi *mpi, enum object_kind kind, taddr addr, struct object *ret)
{
    uint64_t number;

    if (addr == 0 || addr % mpi->inf->model.int_size != 0 ||
        inferior_read_uint(mpi->inf, addr, mpi->inf->model.int_size, &number) != STATUS_OK)
        return STATUS_ABSENT;
    TRY(find_number(mpi, kind, (uint32_t) number, false, ret));
    return ret->addr == addr ? STATUS_OK : STATUS_ABSENT;
}

static enum status
set_abi_handle(struct object *object)
{
    if (object->addr != 0 && object->state != OBJECT_PREDEFINED) {
        if (kinds[object->kind].keyval_of == 0) // a keyval is an int
            object->handle = object->addr;
        return STATUS_OK;
    }
    for (unsigned i = 0; i < PREDEFINED; ++i)
        if (predefined[i].kind == object->kind && predefined[i].number == object->handle) {
            object->handle = predefined[i].abi;
            object->fortran = (int32_t) predefined[i].abi;
            return STATUS_OK;
        }
    return STATUS_UNSUPPORTED;
}

// Those of the standard ABI.
static enum status
find_abi(const struct mpi *mpi, enum object_kind kind, enum handle_form form, uint64_t value,
         struct object *ret)
{
    enum status status = STATUS_ABSENT;

    if (form == FORM_ADDRESS)
        status = find_address(mpi, kind, value, ret);
    else if (value >= ABI_PREDEFINED && (form == FORM_FORTRAN || kinds[kind].keyval_of != 0))
        status = value > UINT32_MAX ? STATUS_ABSENT
                                    : find_number(mpi, kind, (uint32_t) value, false, ret);
    else if (value >= ABI_PREDEFINED)
        status = find_address(mpi, kind, value, ret);
    for (unsigned i = 0; value < ABI_PREDEFINED && i < PREDEFINED; ++i)
        if (predefined[i].kind == kind && predefined[i].abi == value)
            status = find_number(mpi, kind, predefined[i].number, false, ret);
    TRY(status);
    return set_abi_handle(ret);
}

static enum status
find(const struct mpi *mpi, enum object_kind kind, enum handle_form form, uint64_t value,
     struct object *ret)
{
    *ret = (struct object){.kind = kind, .references = -1};
    if (kind == OBJECT_STATUS)
        return mpich_status_object(mpi, value, ret);
    if (kind == OBJECT_FILE)
        return mpich_file_object(mpi, form, value, ret);
    if (mpich_standard_abi(mpi->layout))
        return find_abi(mpi, kind, form, value, ret);
    if (form == FORM_ABI)
        return STATUS_UNSUPPORTED;
    if (form == FORM_ADDRESS)
        return find_address(mpi, kind, value, ret);
    return value > UINT32_MAX ? STATUS_ABSENT
                              : find_number(mpi, kind, (uint32_t) value, false, ret);
}

enum status
mpich_object(const struct mpi *mpi, enum object_kind kind, enum handle_form form, uint64_t value,
             struct object *ret)
{
    TRY(mpich_find_globals(mpi));
    const enum status status = find(mpi, kind, form, value, ret);
    // What was tried on a value that is no handle says nothing.
    if (status == STATUS_ABSENT)
        trail_reset(&mpi->inf->trail);
    return status;
}

enum status
mpich_object_handle(const struct mpi *mpi, enum object_kind kind, uint32_t number, uint64_t *ret)
{
    struct object object = {.kind = kind};

    if (kind == OBJECT_DATATYPE)
        number = mpich_datatype_of_user(number);
    *ret = number;
    if (!mpich_standard_abi(mpi->layout))
        return handle_place(number) == HANDLE_INVALID && !find_predefined(kind, number, &object)
                   ? STATUS_ABSENT
                   : STATUS_OK;
    TRY(find_number(mpi, kind, number, true, &object));
    TRY(set_abi_handle(&object));
    *ret = object.handle;
    return STATUS_OK;
}

/** A list that is made. */
struct listing {
    const struct mpi *mpi;
    struct object_sink *sink;
    enum object_kind kind;
    struct arena arena;
    struct addrs unused; // objects of a pool that counts no references
};

static enum status
list_number(const struct listing *listing, uint32_t number)
{
    struct object object = {.kind = listing->kind, .references = -1};

    enum status status = find_number(listing->mpi, listing->kind, number, true, &object);
    if (status == STATUS_OK && mpich_standard_abi(listing->mpi->layout))
        status = set_abi_handle(&object);
    if (status == STATUS_OK)
        return listing->sink->emit(listing->sink, &object);
    if (status == STATUS_NOMEM)
        return status;
    if (status != STATUS_ABSENT && status != STATUS_UNSUPPORTED)
        listing->sink->broken(listing->sink, status);
    return STATUS_OK;
}

static enum status
list_object(void *context, taddr addr)
{
    const struct listing *listing = context;
    uint64_t number;

    if (addrs_find(&listing->unused, addr) < listing->unused.count)
        return STATUS_OK;
    TRY(inferior_read_uint(listing->mpi->inf, addr, listing->mpi->inf->model.int_size, &number));
    return list_number(listing, (uint32_t) number);
}

static enum status
note_unused(void *context, taddr addr)
{
    struct listing *listing = context;

    return addrs_add(&listing->arena, &listing->unused, addr);
}

static enum status
list_pool(struct listing *listing, unsigned number)
{
    const unsigned kind = kinds[listing->kind].kind;
    struct pool pool;
    int64_t live;

    TRY(mpich_pool(listing->mpi, kind, number, &pool));
    if (pool.uncounted) {
        TRY(pool_each_free(listing->mpi, &pool, note_unused, listing));
        TRY(addrs_sort(&listing->arena, &listing->unused));
    }
    return pool_each(listing->mpi, &pool, list_object, listing, &live);
}

static enum status
list_predefined(const struct listing *listing)
{
    uint32_t number;

    for (unsigned i = 0; i < PREDEFINED; ++i)
        if (predefined[i].kind == listing->kind && predefined[i].state != OBJECT_NULL)
            TRY(list_number(listing, predefined[i].number));
    if (listing->kind == OBJECT_GROUP) { // from 5.0 on
        TRY(list_number(listing, GROUP_WORLD));
        TRY(list_number(listing, GROUP_SELF));
    }
    for (unsigned i = 0;
         listing->kind == OBJECT_DATATYPE && (number = mpich_datatype_number(i)) != 0; ++i)
        if (handle_place(number) == HANDLE_BUILTIN)
            TRY(list_number(listing, number));
    return STATUS_OK;
}

/** The user's communicators only. */
struct comm_listing {
    struct comm_sink sink;
    const struct listing *listing;
};

static enum status
list_comm(struct comm_sink *sink, const struct comm *comm)
{
    return list_object((void *) ((struct comm_listing *) sink)->listing, comm->addr);
}

static void
note_broken(struct comm_sink *sink, enum status status)
{
    struct object_sink *objects = ((struct comm_listing *) sink)->listing->sink;

    objects->broken(objects, status);
}

// Those of a virtual interface that is not in use were never set up.
static enum status
list_requests(struct listing *listing)
{
    enum status status = list_pool(listing, 0);

    for (unsigned i = 1; status == STATUS_OK && i < REQUEST_POOLS; ++i)
        if (list_pool(listing, i) == STATUS_NOMEM)
            status = STATUS_NOMEM;
    trail_reset(&listing->mpi->inf->trail);
    return status;
}

static enum status
list(struct listing *listing)
{
    struct comm_listing comms = {{list_comm, note_broken}, listing};

    if (listing->kind == OBJECT_COMMUNICATOR)
        return mpich_comms(listing->mpi, &comms.sink);
    TRY(list_predefined(listing));
    return kinds[listing->kind].kind == HANDLE_REQUEST ? list_requests(listing)
                                                       : list_pool(listing, 0);
}

enum status
mpich_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink)
{
    struct listing listing = {.mpi = mpi, .sink = sink, .kind = kind};

    TRY(mpich_find_globals(mpi));
    if (kinds[kind].kind == 0 || mpi->layout->structs[kinds[kind].type].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    arena_init(&listing.arena, mpi->inf->target);
    const enum status status = list(&listing);
    arena_deinit(&listing.arena);
    return status;
}

// MPICH's own number of a handle that leads to no object.
static uint32_t
number_of(const struct mpi *mpi, const struct object *object)
{
    for (unsigned i = 0; mpich_standard_abi(mpi->layout) && i < PREDEFINED; ++i)
        if (predefined[i].kind == object->kind && predefined[i].abi == object->handle)
            return predefined[i].number;
    return (uint32_t) object->handle;
}

enum status
mpich_object_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct describing it = {mpi, object, sink, number_of(mpi, object)};
    uint64_t number;

    TRY(mpich_find_globals(mpi));
    if (object->addr != 0 && kinds[object->kind].kind != 0) {
        TRY(inferior_read_uint(mpi->inf, object->addr, mpi->inf->model.int_size, &number));
        it.number = (uint32_t) number;
    }
    return kinds[object->kind].members(&it);
}

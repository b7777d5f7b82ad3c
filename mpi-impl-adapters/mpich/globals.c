// SPDX-License-Identifier: BSD-3-Clause
// Where the library's variables are, when it has no symbols for them.
//
// Exported functions refer to them. What the code of a few functions refers to, or else that of
// those that they call, is a list of candidates, of which the one is taken that has in it what it
// must have; two are none.
#include "mpi-impl-adapters/mpich/ofi.h"
#include "mpi-impl-adapters/mpich/ucx.h"

#include "target/code.h"

#include <string.h>

enum {
    RECOVER_BYTES = 3072, // of a function's code
    NEAR = 1 << 26,
    TABLE_ENTRIES = 20,
    TRIED = 256
};
enum { CLASS_ENDPOINT = 3, CLASS_RECEIVER = 5 }; // FI_CLASS_EP and FI_CLASS_RX_CTX

// Users may rename MPI_COMM_SELF, but not to a part of its name: that is read from the wrong place.
static bool
has_whole_name(const struct view *self)
{
    static const char name[] = "MPI_COMM_SELF";
    const char *own = view_bytes(self, F(MPIR_Comm, name));
    const size_t length = own == NULL ? 0 : strnlen(own, sizeof(name));

    return length == 0 || length >= sizeof(name) - 1 ||
           strncmp(own, name + sizeof(name) - 1 - length, length) != 0;
}

bool
mpich_is_process(const struct mpi *mpi, taddr addr)
{
    struct view process, world, self;

    if (view_load(mpi->inf, mpi->layout, S(MPIR_Process_t), addr, &process) != STATUS_OK)
        return false;
    const int64_t size = view_int(&process, F(MPIR_Process_t, size));
    const taddr comm_world = view_uint(&process, F(MPIR_Process_t, comm_world));
    const taddr comm_self = view_uint(&process, F(MPIR_Process_t, comm_self));
    return size >= 1 && size <= GROUP_MAX &&
           comm_self == comm_world + mpi->layout->structs[S(MPIR_Comm)].size &&
           view_load(mpi->inf, mpi->layout, S(MPIR_Comm), comm_world, &world) == STATUS_OK &&
           view_load(mpi->inf, mpi->layout, S(MPIR_Comm), comm_self, &self) == STATUS_OK &&
           view_uint(&world, F(MPIR_Comm, handle)) == COMM_WORLD_HANDLE &&
           view_uint(&self, F(MPIR_Comm, handle)) == COMM_SELF_HANDLE &&
           view_int(&world, F(MPIR_Comm, rank)) == view_int(&process, F(MPIR_Process_t, rank)) &&
           view_int(&world, F(MPIR_Comm, local_size)) == size &&
           view_int(&self, F(MPIR_Comm, local_size)) == 1 &&
           view_int(&self, F(MPIR_Comm, rank)) == 0 && has_whole_name(&self);
}

bool
mpich_is_unused(const struct mpi *mpi, taddr addr)
{
    struct view process;

    return view_load(mpi->inf, mpi->layout, S(MPIR_Process_t), addr, &process) == STATUS_OK &&
           view_uint(&process, F(MPIR_Process_t, comm_world)) == 0;
}

// Up to 4.3 the second datatype of the pool is MPI_DOUBLE_INT, with a gap between its parts, from
// MPI_Init on: of its sizes only the one that counts no gap is its size.
static bool
has_pair(const struct mpi *mpi, const struct pool *pool)
{
    enum { DOUBLE_INT = 0x8c000001 };
    struct view pair;

    if (pool->n_direct < 2 || view_load(mpi->inf, mpi->layout, S(MPIR_Datatype),
                                        pool->direct + pool->stride, &pair) != STATUS_OK)
        return true;
    const uint64_t size = view_uint(&pair, F(MPIR_Datatype, size));
    return view_uint(&pair, F(MPIR_Datatype, handle)) != DOUBLE_INT || size == 0 ||
           size == mpich_pair_size(&mpi->inf->model, DOUBLE_INT);
}

// The first object that is not built in has a handle that follows from its kind. Datatypes since
// 5.0.2 are in blocks only.
static bool
is_pool(const struct mpi *mpi, taddr addr, unsigned kind, unsigned number)
{
    struct pool pool;
    uint64_t handle;
    taddr object;

    if (pool_load(mpi, addr, kind, number, &pool) != STATUS_OK)
        return false;
    const bool blocks_only = pool.direct == 0 && kind == HANDLE_DATATYPE;
    if (pool.direct == 0 && !blocks_only)
        return false;
    if (blocks_only ? pool.n_blocks == 0 : pool.n_direct == 0)
        return true;
    object = pool.direct;
    if (blocks_only && inferior_read_pointer(mpi->inf, pool.blocks, &object) != STATUS_OK)
        return false;
    const enum handle_place place = blocks_only ? HANDLE_INDIRECT : HANDLE_DIRECT;
    const uint32_t varies = kind == HANDLE_KEYVAL ? KEYVAL_KIND : 0; // of whose objects it is
    return inferior_read_uint(mpi->inf, object, mpi->inf->model.int_size, &handle) == STATUS_OK &&
           (handle & ~(uint64_t) varies) == ((uint32_t) place << 30 | kind << 26) &&
           (kind != HANDLE_DATATYPE || has_pair(mpi, &pool));
}

// libucp's worker is of the context that stands beside it.
static bool
is_ucx_global(const struct mpi *mpi, taddr addr)
{
    struct ucx_global global;
    struct view ctx;
    struct ucp ucp;

    if (!ucx_init(mpi, &ucp) || ucx_global_load(mpi, addr, &global) != STATUS_OK ||
        !mpich_is_pointer(&mpi->inf->model, global.context) ||
        view_load(mpi->inf, mpi->layout, S(MPIDI_UCX_context_t), global.ctx, &ctx) != STATUS_OK)
        return false;
    const taddr worker = view_uint(&ctx, F(MPIDI_UCX_context_t, worker));
    return mpich_is_pointer(&mpi->inf->model, worker) &&
           ucp_use_worker(&ucp, worker, global.context) == STATUS_OK;
}

// The endpoint is one of libfabric's, which says what it is.
static bool
is_ofi_global(const struct mpi *mpi, taddr addr)
{
    const struct field_layout *fields = mpi->layout->fields;
    const int32_t provider_at = fields[F(MPIDI_OFI_global_t, prov_use)].offset;
    const int32_t endpoint_at =
        fields[F(MPIDI_OFI_global_t, ctx)].offset + fields[F(MPIDI_OFI_context_t, rx)].offset;
    struct ofi_global global;
    taddr provider, endpoint, class;

    return inferior_read_pointer(mpi->inf, addr + (taddr) provider_at, &provider) == STATUS_OK &&
           mpich_is_pointer(&mpi->inf->model, provider) &&
           inferior_read_pointer(mpi->inf, addr + (taddr) endpoint_at, &endpoint) == STATUS_OK &&
           mpich_is_pointer(&mpi->inf->model, endpoint) &&
           inferior_read_pointer(mpi->inf, endpoint, &class) == STATUS_OK &&
           (class == CLASS_ENDPOINT || class == CLASS_RECEIVER) &&
           ofi_global_load(mpi, addr, 0, &global) == STATUS_OK && global.provider[0] != '\0' &&
           global.endpoint == endpoint;
}

// Its first table of processes has as many as MPI_COMM_WORLD.
static bool
is_ch4_global(const struct mpi *mpi, taddr addr)
{
    const int32_t at = mpi->layout->fields[F(MPIDI_CH4_Global_t, avt_mgr)].offset;
    struct view process, manager, table;

    return at >= 0 && mpich_process(mpi, &process) == STATUS_OK &&
           view_load(mpi->inf, mpi->layout, S(MPIDIU_avt_manager), addr + (taddr) at, &manager) ==
               STATUS_OK &&
           view_load(mpi->inf, mpi->layout, S(MPIDI_av_table_t),
                     view_uint(&manager, F(MPIDIU_avt_manager, av_table0)), &table) == STATUS_OK &&
           view_int(&table, F(MPIDI_av_table_t, size)) ==
               view_int(&process, F(MPIR_Process_t, size));
}

// That of topologies among the attributes of communicators: none yet, or one of the pool, whose
// object is elsewhere.
static bool
is_topology_keyval(const struct mpi *mpi, taddr addr)
{
    enum { INVALID_KEYVAL = 0x24000000 };
    uint64_t handle;
    taddr object;

    return inferior_read_uint(mpi->inf, addr, mpi->inf->model.int_size, &handle) == STATUS_OK &&
           (handle == INVALID_KEYVAL ||
            (keyval_kind(handle) == HANDLE_COMM &&
             mpich_find_object(mpi, HANDLE_KEYVAL, (uint32_t) handle, &object) == STATUS_OK &&
             object != addr));
}

/** A variable: where to look for it and how to know it. */
struct variable {
    const char *name;
    const char *function;                          // whose code refers to it
    bool (*is)(const struct mpi *mpi, taddr addr); // NULL: a pool
    bool required;
    unsigned type; // of a pool's objects; of a network module's, which may have no layout
    unsigned kind; // of a pool's objects
    bool deep;     // the code is two calls below
};

static const struct variable pools[] = {
    {"MPIR_Comm_mem", "PMPI_Comm_rank", NULL, true, S(MPIR_Comm), HANDLE_COMM, false},
    {"MPIR_Datatype_mem", "PMPI_Type_size", NULL, false, S(MPIR_Datatype), HANDLE_DATATYPE, false},
};

static const struct variable variables[] = {
    {"MPIR_Process", "PMPI_Comm_rank", mpich_is_process, true, 0, 0, false},
    {"MPIR_Request_mem", "PMPI_Test", NULL, true, S(MPIR_Request), HANDLE_REQUEST, false},
    {"MPIDI_global", "PMPI_Iprobe", is_ch4_global, false, 0, 0, false},
};

// Looked for when they are asked for.
static const struct variable others[] = {
    {"MPIR_Group_mem", "PMPI_Group_size", NULL, false, S(MPIR_Group), HANDLE_GROUP, false},
    {"MPIR_Op_mem", "PMPI_Op_free", NULL, false, S(MPIR_Op), HANDLE_OP, false},
    {"MPIR_Errhandler_mem", "PMPI_Errhandler_free", NULL, false, S(MPIR_Errhandler),
     HANDLE_ERRHANDLER, false},
    {"MPIR_Info_mem", "PMPI_Info_get_nkeys", NULL, false, S(MPIR_Info), HANDLE_INFO, false},
    {"MPIR_Win_mem", "PMPI_Win_get_name", NULL, false, S(MPIR_Win), HANDLE_WIN, false},
    {"MPII_Keyval_mem", "PMPI_Comm_free_keyval", NULL, false, S(MPII_Keyval), HANDLE_KEYVAL, false},
    {"MPIR_Session_mem", "PMPI_Session_finalize", NULL, false, S(MPIR_Session), HANDLE_SESSION,
     false},
    {"MPIR_Topology_keyval", "PMPI_Topo_test", is_topology_keyval, false, S(MPIR_Topology), 0,
     true},
};

// Of the network modules, of which a process uses one.
static const struct variable modules[] = {
    {"MPIDI_UCX_global", "PMPI_Iprobe", is_ucx_global, false, S(MPIDI_UCX_global_t), 0, false},
    {"MPIDI_OFI_global", "PMPI_Iprobe", is_ofi_global, false, S(MPIDI_OFI_global_t), 0, false},
};

enum {
    N_POOLS = sizeof(pools) / sizeof(pools[0]),
    N_VARIABLES = sizeof(variables) / sizeof(variables[0]),
    REQUESTS = 1, // of the variables
    N_OTHERS = sizeof(others) / sizeof(others[0]),
    N_MODULES = sizeof(modules) / sizeof(modules[0])
};

static bool
is_variable(const struct mpi *mpi, const struct variable *variable, taddr addr)
{
    return variable->is != NULL ? variable->is(mpi, addr)
                                : is_pool(mpi, addr, variable->kind, variable->type);
}

/** What has been found so far, and candidates that are known, each in the place of its address:
 * functions of one library name the same ones again and again. */
struct found_variable {
    taddr addr;
    unsigned count; // of different ones
    taddr tried[TRIED];
};

static void
try_candidate(const struct mpi *mpi, const struct variable *variable, taddr addr,
              struct found_variable *found)
{
    taddr *tried = &found->tried[addr / mpi->inf->model.pointer_size % TRIED];

    if (addr < MPICH_FIRST_PAGE || addr == *tried || (found->count > 0 && addr == found->addr))
        return;
    *tried = addr;
    if (!is_variable(mpi, variable, addr))
        return;
    found->addr = addr;
    ++found->count;
}

// Addresses in one library are near each other.
static bool
is_near(taddr addr, taddr other)
{
    return addr - other + NEAR < 2 * NEAR;
}

// An instruction names the variable, or the place that has its address.
static void
try_references(const struct mpi *mpi, const struct variable *variable,
               const struct code_references *references, struct found_variable *found)
{
    taddr addr;

    for (unsigned i = 0; i < references->count; ++i) {
        try_candidate(mpi, variable, references->at[i].addr, found);
        if (references->at[i].loads && references->at[i].addr >= MPICH_FIRST_PAGE &&
            inferior_read_pointer(mpi->inf, references->at[i].addr, &addr) == STATUS_OK &&
            is_near(addr, references->at[i].addr))
            try_candidate(mpi, variable, addr, found);
    }
}

static void
try_called(const struct mpi *mpi, const struct variable *variable, const struct code_calls *calls,
           struct found_variable *found)
{
    struct code_references references;

    for (unsigned i = 0; i < calls->count && found->count == 0; ++i)
        if (code_references_at(mpi->inf, calls->at[i], RECOVER_BYTES, &references) == STATUS_OK)
            try_references(mpi, variable, &references, found);
}

// Likewise, functions that these call.
static void
try_called_twice(const struct mpi *mpi, const struct variable *variable,
                 const struct code_calls *calls, struct found_variable *found)
{
    struct code_calls deeper;

    for (unsigned i = 0; i < calls->count && found->count == 0; ++i)
        if (code_calls_at(mpi->inf, calls->at[i], RECOVER_BYTES, &deeper) == STATUS_OK)
            try_called(mpi, variable, &deeper, found);
}

// Likewise, a table of functions: of the network module in use.
static void
try_table(const struct mpi *mpi, const struct variable *variable, taddr table, taddr near,
          struct found_variable *found)
{
    const unsigned width = mpi->inf->model.pointer_size;
    struct code_references references;
    taddr entry[TABLE_ENTRIES];

    for (unsigned i = 0; i < TABLE_ENTRIES; ++i)
        if (inferior_read_pointer(mpi->inf, table + i * width, &entry[i]) != STATUS_OK ||
            !is_near(entry[i], near))
            return;
    for (unsigned i = 0; i < TABLE_ENTRIES && found->count == 0; ++i)
        if (code_references_at(mpi->inf, entry[i], RECOVER_BYTES, &references) == STATUS_OK)
            try_references(mpi, variable, &references, found);
}

// A pointer to such a table is what the code of a library with several network modules names.
static void
try_tables(const struct mpi *mpi, const struct variable *variable,
           const struct code_references *references, struct found_variable *found)
{
    taddr table;

    for (unsigned i = 0; i < references->count && found->count == 0; ++i) {
        const taddr addr = references->at[i].addr;
        if (inferior_read_pointer(mpi->inf, addr, &table) == STATUS_OK && is_near(table, addr))
            try_table(mpi, variable, table, addr, found);
    }
}

static enum status
look_for(const struct mpi *mpi, const struct variable *variable, struct found_variable *found)
{
    struct code_references references;
    struct code_calls calls = {.count = 0};

    TRY(code_references(mpi->inf, variable->function, RECOVER_BYTES, &references));
    try_references(mpi, variable, &references, found);
    if (found->count == 0)
        TRY(code_calls(mpi->inf, variable->function, RECOVER_BYTES, &calls));
    try_called(mpi, variable, &calls, found);
    if (variable->deep)
        try_called_twice(mpi, variable, &calls, found);
    if (found->count == 0)
        try_tables(mpi, variable, &references, found);
    return STATUS_OK;
}

static enum status
recover(const struct mpi *mpi, const struct variable *variable)
{
    struct inferior *inf = mpi->inf;
    struct found_variable found = {.count = 0};
    taddr addr;

    if (inferior_symbol(inf, variable->name, &addr) == STATUS_OK)
        return STATUS_OK;
    if (inferior_has_given_up(inf, variable->name))
        return STATUS_ABSENT;
    TRY(look_for(mpi, variable, &found));
    if (found.count == 1) {
        inferior_remember(inf, variable->name, found.addr);
        return STATUS_OK;
    }
    return trail_begin(&inf->trail, STATUS_MISMATCH, "%s: %u candidates found", variable->name,
                       found.count);
}

// What is missing of the rest shows in what cannot be seen. A library that has a symbol for the
// first one has symbols for all, and variables of other devices than its own it has not. With a
// layout that will not change, what was not found is not there until the process has run.
static enum status
recover_all(const struct mpi *mpi, const struct variable *all, unsigned count, bool settled)
{
    const bool has_symbols = inferior_has_name(mpi->inf, all[0].name);

    for (unsigned i = 0; i < count; ++i) {
        if (has_symbols && !all[i].required)
            continue;
        const enum status status = recover(mpi, &all[i]);
        if (status != STATUS_OK && all[i].required)
            return trail_prepend(&mpi->inf->trail, status,
                                 "MPICH's variables cannot be found: install the debug information "
                                 "of its library");
        if (status != STATUS_OK && settled)
            inferior_give_up(mpi->inf, all[i].name);
    }
    trail_reset(&mpi->inf->trail);
    return STATUS_OK;
}

// Without a choice of the user's it is the first one that the library names: "ch4:ofi,ucx". Where
// one is found, the other one need not be looked for.
static void
recover_module(const struct mpi *mpi)
{
    char name[DEVICE_TEXT];
    enum device device;
    bool found = false;

    if (inferior_has_name(mpi->inf, "MPIR_Comm_mem"))
        return;
    const unsigned first =
        mpich_device(mpi->inf, &device, name, sizeof(name)) == STATUS_OK && device == DEVICE_OFI;
    for (unsigned i = 0; i < N_MODULES; ++i) {
        const struct variable *module = &modules[(first + i) % N_MODULES];
        const bool known = mpi->layout->structs[module->type].origin != ORIGIN_NONE;
        found = found || (known && recover(mpi, module) == STATUS_OK);
        if (!found)
            inferior_give_up(mpi->inf, module->name);
    }
    trail_reset(&mpi->inf->trail);
}

// Those that are found by all searches, and those that are looked for now.
static enum status
find_other(const struct mpi *mpi, const struct variable *variable, taddr *ret)
{
    if (mpi->layout->structs[variable->type].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    if (inferior_symbol(mpi->inf, variable->name, ret) == STATUS_OK)
        return STATUS_OK;
    if (inferior_has_name(mpi->inf, pools[0].name) || recover(mpi, variable) != STATUS_OK) {
        inferior_give_up(mpi->inf, variable->name);
        trail_reset(&mpi->inf->trail);
        return STATUS_UNSUPPORTED;
    }
    return inferior_symbol(mpi->inf, variable->name, ret);
}

enum status
mpich_topology_keyval(const struct mpi *mpi, taddr *ret)
{
    return find_other(mpi, &others[N_OTHERS - 1], ret);
}

enum status
mpich_pool(const struct mpi *mpi, unsigned kind, unsigned number, struct pool *ret)
{
    const uint32_t width = mpi->layout->structs[S(MPIR_Object_alloc_t)].size;
    const struct variable *variable = kind == HANDLE_COMM       ? &pools[0]
                                      : kind == HANDLE_DATATYPE ? &pools[1]
                                      : kind == HANDLE_REQUEST  ? &variables[REQUESTS]
                                                                : NULL;
    taddr addr;

    for (unsigned i = 0; variable == NULL && i < N_OTHERS; ++i)
        if (others[i].kind == kind)
            variable = &others[i];
    if (variable == NULL)
        return STATUS_UNSUPPORTED;
    TRY(find_other(mpi, variable, &addr));
    return pool_load(mpi, addr + (taddr) number * width, kind, variable->type, ret);
}

// One that has a symbol was not looked at yet.
static enum status
confirm_variable(const struct mpi *mpi, const struct variable *variable)
{
    taddr addr;

    return inferior_symbol(mpi->inf, variable->name, &addr) != STATUS_OK ||
                   is_variable(mpi, variable, addr)
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "%s has another layout",
                             variable->name);
}

enum status
mpich_confirm(const struct mpi *mpi)
{
    TRY(recover_all(mpi, pools, N_POOLS, false));
    for (unsigned i = 0; i < N_POOLS; ++i)
        TRY(confirm_variable(mpi, &pools[i]));
    // That a library is that of the standard ABI shows in what it lacks: its requests are longer.
    if (mpich_standard_abi(mpi->layout))
        TRY(recover(mpi, &variables[REQUESTS]));
    return confirm_variable(mpi, &variables[REQUESTS]);
}

// What MPIR_Process is before its communicators are made, and in MPI_Finalize, where they are gone
// though others of the user's may be left.
static bool
is_without_comms(const struct mpi *mpi, taddr addr)
{
    struct view process;

    if (view_load(mpi->inf, mpi->layout, S(MPIR_Process_t), addr, &process) != STATUS_OK)
        return false;
    const int64_t size = view_int(&process, F(MPIR_Process_t, size));
    const int64_t rank = view_int(&process, F(MPIR_Process_t, rank));
    const bool has_local = view_has(&process, F(MPIR_Process_t, local_size));
    const int64_t local = has_local ? view_int(&process, F(MPIR_Process_t, local_size)) : 1;
    return size >= 1 && size <= GROUP_MAX && rank >= 0 && rank < size && local >= 1 &&
           local <= size && view_uint(&process, F(MPIR_Process_t, comm_world)) == 0 &&
           view_uint(&process, F(MPIR_Process_t, comm_self)) == 0;
}

// Before MPI_Init and after MPI_Finalize there is nothing to know the variables by, and no
// communicator is in use.
static bool
is_out_of_use(const struct mpi *mpi)
{
    static const struct variable process = {
        "MPIR_Process", "PMPI_Comm_rank", is_without_comms, true, 0, 0, false};
    struct found_variable found = {.count = 0};
    struct pool pool;
    taddr addr;

    if (inferior_symbol(mpi->inf, "MPIR_Comm_mem", &addr) != STATUS_OK ||
        pool_load(mpi, addr, HANDLE_COMM, S(MPIR_Comm), &pool) != STATUS_OK)
        return false;
    if (pool.n_direct == 0 || pool.n_live == 0)
        return true;
    const struct trail trail = mpi->inf->trail; // says what was looked for before
    const bool is_one = look_for(mpi, &process, &found) == STATUS_OK && found.count == 1;
    mpi->inf->trail = trail;
    return is_one;
}

enum status
mpich_find_globals(const struct mpi *mpi)
{
    TRY(recover_all(mpi, pools, N_POOLS, true));
    const enum status status = recover_all(mpi, variables, N_VARIABLES, true);
    if (status == STATUS_OK)
        recover_module(mpi);
    return status != STATUS_OK && is_out_of_use(mpi)
               ? trail_begin(&mpi->inf->trail, STATUS_ABSENT, OUT_OF_USE)
               : status;
}

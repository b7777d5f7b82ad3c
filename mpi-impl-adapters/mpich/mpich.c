// SPDX-License-Identifier: BSD-3-Clause
// The MPICH adapter: recognition, version, device.
#include "mpi-impl-adapters/mpich/ch4.h"
#include "mpi-impl-adapters/mpich/impi.h"
#include "mpi-impl-adapters/mpich/ofi.h"
#include "mpi-impl-adapters/mpich/ucx.h"

#include "target/code.h"

#include <stdio.h>
#include <string.h>

// Exported even by a stripped library: up to 4.0 the texts about the version, which nothing but
// MPICH and what derives from it has; then two of MPI's own names that others do not make
// variables; and in the library of the standard ABI, what is left for Fortran.
static const char *const with_version[] = {"MPII_Version_string", "MPII_Version_device", NULL};
static const char *const without_version[] = {"MPI_T_PVAR_ALL_HANDLES", "MPI_UNWEIGHTED", NULL};
// Intel MPI goes before: it has these, too.
static const char *const with_impi[] = {"I_MPI_Library_version", "MPIR_Process", NULL};
static const char *const standard_abi[] = {"MPIR_fortran_true", "MPIR_fortran_false", NULL};

static bool
has_symbol(struct inferior *inf, const char *name)
{
    taddr addr;

    return inferior_symbol(inf, name, &addr) == STATUS_OK;
}

static bool
is_device(const char *text)
{
    return strncmp(text, "ch3", 3) == 0 || strncmp(text, "ch4", 3) == 0;
}

static bool
is_configuration(const char *text)
{
    return strncmp(text + strspn(text, "'"), "--", 2) == 0;
}

// The texts about the library, and what each looks like.
static const struct {
    const char *name;
    bool (*is)(const char *text);
} texts[] = {
    {"MPII_Version_string", code_is_version},
    {"MPII_Version_device", is_device},
    {"MPII_Version_configure", is_configuration},
};

// Where they have no symbols, a function that puts all of them together is exported.
enum status
mpich_text(struct inferior *inf, const char *name, char *ret, size_t size)
{
    taddr addr = 0;

    if (inferior_symbol(inf, name, &addr) == STATUS_OK)
        return inferior_read_string(inf, addr, size, ret);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        TRY(code_text(inf, "PMPI_Get_library_version", texts[i].is, ret, size, &addr));
        inferior_remember(inf, texts[i].name, addr);
        return STATUS_OK;
    }
    return STATUS_ABSENT;
}

static enum status
version(struct inferior *inf, char *ret, size_t size)
{
    return mpich_text(inf, "MPII_Version_string", ret, size);
}

// Devices by the first letters of their text; the text goes on with the channel's or the network's.
static const struct {
    const char *start;
    enum device device;
} devices[] = {
    {"ch3", DEVICE_CH3},
    {"ch4:ucx", DEVICE_UCX},
    {"ch4:ofi", DEVICE_OFI},
    {"ch4", DEVICE_CH4},
};

static enum device
device_of(const char *text)
{
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); ++i)
        if (strncmp(text, devices[i].start, strlen(devices[i].start)) == 0)
            return devices[i].device;
    return DEVICE_UNKNOWN;
}

enum status
mpich_device(struct inferior *inf, enum device *ret, char *name, size_t size)
{
    TRY(mpich_text(inf, "MPII_Version_device", name, size));
    *ret = device_of(name);
    return STATUS_OK;
}

enum status
mpich_device_in_use(const struct mpi *mpi, enum device *ret, char *name, size_t size)
{
    TRY(mpich_device(mpi->inf, ret, name, size));
    struct ucp ucp;
    if (strchr(name, ' ') == NULL)
        return STATUS_OK;
    // Where what would tell has no layout, it is the other one if that has, but is not there.
    const bool knows_ofi = mpi->layout->structs[S(MPIDI_OFI_global_t)].origin != ORIGIN_NONE;
    if (has_symbol(mpi->inf, "MPIDI_UCX_global"))
        *ret = DEVICE_UCX;
    else if (has_symbol(mpi->inf, "MPIDI_OFI_global"))
        *ret = DEVICE_OFI;
    else
        *ret = !knows_ofi && ucx_init(mpi, &ucp) ? DEVICE_OFI : DEVICE_CH4;
    return STATUS_OK;
}

enum status
mpich_process(const struct mpi *mpi, struct view *ret)
{
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "MPIR_Process", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Process_t), addr, ret));
    if (view_uint(ret, F(MPIR_Process_t, comm_world)) != 0)
        return STATUS_OK;
    return trail_begin(&mpi->inf->trail, STATUS_ABSENT, OUT_OF_USE);
}

// What is missing of device ch4:ucx, up to 4.1: libucp has the operations, MPICH little more than a
// pointer into it.
static void
say_ucx(const struct mpi *mpi, unsigned *hidden, char *ret, size_t size)
{
    struct ucp ucp;

    if (!ucx_init(mpi, &ucp)) {
        *hidden = 1u << OP_SEND | 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
        snprintf(
            ret, size,
            "MPICH's queues are inside libucp, of a version whose layout is not known: install "
            "the debug information of MPICH, and use libucp 1.10 or 1.13 to 1.23 to see them");
        return;
    }
    if (!has_symbol(mpi->inf, "MPIDI_UCX_global"))
        *hidden = 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
    snprintf(ret, size,
             "libucp has the queues: it does not show counts and datatypes of data in one piece, "
             "MPI_Probe, complete receives%s",
             has_symbol(mpi->inf, "MPIR_Sendq_head") ? "" : ", sends whose data is on the way");
}

static enum status
transport(const struct mpi *mpi, char *ret, size_t size, unsigned *ret_hidden, char *ret_limit,
          size_t limit_size)
{
    char name[DEVICE_TEXT];
    enum device device;

    *ret_hidden = 0;
    ret_limit[0] = '\0';
    TRY(mpich_device(mpi->inf, &device, name, sizeof(name)));
    snprintf(ret, size, "%s", name);
    if (mpich_find_globals(mpi) != STATUS_OK)
        return STATUS_OK;
    TRY(mpich_device_in_use(mpi, &device, name, sizeof(name)));
    if (impi_is(mpi->inf)) {
        impi_limit(mpi, ret_limit, limit_size);
        return STATUS_OK;
    }
    const bool shared_memory = ch4_has_shared_memory(mpi->layout);
    if (device == DEVICE_UCX && !shared_memory)
        say_ucx(mpi, ret_hidden, ret_limit, limit_size);
    else if (device == DEVICE_UCX)
        snprintf(ret_limit, limit_size,
                 "it does not show MPI_Probe, tags of sends within a node nor what short "
                 "synchronous ones are, and counts or datatypes of messages between nodes, which "
                 "libucp has");
    if (device == DEVICE_CH4 && shared_memory)
        snprintf(ret_limit, limit_size,
                 "MPICH hands messages between nodes to libucp or libfabric, of a version whose "
                 "layout is not known: only those within a node are shown%s",
                 am_is_early(mpi->layout) ? ", and no sends, of which little is kept" : "");
    if (device == DEVICE_CH3)
        snprintf(ret_limit, limit_size, "MPI_Probe is not shown: MPICH keeps no record of it");
    if (device == DEVICE_OFI)
        ofi_limit(mpi, ret_limit, limit_size);
    if ((device == DEVICE_CH4 && !shared_memory) || device == DEVICE_UNKNOWN) {
        *ret_hidden = 1u << OP_SEND | 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
        snprintf(ret_limit, limit_size, "the queues of MPICH's device %s are not supported", name);
    }
    return STATUS_OK;
}

static enum status
rank(const struct mpi *mpi, int64_t *ret)
{
    struct view process;

    TRY(mpich_find_globals(mpi));
    TRY(mpich_process(mpi, &process));
    *ret = view_int(&process, F(MPIR_Process_t, rank));
    return STATUS_OK;
}

// Before MPI_Init no object was ever given out, after MPI_Finalize the pool is as it was then.
static enum status
phase(const struct mpi *mpi, enum phase *ret)
{
    struct view process;
    struct pool pool;
    taddr addr;

    *ret = PHASE_IN_USE;
    if (mpich_find_globals(mpi) == STATUS_OK && mpich_process(mpi, &process) == STATUS_OK)
        return STATUS_OK;
    TRY(inferior_symbol(mpi->inf, "MPIR_Comm_mem", &addr));
    TRY(pool_load(mpi, addr, HANDLE_COMM, S(MPIR_Comm), &pool));
    *ret = pool.n_direct == 0 || pool.n_live == 0 ? PHASE_NOT_IN_USE : PHASE_UNKNOWN;
    return STATUS_OK;
}

// MPIR_ThreadInfo has the level first, and behind it the thread that called MPI_Init. It is
// exported by no library; MPI_Query_thread gives its first member.
static enum status
threads(const struct mpi *mpi, struct thread_level *ret)
{
    const uint8_t width = mpi->inf->model.pointer_size;
    taddr addr;

    TRY(mpich_find_globals(mpi));
    if (inferior_symbol(mpi->inf, "MPIR_ThreadInfo", &addr) != STATUS_OK)
        TRY(code_given_int(mpi->inf, "PMPI_Query_thread", &addr));
    TRY(inferior_read_uint(mpi->inf, addr, sizeof(int32_t), &ret->level));
    if (inferior_read_pointer(mpi->inf, addr + width, &ret->main) != STATUS_OK)
        ret->main = 0;
    return STATUS_OK;
}

// Device ch3 counts the requests that have come to their end.
static enum status
progress(const struct mpi *mpi, uint64_t *ret)
{
    taddr addr;

    TRY(mpich_find_globals(mpi));
    if (inferior_symbol(mpi->inf, "MPIDI_CH3I_progress_completion_count", &addr) == STATUS_OK)
        return inferior_read_uint(mpi->inf, addr, sizeof(int32_t), ret);
    return ucx_progress(mpi, ret);
}

enum { ABI_REQUEST_NULL = 0x180, ABI_PREDEFINED = 0x1000 }; // handles of the standard ABI

// In the standard ABI the handle of a request is its address; those that are predefined are small
// numbers, and MPI_REQUEST_NULL is the only one of a request.
static enum status
number_of_handle(const struct mpi *mpi, uint64_t *handle)
{
    if (!mpich_standard_abi(mpi->layout))
        return STATUS_OK;
    return *handle < ABI_PREDEFINED
               ? STATUS_ABSENT
               : inferior_read_uint(mpi->inf, *handle, mpi->inf->model.int_size, handle);
}

// MPI_REQUEST_NULL is in no pool; requests that are built in are complete.
static enum status
waits(const struct mpi *mpi, uint64_t handle, bool *ret)
{
    *ret = false;
    if (mpich_standard_abi(mpi->layout) && handle == ABI_REQUEST_NULL)
        return STATUS_OK;
    if (number_of_handle(mpi, &handle) != STATUS_OK || handle > UINT32_MAX ||
        handle_kind(handle) != HANDLE_REQUEST)
        return STATUS_ABSENT;
    *ret = handle_place(handle) == HANDLE_DIRECT || handle_place(handle) == HANDLE_INDIRECT;
    return STATUS_OK;
}

static enum status
conventions(const struct mpi *mpi, struct conventions *ret)
{
    const bool abi = mpich_standard_abi(mpi->layout);

    *ret = (struct conventions){.any_source = abi ? ABI_ANY_SOURCE : MPICH_ANY_SOURCE,
                                .any_tag = abi ? ABI_ANY_TAG : MPICH_ANY_TAG,
                                .hides_probes = true,
                                .numbers = !abi};
    return STATUS_OK;
}

#define ADAPTER(text, variables, its_version)                                                     \
    {                                                                                             \
        .name = text, .needs = &mpich_needs, .symbols = variables, .resolve = mpich_resolve,      \
        .has_modules = mpich_has_modules, .version = its_version, .transport = transport,         \
        .rank = rank, .threads = threads, .phase = phase, .progress = progress,                   \
        .comms = mpich_comms, .group = mpich_group, .ops = mpich_ops, .describe = mpich_describe, \
        .conventions = conventions, .waits = waits, .object = mpich_object,                       \
        .objects = mpich_objects, .members = mpich_object_members,                                \
    }

const struct adapter impi_adapter = ADAPTER("Intel MPI", with_impi, impi_version);
const struct adapter mpich_adapter = ADAPTER("MPICH", with_version, version);
const struct adapter mpich_unversioned_adapter = ADAPTER("MPICH", without_version, version);
const struct adapter mpich_abi_adapter = ADAPTER("MPICH", standard_abi, version);

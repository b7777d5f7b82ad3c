// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI. Its library has symbols of all variables, and no types.
#include "mpi-impl-adapters/mpich/impi.h"

#include <stdio.h>

bool
impi_is(struct inferior *inf)
{
    taddr addr;

    return inferior_symbol(inf, "I_MPI_Library_version", &addr) == STATUS_OK;
}

enum status
impi_version(struct inferior *inf, char *ret, size_t size)
{
    taddr addr;

    TRY(inferior_symbol(inf, "I_MPI_Library_version", &addr));
    return inferior_read_string(inf, addr, size, ret);
}

// The object of its shared memory is made in MPI_Init, unless I_MPI_FABRICS leaves it out.
bool
impi_has_shared_memory(struct inferior *inf)
{
    taddr addr, object;

    return inferior_symbol(inf, "impi_shm", &addr) == STATUS_OK &&
           inferior_read_pointer(inf, addr, &object) == STATUS_OK && object != 0;
}

// 2021.4 and 2021.5 have another name for it.
static enum status
find_pools(struct inferior *inf, taddr *ret)
{
    if (inferior_symbol(inf, "MPIR_Request_mem", ret) == STATUS_OK)
        return STATUS_OK;
    trail_reset(&inf->trail);
    TRY(inferior_symbol(inf, "MPIR_Request_mem_vci", ret));
    inferior_remember(inf, "MPIR_Request_mem", *ret);
    return STATUS_OK;
}

// The second pool of requests is where the size of the first one puts it, if it was set up.
static enum status
confirm_pools(const struct mpi *mpi)
{
    const struct layout *layout = mpi->layout;
    struct view pool;
    taddr addr;

    TRY(find_pools(mpi->inf, &addr));
    TRY(view_load(mpi->inf, layout, S(MPIR_Object_alloc_t),
                  addr + layout->structs[S(MPIR_Object_alloc_t)].size, &pool));
    const uint64_t size = view_uint(&pool, F(MPIR_Object_alloc_t, size));
    return size == 0 || size == layout->structs[S(MPIR_Request)].size
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                             "the pools of requests do not follow each other");
}

enum status
impi_confirm(const struct mpi *mpi)
{
    taddr addr;

    // The size of requests tells releases apart, which mpich_confirm() has compared if it could.
    TRY(confirm_pools(mpi));
    TRY(inferior_symbol(mpi->inf, "MPIR_Process", &addr));
    return mpich_is_unused(mpi, addr) || mpich_is_process(mpi, addr)
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                             "MPI_COMM_WORLD has no rank and size where they are expected");
}

static bool
is_one_node(const struct mpi *mpi)
{
    struct view process;

    return mpich_process(mpi, &process) == STATUS_OK &&
           view_int(&process, F(MPIR_Process_t, local_size)) ==
               view_int(&process, F(MPIR_Process_t, size));
}

void
impi_limit(const struct mpi *mpi, char *ret, size_t size)
{
    static const char sends[] =
        "Intel MPI keeps no record of what is sent: only persistent sends are shown, and no "
        "MPI_Probe";

    if (impi_has_shared_memory(mpi->inf) && is_one_node(mpi))
        snprintf(ret, size, "%s", sends);
    else
        snprintf(
            ret, size,
            "%s; messages that do not go through its shared memory are inside libfabric, whose "
            "queues cannot be read: of their receives %s, and no messages that nobody has received",
            sends,
            mpi->layout->fields[F(MPIDI_OFI_request_t, util)].offset >= 0 ? "the memory is shown"
                                                                          : "nothing is shown");
}

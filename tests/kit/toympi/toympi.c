// SPDX-License-Identifier: BSD-3-Clause
// The toympi adapter: recognition, version, transport, rank.
#include "tests/kit/toympi/toympi.h"

#include <stdio.h>

static const char *const symbols[] = {
    "toympi_version",
    "toympi_comms",
    "toympi_posted",
    NULL,
};

enum status
toympi_version(struct inferior *inf, char *ret, size_t size)
{
    taddr addr;

    TRY(inferior_symbol(inf, "toympi_version", &addr));
    return inferior_read_string(inf, addr, size, ret);
}

static enum status
rank(const struct mpi *mpi, int64_t *ret)
{
    struct view view;
    taddr addr, world;

    TRY(inferior_symbol(mpi->inf, "toympi_world", &addr));
    TRY(inferior_read_pointer(mpi->inf, addr, &world));
    if (world == 0)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(toy_comm), world, &view));
    *ret = view_int(&view, F(toy_comm, rank));
    return STATUS_OK;
}

static enum status
transport(const struct mpi *mpi, char *ret, size_t size, unsigned *ret_hidden, char *ret_limit,
          size_t limit_size)
{
    struct view view;
    taddr addr, device;

    ret[0] = ret_limit[0] = '\0';
    *ret_hidden = 0;
    TRY(inferior_symbol(mpi->inf, "toympi_device", &addr));
    TRY(inferior_read_pointer(mpi->inf, addr, &device));
    if (device == 0) // MPI_Init has not chosen yet
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(toy_device), device, &view));
    const int width = (int) mpi->layout->fields[F(toy_device, name)].width;
    const char *name = view_bytes(&view, F(toy_device, name));
    snprintf(ret, size, "device %.*s", width, name);
    if (view_uint(&view, F(toy_device, offloads)) == 0)
        return STATUS_OK;
    *ret_hidden = 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
    snprintf(ret_limit, limit_size,
             "device %.*s matches in the network card: run with TOYMPI_OFFLOAD=0 to see receives "
             "and unexpected messages",
             width, name);
    return STATUS_OK;
}

const struct adapter toympi_adapter = {
    .name = "toympi",
    .needs = &toympi_needs,
    .symbols = symbols,
    .resolve = toympi_resolve,
    .version = toympi_version,
    .transport = transport,
    .rank = rank,
    .comms = toympi_comms,
    .group = toympi_group,
    .ops = toympi_ops,
    .describe = toympi_describe,
};

// SPDX-License-Identifier: BSD-3-Clause
// The list of adapters: the MPI implementations that this library knows.
#include "mqs/adapter.h"

extern const struct adapter impi_adapter, mpich_adapter, mpich_unversioned_adapter,
    mpich_abi_adapter;
extern const struct adapter openmpi_adapter;

const struct adapter *const adapters[] = {&openmpi_adapter,   &impi_adapter,
                                          &mpich_adapter,     &mpich_unversioned_adapter,
                                          &mpich_abi_adapter, NULL};

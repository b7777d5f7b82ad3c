// SPDX-License-Identifier: BSD-3-Clause
// Groups that Open MPI stores as a rule over a parent group (--enable-sparse-groups).
#ifndef OPENMPI_SPARSE_H
#define OPENMPI_SPARSE_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

enum {
    GROUP_FLAG_SPORADIC = 0x8,
    GROUP_FLAG_STRIDED = 0x10,
    GROUP_FLAG_BITMAP = 0x20,
    GROUP_FLAG_SPARSE = GROUP_FLAG_SPORADIC | GROUP_FLAG_STRIDED | GROUP_FLAG_BITMAP,
};

/** Ranks in MPI_COMM_WORLD of a group's members. */
struct ranks {
    uint32_t size;
    int32_t *at; // room for size + 1
};

/** Translates a sparse group by its rule.
 * @param group  the group
 * @param parent the ranks of its parent's members
 * @param ret    its size is set; filled on success
 */
CHECKED enum status sparse_ranks(const struct mpi *mpi, const struct view *group,
                                 const struct ranks *parent, struct ranks *ret);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Epochs and locks of windows, as each module of one-sided communication keeps them.
#ifndef OPENMPI_OSC_H
#define OPENMPI_OSC_H

#include "mpi-impl-adapters/openmpi/objects.h"

/** Values of Open MPI's, the same in all releases of 4.x and 5.x. */
enum {
    OSC_LOCK_EXCLUSIVE = 1, // MPI_LOCK_EXCLUSIVE
    OSC_LOCK_SHARED = 2,
    OSC_MODE_NOCHECK = 1, // an assertion: nothing was asked for
};

/** A window that is read, and what was emitted of it. */
struct osc {
    const struct mpi *mpi;
    const struct window *window;
    struct member_sink *sink;
    int32_t *ranks; // in MPI_COMM_WORLD, of the window's processes; NULL: not needed yet
    uint32_t locks, awaited, requests;
};

/** Each emits what its module keeps of a window.
 * @return STATUS_ABSENT when the window is not of that module */
CHECKED enum status osc_rdma_members(struct osc *osc);
CHECKED enum status osc_sm_members(struct osc *osc);
CHECKED enum status osc_pt2pt_members(struct osc *osc);
CHECKED enum status osc_ucx_members(struct osc *osc);

// Parts of them.

bool osc_resolved(const struct mpi *mpi, unsigned number);

/** Emits what is the same for all processes of a window: the number of its communicator.
 * @return STATUS_ABSENT when it is no communicator of the window's processes */
CHECKED enum status osc_emit_id(struct osc *osc, taddr comm);

/** Emits a lock that the process has. @param target rank in the window */
CHECKED enum status osc_emit_lock(struct osc *osc, int64_t target, bool exclusive);

/** Likewise one that it has asked for and not got. */
CHECKED enum status osc_emit_awaited(struct osc *osc, int64_t target, bool exclusive);

/** Emits a process that waits for the lock of this one. @param rank in the window */
CHECKED enum status osc_emit_request(struct osc *osc, int64_t rank);

/** Emits the group given to MPI_Win_start; 0: none. @param posts how many of it have exposed their
 * memory; -1: not known */
CHECKED enum status osc_emit_access(struct osc *osc, taddr group, int64_t posts);

/** Likewise of MPI_Win_post. @param completions how many of it have ended their access */
CHECKED enum status osc_emit_exposure(struct osc *osc, taddr group, int64_t completions);

#endif

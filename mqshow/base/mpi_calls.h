// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI: what a thread in one waits for, and where its arguments are.
#ifndef MQSHOW_BASE_MPI_CALLS_H
#define MQSHOW_BASE_MPI_CALLS_H

#include "mqs_ext.h"

#include <stdbool.h>

enum mpi_waiting {
    MPI_NOTHING,
    MPI_MESSAGES,
    MPI_COLLECTIVE,
    MPI_PARTNERS // for what others of a group or window do, which no queue shows
};

struct mpi_call {
    const char *name; // "MPI_Recv"
    enum mpi_waiting waits;
    bool any;                     // one of the operations suffices
    bool receives, sends, probes; // which operations it can wait for
    bool buffered;                // all sends that MPI has buffered
    bool parts; // what the queues show of the collectives that it consists of, too
    // A collective: its name in the queues; whether not all that are in it wait for all that are
    // not; whether a thread in it may also work by itself, at a file for instance, and waits for
    // the others only where the queues show the communication that the call consists of.
    const char *collective;
    bool one_side, compound;
    bool locks;   // gets a lock of a window
    bool exposed; // waits for the group of the window's exposure epoch
    // The operation that the call is by itself, where it has a kind.
    int kind; // mqs_kind_...; 0 where peer_at is 0
    // Parameters: names in the standard, and numbers from 1; 0 and NULL: there is none. The
    // requests are the first one, or behind their count.
    const char *count, *requests, *peer;
    unsigned buffer_at; // the count is behind it
    unsigned peer_at, tag_at, comm_at, group_at, win_at, file_at;
    unsigned port_at, root_at; // the name of a port, and whose argument it is
};

/** The row of a call by its name in C, with its profiling name and with counts of any size too:
 * "MPI_Recv", "PMPI_Recv", "PMPI_Recv_c". @return NULL: there is no row for it */
const struct mpi_call *mpi_call_find(const char *function);

/** Whether not all in a collective wait for all that are not; as long as nothing else is known,
 * too. @param collective its name in the queues */
bool mpi_call_is_one_sided(const char *collective);

/** What a call does that begins a nonblocking collective, or makes a persistent one. */
struct mpi_begin {
    unsigned request_at; // number of the parameter that is the request, from 1
    bool persistent;
};

/** Whether a call does one of these. @param call its name in C: "MPI_Ibcast", "MPI_Bcast_init" */
bool mpi_call_begins(const char *call, struct mpi_begin *ret);

/** Whether the counts of a function are of any size, "MPI_Recv_c", and those of others int. */
bool mpi_call_is_large(const char *function);

/** Whether a call is one of MPI-IO. */
bool mpi_call_is_io(const char *call);

/** Whether a call returns whatever other processes do. */
bool mpi_call_polls(const char *call);

/** The name of an MPI function in C by that of a function of the MPI library: "MPI_Recv" of
 * "PMPI_Recv", of "MPI_Recv_c" with counts of any size, of Fortran's "mpi_recv_", and of a few that
 * are the work of one: "ompi_mpi_finalize".
 * @return for free(); NULL: it is no MPI function
 */
char *mpi_call_name(const char *function);

/** Whether a function of the MPI library is this call in C, as mpi_call_find() takes it. */
bool mpi_call_is(const char *function, const char *call);

#endif

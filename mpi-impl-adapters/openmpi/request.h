// SPDX-License-Identifier: BSD-3-Clause
// A point-to-point request of PML ob1, decoded as far as all of the adapter needs it.
#ifndef OPENMPI_REQUEST_H
#define OPENMPI_REQUEST_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

/** Kinds of request, as Open MPI numbers them. */
enum pml_request_type {
    PML_REQUEST_NULL,
    PML_REQUEST_SEND,
    PML_REQUEST_RECV,
    PML_REQUEST_IPROBE,
    PML_REQUEST_PROBE,
    PML_REQUEST_IMPROBE,
    PML_REQUEST_MPROBE
};

/** Modes of send, as Open MPI numbers them. */
enum pml_send_mode {
    PML_SEND_SYNCHRONOUS,
    PML_SEND_COMPLETE,
    PML_SEND_BUFFERED,
    PML_SEND_READY,
    PML_SEND_STANDARD
};

struct request {
    struct view ompi; // ompi_request_t
    struct view base; // mca_pml_base_request_t
    taddr addr;
    taddr comm; // address of its communicator
    taddr datatype;
    taddr buffer;   // the user's
    uint64_t count; // elements of the datatype
    int64_t type;   // enum pml_request_type
    int64_t peer;
    int64_t tag;
    uint64_t sequence;
    bool active;       // started and not collected
    bool complete;     // MPI_Wait would return at once
    bool pml_complete; // the PML is through with it
    bool freed;        // MPI_Request_free was called
    bool blocked;      // a thread waits for it
    bool persistent;   // made by MPI_Recv_init, MPI_Send_init, ...
    bool internal;     // of MPI's own traffic, as its tag tells
};

/** What a reference has of the operation itself (op_ref.flags). */
enum {
    REF_WHOLE = 1 << 0, // all that describe() wants: the object is not read again
    REF_PERSISTENT = 1 << 1,
    REF_FREED = 1 << 2,
    REF_BLOCKED = 1 << 3,
    REF_RENDEZVOUS = 1 << 4,
    REF_TRANSIT = 1 << 5, // a message that the process has not looked at yet
};

/** Reads and decodes a request. */
CHECKED enum status request_load(const struct mpi *mpi, taddr addr, struct request *ret);

/** Whether a receive has been matched with a message. */
CHECKED enum status request_matched(const struct mpi *mpi, taddr addr, bool *ret);

/** Whether the receiver of a send has answered that a receive matches. */
CHECKED enum status request_acknowledged(const struct mpi *mpi, taddr addr, bool *ret);

/** Whether a send's message waits in a buffer attached by MPI_Buffer_attach, or is of a request
 * that the user has freed: then it is pending although MPI says that it is complete. */
CHECKED enum status
request_send_lingers(const struct mpi *mpi, const struct request *request, bool *ret);

/** An unexpected message. */
struct fragment {
    int64_t source;
    int64_t tag;
    bool sized; // `bytes` and `rendezvous` make sense
    bool rendezvous;
    uint64_t bytes;
    taddr data;        // of the part that is here; 0: none
    uint64_t type;     // of its header
    uint32_t context;  // number of its communicator
    uint16_t sequence; // of its sender's messages on it
};

/** Whether its header begins a message. */
bool fragment_is_message(const struct fragment *fragment);

/** Reads and decodes an unexpected message. One of which the length is invalid is not `sized`.
 */
CHECKED enum status fragment_load(const struct mpi *mpi, taddr addr, struct fragment *ret);

/** Decodes a message as it travels: a header, and what is behind it. @param length bytes of both
 * @return STATUS_ABSENT when it is not the first part of a message */
CHECKED enum status
fragment_decode(const struct mpi *mpi, taddr header, uint64_t length, struct fragment *ret);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What every request says of itself, whatever the device.
#ifndef MPICH_REQUEST_H
#define MPICH_REQUEST_H

#include "mpi-impl-adapters/mpich/mpich.h"

/** Kinds of request that matter here; the numbers that MPICH gives them differ by release. */
enum request_kind {
    REQUEST_OTHER,
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_PERSISTENT_SEND,
    REQUEST_PERSISTENT_RECEIVE,
    REQUEST_PART_SEND,
    REQUEST_PART_RECEIVE,
    REQUEST_MESSAGE,    // taken by MPI_Mprobe
    REQUEST_COLLECTIVE, // a nonblocking one
    REQUEST_PERSISTENT_COLLECTIVE
};

struct request {
    struct view view;
    taddr addr;
    taddr comm; // of its communicator; 0: it does not say
    taddr dev;  // of the device's part
    enum request_kind kind;
    bool complete;
};

/** Releases in which something changed. */
enum {
    RELEASE_4_0 = 400,
    RELEASE_4_1 = 401,
    RELEASE_4_2 = 402,
    RELEASE_4_3 = 403,
    RELEASE_5_0 = 500
};

/** Release of the library, 400 for 4.0; 0: not known. That of Intel MPI is the one that numbers
 * kinds of requests as it does. */
unsigned mpich_release(struct inferior *inf);

/** Reads and decodes a request. */
CHECKED enum status
mpich_request_load(const struct mpi *mpi, unsigned release, taddr addr, struct request *ret);

/** What a request is of that is none of a message: "collective", "generalized", "one-sided"; NULL
 * of others. */
const char *request_operation(const struct request *request, unsigned release);

/** The request that does the work of a persistent one; 0: it is not started.
 * @param debugger the library has its own support for debuggers, in the form that it had up to 4.0
 */
taddr request_real(const struct request *request, bool debugger);

/** Whether it is one of a send, in one piece or partitioned. */
bool request_sends(const struct request *request);

bool request_is_partitioned(const struct request *request);

/** Number of partitions of a partitioned request; 0: not known. */
uint64_t request_partitions(const struct request *request, bool *ret_started);

/** Source and tag as the library has them, in the numbers that MPICH's own library has for those
 * that are none: MPICH_ANY_SOURCE and the like. */
int32_t request_source(const struct layout *layout, int64_t number);
int32_t request_tag(const struct layout *layout, int64_t number);

/** How a request has ended; for one that is complete. */
struct outcome {
    int64_t source;
    int64_t tag;
    uint64_t bytes;
    bool cancelled;
};

/** Decodes the status of a request. */
CHECKED enum status
request_outcome(const struct mpi *mpi, const struct request *request, struct outcome *ret);

#endif

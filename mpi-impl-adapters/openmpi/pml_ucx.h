// SPDX-License-Identifier: BSD-3-Clause
// PML ucx: what libucp has of the operations that Open MPI hands it.
//
// Open MPI makes one word of a message's tag, the sender's rank, and the number of the
// communicator. A request of Open MPI's lies directly behind libucp's; blocking calls have libucp's
// on their stack, without one of Open MPI's.
#ifndef OPENMPI_PML_UCX_H
#define OPENMPI_PML_UCX_H

#include "mpi-impl-adapters/openmpi/handed.h"
#include "mpi-impl-adapters/ucp/ucp.h"
#include "target/addrs.h"
#include "target/view.h"

/** The parts of the word. */
struct ucx_word {
    uint32_t context;
    uint32_t rank;
    int32_t tag;
};

enum { UCX_CONTEXT_BITS = 20, UCX_RANK_BITS = 20, UCX_TAG_SHIFT = 40 };

static inline struct ucx_word
ucx_split(uint64_t word)
{
    return (struct ucx_word){
        .context = (uint32_t) word & ((1u << UCX_CONTEXT_BITS) - 1),
        .rank = (uint32_t) (word >> UCX_CONTEXT_BITS) & ((1u << UCX_RANK_BITS) - 1),
        .tag = (int32_t) ((int64_t) word >> UCX_TAG_SHIFT),
    };
}

/** One search for all pending operations. */
struct ucx_search {
    const struct mpi *mpi;
    struct arena *arena;
    struct op_sink *sink;
    struct ucp ucp;
    struct contexts contexts;
    struct peers peers;    // by endpoint of libucp
    bool has_pool;         // the pool was read as a whole
    bool has_queues;       // likewise
    bool has_lengths;      // of receives; else their layout contradicts Open MPI's
    struct addrs requests; // in use, of libucp's pool
    struct addrs posted;   // receives that no message has matched
    taddr isend; // the function that is called when a send of MPI_Isend is complete; 0: not known
};

/** Prepares to read libucp. @return STATUS_ABSENT when it is not in use */
CHECKED enum status ucx_open(const struct mpi *mpi, struct ucp *ret);

/** Open MPI's part of a request. */
struct ucx_request {
    struct view ompi; // ompi_request_t
    taddr addr;       // what the user has: of a persistent one, that
    taddr ucp;        // libucp's
    taddr data;       // what a callback is given
    taddr comm;       // 0: not known
    taddr datatype;   // persistent: of `count` elements; else 0
    uint64_t count;
    uint64_t tag; // persistent: the word
    int64_t mode; // of a persistent send: enum pml_send_mode
    bool persistent;
    bool untold; // whether it is of a persistent one, which then is what the user has
    bool complete;
    bool blocked; // a thread waits for it
    bool freed;   // MPI_Request_free was called
};

/** Reads Open MPI's part of a request of libucp's pool. */
CHECKED enum status
ucx_request_load(const struct mpi *mpi, const struct ucp *ucp, taddr addr, struct ucx_request *ret);

/** What was asked for, of a word and its mask. */
void ucx_add_wanted(uint64_t tag, uint64_t mask, struct op_ref *ref);

/** Emits the persistent requests that are complete and not started again. */
CHECKED enum status ucx_persistent(struct ucx_search *search);

/** adapter.ops() of this PML. */
CHECKED enum status ucx_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** The message that a receive was matched with, as libucp notes it. */
CHECKED enum status
ucx_describe_matched(const struct mpi *mpi, const struct op_ref *ref, struct op *op);

/** adapter.progress() of this PML. */
CHECKED enum status ucx_count(const struct mpi *mpi, uint64_t *ret);

/** What of this PML's queues cannot be seen, for adapter.transport(). */
void ucx_limit(const struct mpi *mpi, unsigned *ret_hidden, char *ret, size_t size);

#endif

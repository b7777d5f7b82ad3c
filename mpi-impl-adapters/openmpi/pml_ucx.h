// SPDX-License-Identifier: BSD-3-Clause
// PML ucx: what libucp has of the operations that Open MPI hands it.
//
// Open MPI makes one word of a message's tag, the sender's rank, and the number of the
// communicator. A request of Open MPI's lies directly behind libucp's; blocking calls have libucp's
// on their stack, without one of Open MPI's.
#ifndef OPENMPI_PML_UCX_H
#define OPENMPI_PML_UCX_H

#include "mpi-impl-adapters/openmpi/openmpi.h"
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

/** What a reference has of the operation (op_ref.flags). op_ref.spare is 1 + its enum op_kind, 0
 * when that is not known; op_ref.datatype is known of a persistent one, else 0: then op_ref.count
 * is bytes. */
enum {
    UCX_PEER = 1 << 0,
    UCX_TAG = 1 << 1,
    UCX_BYTES = 1 << 2,
    UCX_PERSISTENT = 1 << 3,
    UCX_BLOCKED = 1 << 4,
    UCX_RENDEZVOUS = 1 << 5, // of a message
    UCX_FREED = 1 << 5,      // of a request
    UCX_ON_STACK = 1 << 6,   // there is no request of Open MPI's
    REF_UCX = 1 << 7,        // any reference of this PML's: openmpi_describe() knows it by that
};

/** One search for all pending operations. */
struct ucx_search {
    const struct mpi *mpi;
    struct arena *arena;
    struct op_sink *sink;
    struct ucp ucp;
    uint32_t *contexts;      // of each communicator of the sink, as the word has it
    uint32_t *by_context;    // numbers of the communicators, by context
    bool has_pool;           // the pool was read as a whole
    bool has_queues;         // likewise
    struct addrs requests;   // in use, of libucp's pool
    struct addrs posted;     // receives that no message has matched
    struct ucx_peers *peers; // of each communicator; filled when needed
    taddr isend; // the function that is called when a send of MPI_Isend is complete; 0: not known
};

/** Prepares to read libucp. @return STATUS_ABSENT when it is not in use */
CHECKED enum status ucx_open(const struct mpi *mpi, struct ucp *ret);

/** The number of a communicator in the word. */
CHECKED enum status ucx_context(const struct mpi *mpi, const struct comm *comm, uint32_t *ret);

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
    bool complete;
    bool blocked; // a thread waits for it
    bool freed;   // MPI_Request_free was called
};

/** Reads Open MPI's part of a request of libucp's pool. */
CHECKED enum status
ucx_request_load(const struct mpi *mpi, const struct ucp *ucp, taddr addr, struct ucx_request *ret);

/** Prepares for ucx_find_peer(). */
CHECKED enum status ucx_peers_init(struct ucx_search *search);

/** Rank among a communicator's peers of the process that an endpoint of libucp leads to. @return
 * whether it is known */
bool ucx_find_peer(struct ucx_search *search, uint32_t comm, taddr endpoint, int32_t *ret);

/** Number of the communicator that a word names. @return whether there is one */
bool ucx_find_comm(const struct ucx_search *search, uint32_t context, uint32_t *ret);

/** Emits an operation, or, when it is of Open MPI's own traffic, notes which collective that is of.
 */
CHECKED enum status ucx_emit(const struct ucx_search *search, const struct op_ref *ref);

/** What was asked for, of a word and its mask. */
void ucx_add_wanted(uint64_t tag, uint64_t mask, struct op_ref *ref);

/** Number of the kind of a persistent send for op_ref.spare. @param mode enum pml_send_mode */
uint8_t ucx_kind_of_mode(int64_t mode);

/** Emits the persistent requests that are complete and not started again. */
CHECKED enum status ucx_persistent(struct ucx_search *search);

/** Emits the messages that MPI_Mprobe has taken. */
CHECKED enum status ucx_taken(struct ucx_search *search);

/** Emits a message that nobody has received, or a taken one. */
CHECKED enum status
ucx_emit_message(struct ucx_search *search, const struct ucp_message *message, struct op_ref ref);

/** adapter.ops() of this PML. */
CHECKED enum status ucx_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** adapter.describe() of a reference that has REF_UCX. */
CHECKED enum status ucx_describe(const struct mpi *mpi, const struct op_ref *ref, struct op *ret);

/** What of this PML's queues cannot be seen, for adapter.transport(). */
void ucx_limit(const struct mpi *mpi, unsigned *ret_hidden, char *ret, size_t size);

#endif

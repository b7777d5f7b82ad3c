// SPDX-License-Identifier: BSD-3-Clause
// Operations that Open MPI hands to another library, which matches them: what a reference to one
// has of it, and communicators by the number that the library is given.
#ifndef OPENMPI_HANDED_H
#define OPENMPI_HANDED_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

/** What a reference has of the operation (op_ref.flags). op_ref.datatype is 0 when it is not known:
 * then op_ref.count is bytes. */
enum {
    HANDED_PEER = 1 << 0,
    HANDED_TAG = 1 << 1,
    HANDED_BYTES = 1 << 2,
    HANDED_PERSISTENT = 1 << 3,
    HANDED_TRANSIT = 1 << 3, // of a message: the process has not looked at it yet
    HANDED_BLOCKED = 1 << 4,
    HANDED_RENDEZVOUS = 1 << 5, // of a message
    HANDED_FREED = 1 << 5,      // of a request
    HANDED_ON_STACK = 1 << 6,   // there is no request of Open MPI's, or it is not known which
    REF_HANDED = 1 << 7,        // any such reference: openmpi_describe() knows it by that
};

/** Of op_ref.spare, which else is 1 + the operation's enum op_kind, 0 when that is not known: what
 * a receive was matched with is kept nowhere, or whether it was. */
enum { HANDED_UNTRACED = 1 << 7 };

/** Number of the kind of a send for op_ref.spare. @param mode enum pml_send_mode */
uint8_t handed_kind_of_mode(int64_t mode);

/** Emits an operation, or, when it is of Open MPI's own traffic, notes which collective that is of.
 */
CHECKED enum status handed_emit(struct op_sink *sink, const struct op_ref *ref);

/** adapter.describe() of a reference that has REF_HANDED. */
CHECKED enum status
handed_describe(const struct mpi *mpi, const struct op_ref *ref, struct op *ret);

/** Calls `visit` for each ompi_message_t of a message that MPI_Mprobe has taken and that is not
 * received yet. Stops with the first status other than STATUS_OK that `visit` gives. */
CHECKED enum status
handed_each_taken(const struct mpi *mpi, struct arena *arena,
                  enum status (*visit)(void *context, const struct view *message), void *context);

/** Communicators by their numbers, of which messages carry the lowest bits. */
struct contexts {
    uint32_t *of;     // of each communicator of the sink
    bool *known;      // likewise: whether it could be read
    uint32_t *sorted; // numbers of the communicators, by context
    uint32_t count;
};

/** Reads the numbers of all communicators; one whose number cannot be read is reported, as no
 * message is found to be of it. @param bits that messages carry, 1 to 32 */
CHECKED enum status contexts_load(const struct mpi *mpi, struct arena *arena, struct op_sink *sink,
                                  unsigned bits, struct contexts *ret);

/** Number of the communicator that a message names. @return whether there is one */
bool contexts_find(const struct contexts *contexts, uint32_t context, uint32_t *ret);

/** Which process something leads to that Open MPI keeps of each process. */
struct peers {
    const struct mpi *mpi;
    struct arena *arena;
    const struct comm *comms;
    /** What the process is looked up by, of one of the words behind its object's start.
     * @return STATUS_ABSENT when the word is none of those */
    enum status (*key)(const struct mpi *mpi, taddr word, uint64_t *ret);
    struct peer_table *tables; // of each communicator; filled when needed
};

/** Prepares for peers_find(). Sets `tables`; all else is the caller's. */
CHECKED enum status peers_init(struct peers *peers, uint32_t n_comms);

/** Rank among a communicator's peers of the process with a key. @return whether it is known */
bool peers_find(const struct peers *peers, uint32_t comm, uint64_t key, int32_t *ret);

#endif

// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What every live program does: start, post an operation and record it, block or park for ever.
 *
 * A live program posts operations, writes the record of what it posted and hangs. The functions
 * below that post do record; MPI calls that a program makes itself it must record itself.
 */
#ifndef MQS_TESTS_LIVE_LIVE_H
#define MQS_TESTS_LIVE_LIVE_H

#include "truth.h"
#include "truth_calls.h"

#include <stddef.h>

/** The process; world and self are recorded already. */
struct live {
    int rank, size;
    struct truth_comm *world, *self;
};

/** A posted operation. */
struct post {
    struct truth_op *op;
    MPI_Request request;
};

enum send_mode { STANDARD, SYNCHRONOUS, BUFFERED, READY };

/** Element counts of MPI_BYTE: a message that is sent at once whatever the transport, and one that
 * waits for its receive whatever the transport.
 */
enum { EAGER_BYTES = 1000, RENDEZVOUS_BYTES = 300000 };

/** Initialises MPI with the given level of thread support and starts the record; the job is ended
 * if it has not `ranks` processes (0: any number). A process that was spawned is of job 1.
 */
struct live live_start(int *argc, char ***argv, int thread_level, int ranks);

/** Gives a communicator a name and records it. */
struct truth_comm *live_name(MPI_Comm comm, const char *name);

/** Zeroed memory for `count` elements; never freed. */
void *live_buffer(int count, MPI_Datatype type);

/** MPI_Irecv. */
struct post
post_receive(struct truth_comm *comm, int source, int tag, int count, MPI_Datatype type);

/** MPI_Isend, MPI_Issend, MPI_Ibsend or MPI_Irsend. */
struct post post_send(struct truth_comm *comm, enum send_mode mode, int dest, int tag, int count,
                      MPI_Datatype type);

/** Completes the operation and takes it out of the record. */
void post_collect(struct post *post);

/** Gives the sends time to finish, collects the finished ones and takes them out of the record.
 * What is left waits for its receive.
 */
void post_settle(struct post *posts, int count);

/** Sends `bytes` bytes for which `dest` has no receive; `bytes` must be no more than EAGER_BYTES.
 */
void send_unexpected(struct truth_comm *comm, int dest, int tag, int bytes);

/** Tells `dest` that all messages sent to it before on this communicator are on their way ahead. */
void gate_open(struct truth_comm *comm, int dest);

/** Waits for the gate_open() of `source`: then its earlier messages have all arrived. There must be
 * no pending receive that could take the gate's message.
 */
void gate_pass(struct truth_comm *comm, int source);

/** Writes the record and blocks in MPI_Recv. */
void block_in_receive(struct truth_comm *comm, int source, int tag, int count, MPI_Datatype type);

/** For threads that block one after the other: waits until it is this one's turn and the one before
 * has had time to get into its blocking call.
 * @param turn 0 for the first
 */
void live_await_turn(int turn);

/** Gives the turn to the next thread; right before the blocking call. */
void live_end_turn(void);

/** Writes the record and stays outside of MPI for ever: nothing makes progress any more. */
void live_park(void) __attribute__((noreturn));

/** Computes for ever, without writing the record. */
void live_compute(void) __attribute__((noreturn));

#endif

// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * A live program's record of itself: what it has posted, in which order, and which messages await
 * it.
 *
 * The program says what it did when it does it; nothing here looks into the MPI library. The record
 * is written as one JSON object of the shape of a member of "processes" in `mqshow --json`, with
 * the members that the program knows for certain, and with one more: "communicator_count".
 *
 * Not thread safe, but for truth_openmp_thread().
 */
#ifndef MQS_TESTS_LIVE_TRUTH_H
#define MQS_TESTS_LIVE_TRUTH_H

#include <mpi.h>
#include <stdbool.h>

struct truth_comm;
struct truth_op;

/** Starts the record; after MPI_Init.
 * @param job  0 for the job that was started first, else the number of the spawned job, which goes
 *             into the file's name
 */
void truth_init(int job);

/** Records a communicator with the name that it has now. Record it after MPI_Comm_set_name and
 * before MPI_Comm_free. The result is valid for ever.
 */
struct truth_comm *truth_comm(MPI_Comm comm);

/** The handle that was recorded. */
MPI_Comm truth_handle(const struct truth_comm *comm);

/** Takes a communicator that was freed out of the record. */
void truth_forget_comm(struct truth_comm *comm);

/** Says that Open MPI keeps `count` communicators of its own here that the user cannot see and a
 * debugger can. Those of MPICH are not shown.
 */
void truth_hidden_comms(int count);

/** Records a pending receive. Call in the order of posting.
 * @param source a rank, or MPI_ANY_SOURCE
 * @param tag    a tag, or MPI_ANY_TAG
 */
struct truth_op *truth_receive(struct truth_comm *comm, int source, int tag, int count,
                               MPI_Datatype type, const void *buffer);

/** Records a blocked probe, in the order of posting among the receives. */
struct truth_op *truth_probe(struct truth_comm *comm, int source, int tag);

/** Records a message that a matched probe took and that was not received yet.
 * @param source,tag what the probe asked for, perhaps wildcards
 * @param sender     rank that sent the message, which has the tag of the probe
 */
struct truth_op *
truth_message(struct truth_comm *comm, int source, int tag, int sender, long bytes);

/** Records a pending send.
 * @param kind "send", "ssend", "bsend" or "rsend"
 */
struct truth_op *truth_send(struct truth_comm *comm, const char *kind, int dest, int tag, int count,
                            MPI_Datatype type, const void *buffer);

/** Records a message that has arrived or will arrive without a receive for it. */
struct truth_op *truth_unexpected(struct truth_comm *comm, int source, int tag, long bytes);

/** Says that the operation came from MPI_Recv_init, MPI_Send_init or the like. */
void truth_persistent(struct truth_op *op);

/** Gives a receive another state, with the envelope of its message. Such receives are written after
 * the pending ones, and complete ones last.
 * @param status "matched" or "complete"
 */
void truth_receive_status(struct truth_op *op, const char *status, int source, int tag, long bytes);

/** Gives an operation another state, without any other change.
 * @param status "pending", "matched" or "complete"
 */
void truth_status(struct truth_op *op, const char *status);

/** Takes an operation out of the record: it was completed and collected. */
void truth_forget(struct truth_op *op);

/** Says that this process is inside a collective operation.
 * @param name as in `mqshow --json`: "barrier", "bcast", ...
 */
void truth_collective(struct truth_comm *comm, const char *name);

/** Says that nothing is known about collective operations: one is under way that shows no kind. */
void truth_collectives_unknown(struct truth_comm *comm);

/** A directive in the program that makes a parallel region or a task. */
struct truth_directive {
    const struct truth_directive *around; /**< the enclosing one of its kind; NULL: none */
    const char *function, *file;
    int line;
};

/** A directive that stands on the line after this one. */
#define TRUTH_DIRECTIVE(enclosing)                                                          \
    {                                                                                       \
        .around = (enclosing), .function = __func__, .file = __FILE__, .line = __LINE__ + 1 \
    }

/** Where a thread is: the directives of its innermost region and of its explicit task, if any, and
 * the name of the critical construct that it waits for, if it does; "" of one without a name.
 */
struct truth_place {
    const struct truth_directive *region, *task;
    const char *critical;
};

/** Records the calling OpenMP thread; any thread may call it. The directives stay the caller's.
 * @param state name of its OMPD state if the runtime keeps states, NULL if not known for certain
 */
void truth_openmp_thread(const struct truth_place *place, const char *state);

/** Writes the record to $MQS_TRUTH_DIR, complete or not at all; ends the job if it cannot. Without
 * that variable it does nothing.
 */
void truth_write(void);

#endif

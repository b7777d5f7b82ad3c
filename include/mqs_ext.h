// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What libmqs_ompd offers beyond MQD 1.0, in the same idiom.
 *
 * A debugger looks each function up with dlsym() and does without the ones that are absent. Records
 * carry a mask `known`: a member whose bit is not set has no meaning. All calls want a process that
 * mqs_setup_process() has seen; results are those of mqs.h.
 */
#ifndef MQS_EXT_H
#define MQS_EXT_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rank of the process in MPI_COMM_WORLD as MPI itself holds it, MQS_INVALID_PROCESS if not known.
 * (An extension that padb uses.)
 */
extern int mqs_get_global_rank(mqs_process *process);

/** Kinds of collective operation, numbered as padb does. */
typedef enum {
    mqs_comm_barrier,
    mqs_comm_bcast,
    mqs_comm_allgather,
    mqs_comm_allgatherv,
    mqs_comm_allreduce,
    mqs_comm_alltoall,
    mqs_comm_alltoallv,
    mqs_comm_reduce_scatter,
    mqs_comm_reduce,
    mqs_comm_gather,
    mqs_comm_gatherv,
    mqs_comm_scan,
    mqs_comm_scatter,
    mqs_comm_scatterv,
    mqs_comm_class_count
} mqs_comm_class;

/** State of one kind of collective on the current communicator. (An extension that padb uses.)
 * @param count  number of calls so far; left alone when the implementation does not count them, and
 *               then the result is still mqs_ok if `active` is known
 * @param active 1 while a call is in progress in this process, else 0
 * @return mqs_no_information when nothing is known about this kind
 */
extern int mqs_get_comm_coll_state(mqs_process *process, int comm_class, int *count, int *active);

/** Whom this process waits for in a collective in progress on the current communicator.
 * @param index from 0
 * @param peer  rank in the communicator's group, or in the remote group of an intercommunicator
 * @return mqs_end_of_list past the last; mqs_no_information when not all of them are known
 */
extern int mqs_get_comm_coll_peer(mqs_process *process, int comm_class, int index, int *peer);

/** Members of mqs_nonblocking_collective that are known. */
enum {
    MQS_NBC_REQUEST = 1 << 0,
    MQS_NBC_SEQUENCE = 1 << 1,
    MQS_NBC_PEERS = 1 << 2,
    MQS_NBC_PERSISTENT = 1 << 3,
    MQS_NBC_UNMATCHED = 1 << 4
};

enum { MQS_NBC_PEERS_MAX = 16 };

/** A nonblocking or persistent collective of the current communicator, MPI_Ibarrier for instance,
 * that this process has begun and that is not complete in it. Which one it is, no implementation
 * keeps. One with neither request nor sequence is what a blocking call consists of that makes a
 * communicator between a part of the members. */
typedef struct {
    uint32_t known;               /**< MQS_NBC_* */
    mqs_taddr_t request;          /**< address of the request object that the user has */
    int64_t sequence;             /**< the same number in all members, which rises from one such
                                     collective of the communicator to the next */
    int n_peers;                  /**< whom this process waits for in it now: all of them */
    int peers[MQS_NBC_PEERS_MAX]; /**< ranks, as of mqs_get_comm_coll_peer() */
    int persistent;               /**< 1: made by MPI_Barrier_init, ..., and started */
    int unmatched;                /**< 1: it waits for receives only, and for none of them a message
                                     has come */
} mqs_nonblocking_collective;

/** The nonblocking collectives of the current communicator.
 * @param index from 0
 * @return mqs_end_of_list past the last; mqs_no_information past the last that is known, when there
 * may be more
 */
extern int
mqs_get_comm_nonblocking(mqs_process *process, int index, mqs_nonblocking_collective *collective);

/** The sequence number that the next nonblocking collective of the current communicator will have
 * in this process: those with a lower one it has begun.
 * @return mqs_no_information when the implementation keeps no such number
 */
extern int mqs_get_comm_nonblocking_next(mqs_process *process, int64_t *sequence);

/** The MPI library of a process. Texts are NUL terminated, and cut when they are longer. */
typedef struct {
    char implementation[32]; /**< "Open MPI", "MPICH", ... */
    char version[32];        /**< as the library says it, "4.1.4"; "" when not known */
    char layout[64];    /**< where struct layouts come from: "debug information", or, confirmed by
                           values of the process, "built-in 4.1" */
    char transport[32]; /**< what does the matching: "pml ob1", "ch4:ucx"; "" when not known */
} mqs_mpi_info;

/** Describes the MPI library; after mqs_process_has_queues(). */
extern int mqs_get_mpi_info(mqs_process *process, mqs_mpi_info *info);

/** How the MPI library writes what users pass to it. */
typedef struct {
    int handle_size;  /**< bytes of an MPI_Request and an MPI_Comm */
    int distinct;     /**< 1: nothing else is likely to look like a handle of a request */
    int any_source;   /**< MPI_ANY_SOURCE in C */
    int any_tag;      /**< MPI_ANY_TAG in C */
    int hides_probes; /**< 1: a blocked MPI_Probe is in no queue */
    int hides_sends;  /**< 1: a blocked MPI_Send or MPI_Rsend is in no queue */
} mqs_conventions;

/** The conventions of the MPI library; after mqs_process_has_queues(). */
extern int mqs_get_conventions(mqs_process *process, mqs_conventions *conventions);

/** The handle by which the user names an object.
 * @param object address of a request or communicator, as the details of these have it
 */
extern int mqs_get_handle(mqs_process *process, mqs_taddr_t object, uint64_t *handle);

/** Whether a value may be a handle of a request.
 * @param waits set to 0 when no call waits for it: MPI_REQUEST_NULL, or a request of the library's
 * own that is complete; else to 1
 * @return mqs_no_information when it is none
 */
extern int mqs_check_request_handle(mqs_process *process, uint64_t handle, int *waits);

/** Members of mqs_communicator_details that are known. */
enum {
    MQS_COMM_INTER = 1 << 0,
    MQS_COMM_FREED = 1 << 1,
    MQS_COMM_REMOTE_SIZE = 1 << 2,
    MQS_COMM_ADDRESS = 1 << 3
};

/** More about a communicator. */
typedef struct {
    uint32_t known;      /**< MQS_COMM_* */
    int inter;           /**< 1: intercommunicator */
    int freed;           /**< 1: the user has freed it; operations are still pending on it */
    int64_t remote_size; /**< number of processes in the remote group of an intercommunicator */
    mqs_taddr_t address; /**< of the object; equals the MPI_Comm handle in Open MPI */
} mqs_communicator_details;

/** More about the current communicator. */
extern int mqs_get_communicator_details(mqs_process *process, mqs_communicator_details *details);

/** Like mqs_get_comm_group() for the remote group of the current intercommunicator.
 * @param ranks room for `remote_size` ints
 */
extern int mqs_get_comm_remote_group(mqs_process *process, int *ranks);

/** Ranks in MPI_COMM_WORLD from `first` to `last`, both inclusive. */
typedef struct {
    int first, last;
} mqs_rank_run;

/** The members of a group as runs in ascending order that do not touch each other; processes of
 * other jobs are a run from -1 to -1. `count` 0: they are not known.
 */
typedef struct {
    const mqs_rank_run *runs;
    int count;
} mqs_ranks;

/** Bytes of a label with its NUL. */
enum { MQS_LABEL = 160 };

/** A communicator that is to be labelled. */
typedef struct {
    const char *name;       /**< mqs_communicator.name; "" when it has none */
    int64_t id;             /**< mqs_communicator.unique_id */
    int job;                /**< the same number for all that count in the same MPI_COMM_WORLD */
    int inter;              /**< 1: intercommunicator */
    mqs_ranks ranks;        /**< members; of an intercommunicator, of the local group */
    mqs_ranks remote_ranks; /**< the other members of an intercommunicator */
    char label[MQS_LABEL];  /**< filled in */
} mqs_labelled_communicator;

/** Gives each communicator a label for people: "MPI_COMM_WORLD", "solver [1,3]" when it does not
 * have all processes of the job, "comm 7 [0,2]" without a name, and in the place of a name that the
 * MPI library has made up how it was made, "MPI_Comm_split of MPI_COMM_WORLD #4 [1,3]". Numbers are
 * ids, and what else would have the same label gets its id too. A communicator has the same label
 * in all of its processes, and different ones of a job differ, when the communicators of all
 * processes are labelled in one call. Long names and lists of ranks are cut.
 * @param comms all communicators of one process, or of several; MPI_COMM_WORLD among them
 * @param order room for `count` numbers
 */
extern int mqs_label_communicators(mqs_labelled_communicator *comms, uint32_t *order, int count);

/** How many messages this process has sent to a process of the current communicator, and how many
 * from it have come in and been matched or found unexpected, both in order and modulo 65536. What
 * one process has sent and the other one has not received is on its way.
 * @param index in the communicator's group, or in the remote group of an intercommunicator
 * @return mqs_no_information when the implementation does not count messages
 */
extern int mqs_get_comm_traffic(mqs_process *process, int index, int *sent, int *received);

/** A number that stays the same as long as the process neither begins nor ends to wait for a
 * message, and changes when it does: by it, what is pending at two times is known to be the same,
 * though MPI uses its requests again and again.
 * @return mqs_no_information when the implementation keeps no such number
 */
extern int mqs_get_mpi_progress(mqs_process *process, uint64_t *progress);

/** How far a process is with MPI. */
typedef enum {
    mqs_phase_unknown,
    mqs_phase_before_init, /**< it has not called MPI_Init */
    mqs_phase_in_init,
    mqs_phase_in_use,
    mqs_phase_in_finalize,
    mqs_phase_finalized,  /**< MPI_Finalize is over */
    mqs_phase_not_in_use, /**< one of before_init and finalized */
    mqs_phase_count
} mqs_mpi_phase;

/** How far the process is with MPI: an mqs_mpi_phase. */
extern int mqs_get_mpi_phase(mqs_process *process, int *phase);

/** Which threads of the process may call MPI, from the end of MPI_Init on.
 * @param level as MPI_Init_thread gave it: 0 for MPI_THREAD_SINGLE, 1 for MPI_THREAD_FUNNELED, 2
 * for MPI_THREAD_SERIALIZED, 3 for MPI_THREAD_MULTIPLE
 * @param main_thread pthread_t of the thread that initialized MPI, which alone may call it at the
 *              first two levels; 0 when it is not known
 * @return mqs_no_information when it is not known, or not yet
 */
extern int mqs_get_mpi_thread_level(mqs_process *process, int *level, mqs_taddr_t *main_thread);

/** What kind of call an operation stems from. */
typedef enum {
    mqs_kind_receive,
    mqs_kind_send,    /**< standard mode */
    mqs_kind_ssend,   /**< synchronous mode */
    mqs_kind_bsend,   /**< buffered mode */
    mqs_kind_rsend,   /**< ready mode */
    mqs_kind_probe,   /**< a blocked MPI_Probe or MPI_Mprobe */
    mqs_kind_message, /**< an unexpected message */
    mqs_kind_count
} mqs_operation_kind;

/** Members of mqs_operation_details, and of mqs_pending_operation, that are known. */
enum {
    MQS_OP_KIND = 1 << 0,
    MQS_OP_PERSISTENT = 1 << 1,
    MQS_OP_COUNT = 1 << 2,
    MQS_OP_DATATYPE = 1 << 3,
    MQS_OP_REQUEST = 1 << 4,
    MQS_OP_RENDEZVOUS = 1 << 5,
    MQS_OP_PEER = 1 << 6,    /**< desired_local_rank; -1 then means any source */
    MQS_OP_TAG = 1 << 7,     /**< tag_wild and desired_tag */
    MQS_OP_LENGTH = 1 << 8,  /**< desired_length */
    MQS_OP_BUFFER = 1 << 9,  /**< buffer and system_buffer */
    MQS_OP_ACTUAL = 1 << 10, /**< the four actual members */
    MQS_OP_FREED = 1 << 11,
    MQS_OP_BLOCKED = 1 << 12,
    MQS_OP_WORLD = 1 << 13, /**< the global ranks; -1 then is a process outside MPI_COMM_WORLD */
    MQS_OP_UNSEEN = 1 << 14
};

/** More about an operation. */
typedef struct {
    uint32_t known;      /**< MQS_OP_* */
    int kind;            /**< mqs_operation_kind */
    int persistent;      /**< 1: made by MPI_Send_init, MPI_Recv_init, ... */
    int64_t count;       /**< elements of the datatype that the user named */
    char datatype[64];   /**< its name, "MPI_INT"; "" when it has none */
    mqs_taddr_t request; /**< address of the request object; 0: it has none */
    int rendezvous;      /**< 1: only the envelope is here, the data waits at the sender */
    int freed;           /**< 1: the user has called MPI_Request_free on it */
    int blocked;         /**< 1: a thread waits for it in a blocking or completion call */
    int unseen; /**< 1: a message that has come, but MPI has not looked at it: the process does
                   something else */
} mqs_operation_details;

/** More about the operation that mqs_next_operation() gave last. */
extern int mqs_get_operation_details(mqs_process *process, mqs_operation_details *details);

/** One thing to tell the user about the queues of a process: what cannot be seen and why, what
 * broke on the way.
 * @param index from 0
 * @param text  set to a text that the library owns until the next call for this process; it is
 * plain text, not a format
 * @return mqs_end_of_list past the last
 */
extern int mqs_get_process_message(mqs_process *process, int index, const char **text);

/** A row of the struct layouts in use: one struct, or one field of it. */
typedef struct {
    const char *struct_name; /**< "ompi_request_t" */
    const char *field_name;  /**< NULL in the row of the struct itself */
    long offset;             /**< bytes from the start of the struct; -1 in the row of the struct */
    long size;               /**< bytes, of the struct or of the field */
    const char *origin;      /**< "debug information", "built-in 4.1" */
} mqs_layout_row;

/** Gives the rows of the layouts in use, index from 0; mqs_end_of_list past the last. */
extern int mqs_get_layout_row(mqs_process *process, int index, mqs_layout_row *row);

/** Where struct layouts may come from; both by default. */
enum { MQS_LAYOUT_DEBUG_INFORMATION = 1, MQS_LAYOUT_BUILT_IN = 2 };

/** Restricts where the layouts of an image may come from; after mqs_setup_image(), before
 * mqs_image_has_queues().
 * @param origins MQS_LAYOUT_* or'ed, not 0
 */
extern int mqs_set_layout_origins(mqs_image *image, int origins);

/** Puts one field of the built-in layouts of an image elsewhere; one that begins there changes
 * places with it. What values of a process refuse then, or do not, tells whether they confirm the
 * field's own place. After mqs_setup_image(), before mqs_image_has_queues().
 * @param struct_name, field_name of a row; both NULL: each field is in its own place again
 * @param offset bytes from the start of the struct, at least 0
 */
extern int mqs_set_layout_offset(mqs_image *image, const char *struct_name, const char *field_name,
                                 long offset);

#ifdef __cplusplus
}
#endif

#endif

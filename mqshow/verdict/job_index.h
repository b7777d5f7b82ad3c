// SPDX-License-Identifier: BSD-3-Clause
// All processes of a document as tables of plain data: processes, their threads, the communicators
// that they share, the pending operations.
#ifndef MQSHOW_VERDICT_JOB_INDEX_H
#define MQSHOW_VERDICT_JOB_INDEX_H

#include "mqshow/base/intern.h"
#include "mqshow/report/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NOBODY = -1,             // no such process, communicator, thread; a process that was not read
    ANY = -2,                // any source, any tag
    UNKNOWN = -3,            // a peer, a tag, a size that is not known
    TRAFFIC_MODULO = 1 << 16 // messages are counted modulo this
};

struct process_entry {
    const struct report *report;
    enum state_kind state;
    mqs_mpi_phase phase; // mqs_phase_unknown: in use, or not known
    bool finalizes;      // a thread of it is in MPI_Finalize
    int32_t rank;        // in MPI_COMM_WORLD; NOBODY: not known
    int32_t label;       // its name: its rank, or its index where ranks repeat; NOBODY: its core
    uint32_t world;
    uint32_t first_thread, n_threads;
    uint32_t first_op, n_ops;
    bool has_threads; // they are in the document
    bool settled;     // several samples saw the same
    bool moved;       // several samples saw something else
    uint32_t group;   // of ranks of equal situation
};

struct job_thread {
    const struct thread_record *record;
    const mqs_omp_thread *openmp; // its record there; NULL: none
    uint32_t process;
    int64_t tid;      // 0: not known
    const char *call; // outermost MPI call; NULL: none
};

/** A group of processes that communicate: a communicator, or one side of an intercommunicator. */
struct job_comm {
    const char *name;  // of its first member
    const char *label; // by labels_set(); NULL: none
    int64_t id, size;
    uint32_t world;
    const struct ranks *group, *remote_group; // NULL: not known
    int64_t remote_size;                      // -1: not known
    bool inter;
    bool freed;    // by all members that are known
    bool twice;    // two processes say that they are the same member
    int32_t peers; // communicator that peers count in: itself, or the other side; NOBODY: not known
    uint32_t first_member, n_members;
};

/** A process in a communicator. */
struct job_member {
    const struct communicator *record; // NULL: the process does not list it, others do
    uint32_t process, comm;
    int64_t local_rank; // -1: not known
    bool has_traffic;
};

enum job_queue { JOB_RECEIVES, JOB_UNEXPECTED, JOB_SENDS, JOB_QUEUES };

/** What was found out about an operation. */
enum job_fate {
    JOB_WAITS,    // nothing is there that would let it go on
    JOB_RUNNABLE, // its partner is there
    JOB_UNKNOWN,  // not known, for want of data
};

struct job_op {
    const struct operation *record;
    uint32_t process, member, comm;
    int32_t peer;    // in the peer communicator; ANY, UNKNOWN
    int32_t partner; // process; NOBODY: not read, or any
    int32_t tag;     // ANY, UNKNOWN
    int32_t match;   // operation that it matches, or the record of the same message; NOBODY
    uint32_t order;  // in its queue
    uint8_t queue, status, fate; // job_queue, mqs_st_pending, ..., job_fate
    bool probe : 1, synchronous : 1, buffered : 1;
    bool eager : 1;    // known not to be by rendezvous
    bool certain : 1;  // that it waits does not depend on messages on their way
    bool paired : 1;   // is reported with another record of the same message
    bool too_long : 1; // the message does not fit into the receive
    bool awaited : 1;  // a thread is known to wait for it
};

/** Numbers of items by a key: those with key k are items[first[k]] to items[first[k + 1]] without,
 * in the order of the items. */
struct by_key {
    uint32_t *first, *items;
};

/** A process by its rank in its world. */
struct job_place {
    uint32_t world;
    int32_t rank;
    uint32_t process;
};

/** A process by its pid, of whatever machine. */
struct job_pid {
    int32_t pid;
    uint32_t process;
};

struct job_index {
    const struct document *document;
    struct process_entry *processes;
    struct job_thread *threads;
    struct job_comm *comms;
    struct job_member *members; // by communicator and rank in it
    struct job_op *ops;         // by process
    size_t n_processes, n_threads, n_comms, n_members, n_ops;
    size_t threads_capacity, comms_capacity, members_capacity, ops_capacity;
    struct by_key of_process; // members
    struct job_place *places; // all processes by world and rank
    struct job_pid *by_pid;   // all processes by pid
    struct intern worlds, keys;
    bool is_plain; // no process uses MPI, or was started to
    bool by_index; // ranks repeat or are not known: labels are indices
    char **unseen; // what could not be seen, in words
    size_t n_unseen, unseen_capacity;
};

/** Makes the tables. The document must live as long. */
void job_index_init(struct job_index *job, const struct document *document);

/** Whether processes are named by their places, since ranks do not tell them apart. */
bool job_index_is_by_index(const struct document *document);

/** Puts sends, unexpected messages and receives together as MPI would match them: sets fate,
 * certain, match, paired and too_long of all operations. */
void match_all(struct job_index *job);

/** Makes those of the processes and communicators only. */
void job_index_init_comms(struct job_index *job, const struct document *document);

void job_index_deinit(struct job_index *job);

/** Adds what could not be seen, taking the text over; what was said already is left out. */
void job_index_unseen(struct job_index *job, char *words);

/** Finds the items of each key from 0, in linear time; those of other keys are left out.
 * @param offset of the key, a uint32_t, in an item of this size */
void by_key_init(struct by_key *by_key, const void *items, size_t size, size_t offset, size_t count,
                 size_t n_keys);
void by_key_deinit(struct by_key *by_key);

/** A process with a rank in its world, any of several; NULL: there is none. */
const struct job_place *job_index_place(const struct job_index *job, uint32_t world, int64_t rank);

/** The process with a pid on the machine of another one; NOBODY: it was not read. */
int32_t job_index_neighbour(const struct job_index *job, uint32_t process, int32_t pid);

/** Makes the communicators; a step of job_index_init(). */
void job_index_load_comms(struct job_index *job);

/** Length of the message or buffer of an operation; UNKNOWN. */
int64_t job_index_bytes(const struct job_op *op);

/** The queue of an operation, and its class in MQD. */
const struct operations *job_index_operations(const struct job_index *job, const struct job_op *op);
int job_index_class(unsigned queue);

/** The member of a communicator with this rank in it; NULL: it was not read.
 * @param comm may be NOBODY */
const struct job_member *
job_index_member(const struct job_index *job, int32_t comm, int64_t local_rank);

/** What a call begins or ends: mqs_phase_in_init, mqs_phase_in_finalize; mqs_phase_unknown:
 * neither.
 * @param call may be NULL */
mqs_mpi_phase job_index_phase_of(const char *call);

/** Whether a process does nothing by itself: it is stopped, dead, or has left MPI. */
bool job_index_is_halted(const struct process_entry *process);

/** Whether a process will take part in no communication, whatever the others do: it has left MPI,
 * or does nothing by itself. */
bool job_index_is_out(const struct process_entry *process);

/** Whether all of a queue of a communicator is known. */
bool job_index_knows_queue(const struct job_member *member, enum job_queue queue);

/** Whether a queue of all communicators of a process is known, of which there are some. */
bool job_index_has_queue(const struct process_entry *process, enum job_queue queue);

/** Number of processes of a communicator that were not read. */
int64_t job_index_not_seen(const struct job_comm *comm);

/** Its label; of a document without labels its name, or "(no name)". */
const char *job_index_comm_name(const struct job_comm *comm);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Jobs that are made up: documents as mqshow would print them.
#ifndef TESTS_VERDICT_MADE_JOB_H
#define TESTS_VERDICT_MADE_JOB_H

#include "mqshow/report/document.h"

#include <jansson.h>
#include <stdbool.h>

/** The document of a job of some ranks, each with MPI_COMM_WORLD (communicator 0) and a thread (0)
 * that computes. Every communicator has counted its messages, none so far. */
json_t *made_job(int ranks);

json_t *made_process(const json_t *job, int rank);

/** Adds a communicator to a process; `group` is taken over. @return its index there */
int made_comm(const json_t *job, int rank, const char *name, int id, int local_rank, json_t *group);

/** Makes it a side of an intercommunicator; `group` is taken over. */
void made_inter(const json_t *job, int rank, int comm, json_t *group);

json_t *made_communicator(const json_t *job, int rank, int comm);

/** Adds a pending operation. @param peer, tag -1: any. @return the operation, borrowed */
json_t *
made_op(const json_t *job, int rank, int comm, const char *queue, int peer, int tag, int bytes);

json_t *made_receive(const json_t *job, int rank, int peer, int tag);
json_t *made_send(const json_t *job, int rank, int peer, int tag);

/** A send too long to be sent ahead, and what the receiver has of it. */
json_t *made_rendezvous(const json_t *job, int rank, int peer, int tag);

/** Puts a thread into a call in which it waits for all or any operations, NULL ends them. */
void made_wait(const json_t *job, int rank, int thread, const char *call, const char *needs, ...);

/** Says what the call of a thread was given. @param comm of at most two. @param peer, tag -1: any
 */
void made_arguments(const json_t *job, int rank, int thread, int comm, int peer, int tag);

/** Puts a thread into a call of which nothing more is known. */
void made_call(const json_t *job, int rank, int thread, const char *call);

/** Puts a process into a collective. @param name "barrier"; its call is derived from it */
void made_collective(const json_t *job, int rank, int comm, const char *name);

/** Adds a nonblocking collective that a process has begun and that awaits one message alone, which
 * has not come. @return it, borrowed, as an operation */
json_t *made_nonblocking(const json_t *job, int rank, int comm, int sequence, int peer);

/** Adds a thread of OpenMP in a state, in region "r". @return its number */
int made_openmp(const json_t *job, int rank, const char *state, int team_size);

/** MPI was told a level of threads by the process's first thread, 0 to 3. To be called when all
 * threads are there. */
void made_level(const json_t *job, int rank, int level);

/** Adds a thread that sleeps in a call to the system. @param waits_for what ends it, a word of
 * the document @return its number */
int
made_sleeping(const json_t *job, int rank, const char *call, const char *waits_for, bool times_out);

/** Names what a thread of OpenMP, counted from 0, waits for. */
void made_awaited(const json_t *job, int rank, int thread, const char *name);

/** Counts messages on MPI_COMM_WORLD. */
void made_traffic(const json_t *job, int rank, int peer, int sent, int received);

/** Takes away what the MPI library does not count. */
void made_uncounted(const json_t *job);

/** The job as mqshow reads it and compares it with itself, to document_destroy(). */
struct document *made_document(const json_t *job);

/** What mqshow writes of it, to json_decref(). */
json_t *made_json(const struct document *document);

/** Gives the communicators labels. */
void made_labels(json_t *job);

/** Says that several looks saw the same in all processes. */
void made_settled(json_t *job);

#endif

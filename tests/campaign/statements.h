// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the statements of a script do.
 */
#ifndef MQS_TESTS_CAMPAIGN_STATEMENTS_H
#define MQS_TESTS_CAMPAIGN_STATEMENTS_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    THREADS = 4,
    RANKS = 8,
    COMMS = 16,
    SLOTS = 16,
    STATEMENTS = 200,
    ARGUMENTS = 20,
    WINDOWS = 8,
    FILES = 4
};

/** How far a thread has come, for the driver. Zero: it has not begun. */
struct progress {
    int32_t pid, tid;
    _Atomic int32_t position; /**< number of the statement, from 1, written before it begins */
    _Atomic int32_t rounds;   /**< of a statement that goes round */
};

struct statement {
    const struct operation *operation;
    int a[ARGUMENTS];
};

/** A thread and its script. */
struct actor {
    MPI_Request requests[SLOTS];
    MPI_Comm made;
    struct statement statements[STATEMENTS];
    int count;
    struct progress *progress;
};

struct operation {
    const char *name;
    void (*perform)(struct actor *, const int *);
};

/** By their numbers in the script; 0: MPI_COMM_WORLD. */
extern MPI_Comm statement_comms[COMMS];

/** Those that have been started, by their numbers. */
extern pthread_t statement_threads[THREADS];

/** Prepares what the statements that block in the system need.
 * @param lock a file that somebody else has locked
 * @return whether that worked
 */
bool statements_prepare(const char *lock);

/** Likewise for those that wait for a limited time, or for other threads: by the main thread.
 * @return whether that worked */
bool statements_prepare_waits(void);

/** @param kind "create", "allocate" or "shared"
 * @return whether there is room for it */
bool statement_add_window(int comm, const char *kind);
/** @param path what the names of files begin with
 * @return whether it could be opened */
bool statement_add_file(int comm, const char *path);

/** Memory of one call; in statements that are repeated, until the round is over. */
void *statement_buffer(int bytes);
int statement_size(int comm);

/** Those that are not in statements.c; the last one has no name. */
extern const struct operation comm_operations[], sided_operations[], wait_operations[],
    team_operations[];

/** Lets the threads of a team perform their parts.
 * @param perform is given the number of a thread
 * @return false: there is no OpenMP */
bool statements_perform_team(int size, void (*perform)(int));

/** NULL: there is none of this name. */
const struct operation *statement_find(const char *name);

#endif

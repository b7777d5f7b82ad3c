// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What a record consists of: shared by truth.c, which fills it, and truth_json.c, which writes it.
 */
#ifndef MQS_TESTS_LIVE_TRUTH_RECORD_H
#define MQS_TESTS_LIVE_TRUTH_RECORD_H

#include "truth.h"

#include <stdio.h>
#include <sys/queue.h>

/** Bytes of a name that a debugger gets to know; some MPI libraries allow more. */
enum { TRUTH_NAME_MAX = 63 };
_Static_assert(TRUTH_NAME_MAX < MPI_MAX_OBJECT_NAME, "longer names are cut");

/** The queues of a communicator, in the order in which they are written. */
enum truth_list { TRUTH_RECEIVES, TRUTH_UNEXPECTED, TRUTH_SENDS, TRUTH_LISTS };

/** Who, with which tag (or MPI_ANY_SOURCE, MPI_ANY_TAG), how much; bytes -1: not said. */
struct truth_envelope {
    int peer, tag;
    long bytes;
};

/** An operation. NULL and -1 mean: not said. */
struct truth_op {
    STAILQ_ENTRY(truth_op) next;
    struct truth_comm *comm;
    enum truth_list list;
    const char *kind, *status;
    struct truth_envelope asked, actual;
    bool has_actual, persistent;
    int count;
    char type_name[MPI_MAX_OBJECT_NAME];
    const void *buffer;
};

struct truth_collective {
    STAILQ_ENTRY(truth_collective) next;
    const char *name;
};

struct truth_comm {
    STAILQ_ENTRY(truth_comm) next;
    MPI_Comm handle;
    char name[MPI_MAX_OBJECT_NAME];
    int size, local_rank, inter;
    int *members; /**< world ranks of the (local) group */
    int *peers;   /**< world ranks of those whom a rank number means: the remote group, if any */
    bool collectives_unknown;
    STAILQ_HEAD(, truth_op) ops[TRUTH_LISTS];
    STAILQ_HEAD(, truth_collective) collectives;
};

struct truth_region {
    int level, team_size;
    const struct truth_directive *directive; /**< NULL: not known */
    struct truth_region *parent;
};

struct truth_thread {
    STAILQ_ENTRY(truth_thread) next;
    int tid, thread_num, team_size, level, active_level;
    struct truth_region *region;
    const struct truth_directive *task; /**< NULL: the thread executes its implicit task */
    const char *state;                  /**< NULL: the runtime keeps no states */
    char critical[64]; /**< what it waits for as `mqshow --json` names it; "": nothing, or the same
                        */
};

struct truth {
    int job, rank, hidden_comms;
    const char *openmp;                 /**< the runtime's name */
    bool keeps_states, keeps_functions; /**< which that runtime remembers */
    STAILQ_HEAD(, truth_comm) comms;
    STAILQ_HEAD(, truth_thread) threads;
};

extern struct truth truth;

/** Writes member "calls" with a comma before it. */
void truth_write_calls(FILE *file);

/** Says that the calling thread waits for another one of its process.
 * @param what as in `mqshow --json`, without the function
 */
void truth_add_inside(const char *needs, const char *what, const char *function);

/** Writes member "verdict" with a comma before it, if anything is said about the whole job. */
void truth_write_verdict(FILE *file);

#endif

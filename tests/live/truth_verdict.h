// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What mqshow must say about the whole job, as far as this process knows it: member "verdict" of
 * its record.
 *
 * Of every process the kind and the cycles are the same; waits, unmatched operations and
 * collectives are those of the process itself. Not thread safe: threads take turns.
 */
#ifndef MQS_TESTS_LIVE_TRUTH_VERDICT_H
#define MQS_TESTS_LIVE_TRUTH_VERDICT_H

#include "truth.h"

enum { TRUTH_RANKS_MAX = 64 };

/** Ranks in MPI_COMM_WORLD. */
struct truth_ranks {
    int count, ranks[TRUTH_RANKS_MAX];
};

#define TRUTH_RANKS(...)                                             \
    (struct truth_ranks)                                             \
    {                                                                \
        .count = (int) (sizeof((int[]){__VA_ARGS__}) / sizeof(int)), \
        {                                                            \
            __VA_ARGS__                                              \
        }                                                            \
    }

/** first, first + 1, ..., last. */
struct truth_ranks truth_range(int first, int last);

/** Says what the verdict is, and that there are no cycles but those of truth_cycle().
 * @param kind as in `mqshow --json`; "" when it may be anything but "deadlock"
 */
void truth_verdict(const char *kind);

/** A cycle of the verdict, from each rank to one that it waits for. */
void truth_cycle(const struct truth_ranks *ranks);

/** Says that the verdict has cycles, which are not told: there are several ways to walk. */
void truth_cycles_unknown(void);

/** Says that the calling thread will wait in that MPI call, where it can go on only when all of
 * some ranks act, or any of them. Right before the call, ahead of truth_write().
 * @param needs "all" or "any"
 */
void truth_wait(const char *call, const char *needs, const struct truth_ranks *others);

/** Says that the calling thread, of a program with OpenMP, will wait outside of MPI for another
 * thread of its process. Likewise right before.
 * @param critical name of the critical construct, "" for none; NULL: at a barrier of its team
 * @param function where, in the program
 */
void truth_wait_inside(const char *critical, const char *function);

/** Says that no operation fits one of this process.
 * @param queue "receives", "sends" or "unexpected"
 */
void truth_unmatched(struct truth_comm *comm, const char *queue, int tag);

/** Says that an operation with that tag, of another rank or of this one, fits the unmatched one
 * that was told last but for one thing.
 * @param why as in `mqshow --json`
 */
void truth_near_miss(int rank, const char *why, int tag);

/** Says that of the members of a communicator, in ranks of MPI_COMM_WORLD, some are in a collective
 * operation and the others are not.
 * @param name    as in `mqshow --json`: "barrier", ...
 * @param instead the collective operation that the missing are in; NULL: none
 */
void truth_incomplete(struct truth_comm *comm, const char *name, const struct truth_ranks *in,
                      const struct truth_ranks *missing, const char *instead);

#endif

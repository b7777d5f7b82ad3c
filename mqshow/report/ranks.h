// SPDX-License-Identifier: BSD-3-Clause
// The members of a group as runs of ranks that rise by one.
#ifndef MQSHOW_REPORT_RANKS_H
#define MQSHOW_REPORT_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

enum { RANKS_MAX = 1 << 24 }; // members of a group

/** Members `start` and following, and what they are in MPI_COMM_WORLD. */
struct rank_run {
    int32_t start, first, last; // -1 to -1: one process of another job
};

/** A group. Equal ones of one struct intern are the same bytes. */
struct ranks {
    const struct rank_run *runs;
    uint32_t n_runs;
    int64_t count; // members
};

/** Runs while they are made. */
struct rank_list {
    struct rank_run *runs;
    size_t n_runs, capacity;
    int64_t count;
};

/** Appends the ranks from `first` to `last`. @return false, and nothing has changed, when there
 * would be too many, or they are none */
bool ranks_append(struct rank_list *list, int64_t first, int64_t last);

/** Keeps what was appended, and empties the list. */
struct ranks ranks_keep(struct rank_list *list, struct intern *texts);

/** Rank in MPI_COMM_WORLD of the i-th member; -1: none, or a process of another job. */
int64_t ranks_get(const struct ranks *ranks, int64_t i);

/** Whether there are processes of other jobs among the members. */
bool ranks_have_others(const struct ranks *ranks);

#endif

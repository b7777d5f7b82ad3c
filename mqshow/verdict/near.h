// SPDX-License-Identifier: BSD-3-Clause
// Operations that never matched, and those that nearly match them.
#ifndef MQSHOW_VERDICT_NEAR_H
#define MQSHOW_VERDICT_NEAR_H

#include "mqshow/verdict/job_index.h"

enum { NEAR_MAX = 4 };

/** What is in the way, as JSON has it. */
extern const char NEAR_TAG[], NEAR_COMMUNICATOR[], NEAR_RANK[], NEAR_LENGTH[];

/** An operation that nearly matches another one, and what is in the way. */
struct near {
    uint32_t op;
    const char *why; // NEAR_TAG, ...
};

/** An unmatched operation by the processes that receive and send. */
struct near_place {
    uint32_t to, op;
    int32_t from; // NOBODY: any, or not known
};

/** Where near misses are searched for. */
struct near_search {
    const struct job_index *job;
    struct near_place *receives, *messages;
    size_t n_receives, n_messages;
};

void near_init(struct near_search *search, const struct job_index *job);
void near_deinit(struct near_search *search);

/** Whether an operation is to be reported as one that never matched. */
bool near_is_unmatched(const struct job_op *op);

/** How probable it is that a near miss is a mistake: 0 is the most probable one.
 * @return less than NEAR_RATES */
int near_rate(const struct near *near);

enum { NEAR_RATES = 4 };

/** Finds what nearly matches an unmatched operation. @return their number, at most NEAR_MAX */
size_t near_find(const struct near_search *search, uint32_t op, struct near *ret);

#endif

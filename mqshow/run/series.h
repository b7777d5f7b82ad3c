// SPDX-License-Identifier: BSD-3-Clause
// Several looks at the processes of a run, one after the other.
#ifndef MQSHOW_RUN_SERIES_H
#define MQSHOW_RUN_SERIES_H

#include "mqshow/report/changes.h"
#include "mqshow/run/show.h"
#include "mqshow/verdict/verdict.h"

#include <stdint.h>

struct series {
    struct show *show;
    struct document *document; // the last sample
    struct document *before;   // the one that it was compared with; NULL: none
    struct changes changes;    // between the two
    struct verdict *verdict;   // about the last sample; NULL: it was not judged
    char *text_before;         // of the verdict before that; NULL: none
    size_t count;              // looks
    bool follows;              // the last one was made by series_follow()
    int64_t first_us, last_us; // when the first one was over, and the last one began
    bool *moved;               // processes that were not the same in all looks
    size_t *unchanged;         // looks in a row that found a process as before
};

/** Looks for the first time. */
void series_init(struct series *series, struct show *show);

/** Looks again and says what changed since the look before. */
void series_follow(struct series *series);

/** Looks again several times, and says what differs from the first look. The document gets the
 * members "looks" and, for each process, "settled". The moments are random, so that a job that does
 * the same again and again is not met in the same place each time.
 * A process that had no processor meanwhile is not said to be settled.
 * @param looks that many, or those that begin within `limit` seconds, but a few at least; fewer
 * when nothing is left that has not moved
 * @param pause      seconds between them, on average
 * @param until_sure whether fewer will do where the MPI libraries count what they receive
 */
void
series_settle(struct series *series, size_t looks, double pause, double limit, bool until_sure);

/** Judges what was seen of MPI. When a look alone cannot
 * tell whether ranks that wait for each other do so for ever, takes several more.
 */
void series_judge(struct series *series);

/** Frees the verdict. */
void series_forget_verdict(struct series *series);

void series_deinit(struct series *series);

/** Sleeps. @return false if a signal ended that */
bool series_sleep(double seconds);

#endif

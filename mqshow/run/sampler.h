// SPDX-License-Identifier: BSD-3-Clause
// Several samples of the processes of a run, one after the other.
#ifndef MQSHOW_RUN_SAMPLER_H
#define MQSHOW_RUN_SAMPLER_H

#include "mqshow/report/changes.h"
#include "mqshow/run/run.h"
#include "mqshow/verdict/verdict.h"

#include <stdint.h>

struct sampler {
    struct run *run;
    struct document *document; // the last sample
    struct document *before;   // the one that it was compared with; NULL: none
    struct changes changes;    // between the two
    struct verdict *verdict;   // about the last sample; NULL: it was not judged
    char *text_before;         // of the verdict before that; NULL: none
    size_t count;              // samples
    bool follows;              // the last one was made by sampler_follow()
    int64_t first_us, last_us; // when the first one was over, and the last one began
    bool *moved;               // processes that were not the same in all samples
    size_t *unchanged;         // samples in a row that found a process as before
};

/** Takes a sample alone, with labels. @return to document_destroy() */
struct document *sampler_take(struct run *run);

/** Takes the first sample. */
void sampler_init(struct sampler *sampler, struct run *run);

/** Takes another sample and finds what changed since the one before. */
void sampler_follow(struct sampler *sampler);

/** Takes several more samples, and finds what differs from the first. The document gets the
 * members "looks" and, for each process, "settled". The moments are random, so that a job that does
 * the same again and again is not met in the same place each time.
 * A process that had no processor meanwhile is not reported as settled.
 * @param samples that many, or those that begin within `limit` seconds, but a few at least; fewer
 * when nothing is left that has not moved
 * @param pause      seconds between them, on average
 * @param until_sure whether fewer will do where the MPI libraries count what they receive
 */
void sampler_settle(struct sampler *sampler, size_t samples, double pause, double limit,
                    bool until_sure);

/** Judges what was seen of MPI. When one sample alone cannot
 * show whether ranks that wait for each other do so for ever, takes several more.
 */
void sampler_judge(struct sampler *sampler);

/** Frees the verdict. */
void sampler_forget_verdict(struct sampler *sampler);

void sampler_deinit(struct sampler *sampler);

/** Sleeps. @return false if a signal ended that */
bool sampler_sleep(double seconds);

#endif

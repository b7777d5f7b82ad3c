// SPDX-License-Identifier: BSD-3-Clause
// Whether threads had their chance to go on between two samples.
// and in which of several samples they were where they were at first.
//
// A thread that waits by asking again and again has not noticed a message that has arrived as long
// as it has no processor: that it did not move says nothing.
#ifndef MQSHOW_REPORT_PROGRESS_H
#define MQSHOW_REPORT_PROGRESS_H

#include "mqshow/report/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Each machine measures its own threads with each sample; clocks of different machines are never
// compared. The next sample begins after all machines have answered: what two samples in a row
// found to be the same was so, everywhere, at the moment between them.
struct thread_time {
    const char *host; // of the first sample's document
    int64_t pid, tid;
    uint64_t first_ns; // on a processor, in the first sample
    uint64_t ns;       // likewise in the last one
    uint64_t turns;    // on a processor, when progress_note() last counted
    unsigned runs;     // that it counted
    bool sleeps;       // in the last sample
    bool slept;        // in any after the first
    bool is_openmp;    // it waits for another thread of OpenMP
    unsigned unmoved;  // samples that saw it as at first
    bool moved;        // one did not
};

struct progress {
    struct thread_time *items;
    size_t count, capacity;
};

/** Measures how long the threads of a process of this machine have run that are in MPI calls or
 * wait for others of OpenMP, and whether they sleep. To be called after each sample. */
void progress_measure(struct report *report);

/** Forgets that: only another mqshow that asks for samples needs it. */
void progress_forget_measures(struct document *document);

/** Notes what was measured of the first sample, which is to last as long as the progress. */
void progress_init(struct progress *progress, const struct document *document);

/** Likewise of each sample that follows, at least 10 ms later. A thread that was not measured has
 * not run, as far as is known. */
void progress_note(struct progress *progress, const struct document *document);

/** Notes which threads of a later sample, compared with the first one, have moved.
 * @return whether that is known of all that wait for others of OpenMP and have not */
bool progress_note_moved(struct progress *progress, const struct document *document);

/** Whether a process has a thread that waits for others of OpenMP and has not moved. */
bool progress_has_unmoved(const struct progress *progress, const struct report *report);

/** Whether all threads of a process that wait for others of OpenMP have slept since: those that ask
 * again and again may come by the same place. */
bool progress_slept(const struct progress *progress, const struct report *report);

/** Sets of the last sample which threads have moved in any, and those that are settled: as at first
 * in `samples` of them, or in `few` if they slept. */
void progress_settle(const struct progress *progress, struct report *report, unsigned samples,
                     unsigned few);

/** Whether each thread of a process that is in an MPI call, or waits for others of OpenMP, has run
 * since, or sleeps, or was left out. A thread that has begun to wait since has not.
 */
bool progress_made(const struct progress *progress, const struct report *report);

void progress_deinit(struct progress *progress);

#endif

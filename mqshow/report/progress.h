// SPDX-License-Identifier: BSD-3-Clause
// Whether threads had their chance to go on between two samples.
//
// A thread that waits by asking again and again has not noticed a message that has arrived as long
// as it has no processor: that it did not move says nothing.
#ifndef MQSHOW_REPORT_PROGRESS_H
#define MQSHOW_REPORT_PROGRESS_H

#include "mqshow/report/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_time {
    int64_t pid, tid;
    uint64_t ns;    // on a processor, at first
    uint64_t turns; // on a processor, when progress_note() last counted
    unsigned runs;  // that it counted
};

struct progress {
    struct thread_time *items;
    size_t count, capacity;
};

/** Notes how long the threads of a document that are in MPI calls have run. Those on other machines
 * and of cores are left out.
 */
void progress_init(struct progress *progress, const struct document *document);

/** Notes which threads have run since the last time. To be called after each sample that follows,
 * at least 10 ms apart.
 */
void progress_note(struct progress *progress);

/** Whether each thread of a process that is in an MPI call has run since, or sleeps, or was left
 * out. A thread that has begun to wait for MPI since has not.
 */
bool progress_made(const struct progress *progress, const struct report *report);

void progress_deinit(struct progress *progress);

#endif

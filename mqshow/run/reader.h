// SPDX-License-Identifier: BSD-3-Clause
// The process of this program that reads, as the one that shows sees it.
//
// It chooses the library and reads symbols and types, which its workers (worker_pool.h) share, once
// for all samples. When it ends meanwhile, or takes too long, another one takes its place that
// leaves this to the workers: what one process of the job does to its reader costs that process
// only.
#ifndef MQSHOW_RUN_READER_H
#define MQSHOW_RUN_READER_H

#include "mqshow/run/run.h"

/** What it sends beside reports, which have the numbers of their processes: a packet's number. */
enum {
    READER_FAILED = -1,  // why there is no library
    READER_LIBRARY = -2, // the path of the library, a NUL, and the reason
    READER_READY = -3,   // symbols and types were read
    READER_SAMPLED = -4, // the counts of a sample that is over, as of worker_msg.h
};

/** Starts it, for run->reader.
 * @return false after it printed why there is no library
 */
bool reader_begin(struct run *run);

/** Fills the reports of the processes of this machine. One that cannot be read, or not in time, has
 * a report with the reason.
 */
void reader_sample(struct run *run);

/** Ends it, if it runs. */
void reader_end(struct run *run);

/** What it does: at each byte of `requests` reads all processes once more.
 * @param cold whether symbols and types are left to the workers
 */
_Noreturn void reader_work(struct run *run, bool cold, int requests, int replies);

#endif

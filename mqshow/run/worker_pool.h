// SPDX-License-Identifier: BSD-3-Clause
// Reading many processes at once.
//
// The workers are processes, not threads: a tracer is a thread, the library need not be safe for
// threads, and one that crashes or hangs on a damaged process costs the user that process only.
// They are copies of this program made after it has read the symbols and types, which they share.
// Each takes one process after the other, which is stopped only while its own memory is read, and
// sends its report; with --together, one takes all. When this program ends, so do its
// workers, and the kernel lets the processes go on.
#ifndef MQSHOW_RUN_WORKER_POOL_H
#define MQSHOW_RUN_WORKER_POOL_H

#include "mqshow/run/run.h"

/** Reads all processes of this machine. For each it sends a packet to run->reports_out, with its
 * number and a message as of worker_msg.h; of one that cannot be read, or not in time, this has
 * the reason.
 */
void worker_pool_sample(struct run *run);

/** Ends the workers, which wait for another sample. */
void worker_pool_end(struct run *run);

#endif

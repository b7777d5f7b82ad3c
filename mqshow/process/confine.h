// SPDX-License-Identifier: BSD-3-Clause
// Giving up what reading does not need.
//
// What reads a damaged or hostile process may be taken over by it. It then can do no more than
// read, as the same user: no network, no files written, no programs started, nothing changed in
// other processes. No more memory than
// is left beside the job. A call that is not allowed fails with EPERM.
#ifndef MQSHOW_PROCESS_CONFINE_H
#define MQSHOW_PROCESS_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/** Confines this process, for good, but that with DEBUGINFOD_URLS it may connect and write.
 * @param writes whether it may write files all the same
 * @param starts whether it may start copies of itself, and end them
 * @return false: this system or build cannot
 */
bool confine(bool writes, bool starts);

/** Limits the memory of each of so many processes like this one: together they may take half of
 * what the machine has left, but each at least 1 GiB. Its core, which would hold parts of the
 * process that it reads, is not written.
 */
void confine_memory(size_t count);

#endif

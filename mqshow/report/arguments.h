// SPDX-License-Identifier: BSD-3-Clause
// Whether the operations of a report agree with the arguments of the calls that wait for them.
#ifndef MQSHOW_REPORT_ARGUMENTS_H
#define MQSHOW_REPORT_ARGUMENTS_H

struct report;

/** Compares the request that was found for the call of a thread with what the program gave the
 * call. Where they contradict, the request is another one's, or all of its queue is read by the
 * layout of another release: a message says so, the thread is not known to wait for it, and peers
 * and tags of such queues of the process are not known. Nothing is compared of a thread that waits
 * for several requests, and of one in whose call a tool makes another one.
 */
void arguments_check(struct report *report);

#endif

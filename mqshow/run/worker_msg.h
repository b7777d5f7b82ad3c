// SPDX-License-Identifier: BSD-3-Clause
// What a worker sends of one process: its report, and what the run wants to know beside it.
//
// The first part is an outline as JSON, a document's but for the operations; behind it are the
// packed queues that are known in it, since as JSON they would be ten times as long. In a packet of
// a worker each part has its size (uint64_t) before it; what is passed on is a packet for each
// part, and an empty one, of a single NUL. A worker reads untrusted data: nothing of it is
// used that was not checked.
#ifndef MQSHOW_RUN_WORKER_MSG_H
#define MQSHOW_RUN_WORKER_MSG_H

#include "mqshow/mqd/host.h"
#include "mqshow/report/report.h"
#include "mqshow/mqd/stats.h"

/** Sends a report and counts as a packet with the number of the process.
 * @return false: the receiver has ended */
bool
worker_msg_send(int fd, uint64_t what, const struct report *report, const struct host_stats *stats);

/** Sends what is known without a worker, as it is passed on: an outline without communicators. */
void worker_msg_send_outline(int fd, uint64_t what, const struct report *report,
                             const struct host_stats *stats);

/** Passes such a packet on, as packet_send_or_exit() does.
 * @return false: it is invalid, nothing was sent */
bool worker_msg_pass_on(int fd, uint64_t what, const char *bytes, size_t size);

/** Text of counts alone, to free(). */
char *worker_msg_counts(const struct host_stats *stats);

/** Adds counts; a text that is none has none. */
void worker_msg_take_counts(const char *text, size_t size, struct host_stats *stats);

/** Takes a report in place of the one that is there, and adds the counts.
 * @param parts an array of texts of any bytes
 * @param pid   of the process that it must be of
 * @return false when it is no such message: nothing has changed then
 */
bool worker_msg_take(const struct json_t *parts, pid_t pid, struct report *report,
                     struct host_stats *stats);

#endif

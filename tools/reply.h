// SPDX-License-Identifier: BSD-3-Clause
// What a worker sends of one process: its report, and what the run wants to know beside it.
#ifndef TOOLS_REPLY_H
#define TOOLS_REPLY_H

#include "tools/host.h"
#include "tools/model.h"

/** Text of a report and of counts, to free(). */
char *reply_text(const struct report *report, const struct host_stats *stats);

/** Text of counts alone, to free(). */
char *reply_counts(const struct host_stats *stats);

/** Adds counts; a text that is none has none. */
void reply_take_counts(const char *text, size_t size, struct host_stats *stats);

/** Takes a report in place of the one that is there, and adds the counts.
 * @param shown whether more is needed than report->document and what decides the exit status
 * @return false when it is no such text: nothing has changed then
 */
bool reply_take(const char *text, size_t size, bool shown, struct report *report,
                struct host_stats *stats);

#endif

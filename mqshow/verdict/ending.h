// SPDX-License-Identifier: BSD-3-Clause
// How a thread ends its process, as far as its stack says.
#ifndef MQSHOW_VERDICT_ENDING_H
#define MQSHOW_VERDICT_ENDING_H

#include "mqshow/report/report.h"

/** "exit() from solve at s.c:9", "main has returned", "Python's interpreter ends after ValueError
 * from solve at job.py:12", for free(); NULL: it does not.
 * @param report   of its process
 * @param ret_from the frame of the program that ends it; NULL: not known
 */
char *ending_text(const struct report *report, const struct thread_record *thread,
                  const struct frame_record **ret_from);

/** The exception after which Python's interpreter ends, "ValueError from solve at job.py:12", for
 * free(); NULL: it does not, by none, or that is not known. */
char *ending_exception(const struct report *report, const struct thread_record *thread);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// How a thread ends its process, as far as its stack says.
#ifndef MQSHOW_VERDICT_ENDING_H
#define MQSHOW_VERDICT_ENDING_H

#include "mqshow/report/report.h"

/** "exit() from solve at s.c:9", "main has returned", "Python's interpreter ends", for free();
 * NULL: it does not.
 * @param ret_from the frame of the program that ends it; NULL: not known
 */
char *ending_text(const struct thread_record *thread, const struct frame_record **ret_from);

#endif

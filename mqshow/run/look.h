// SPDX-License-Identifier: BSD-3-Clause
// Looking at the processes of a run: prepare, stop, read, let go on.
//
// Prepared is what the process need not stand still for, its symbols and types.
#ifndef MQSHOW_RUN_LOOK_H
#define MQSHOW_RUN_LOOK_H

#include "mqshow/run/show.h"

/** What the starter calls this machine when the job has others too, to free(); NULL: it has none.
 */
char *look_host(const struct show *show);

/** Begins the report of the i-th process with what is known without a look at it. */
void look_begin_report(struct show *show, size_t i);

/** The user that the i-th process or core is of; -1: not known. */
long look_user(const struct show *show, size_t i);

/** Makes the report of the i-th process, which cannot be read. @param why is taken over */
void look_give_up(struct show *show, size_t i, char *why);

/** Opens the files of the i-th process, unless that is done, and begins its report. */
void look_open(struct show *show, size_t i);

/** Looks at the i-th process, which is stopped only while its own memory is read. */
void look_alone(struct show *show, size_t i);

/** Looks at all of them, which are stopped together: what one says about another is true of the
 * same moment.
 */
void look_together(struct show *show);

/** Has the library look at the files of the i-th process if it was opened, which reads the symbols
 * and types that others like it will need too.
 */
void look_warm(struct show *show, size_t i);

/** Frees what was opened for the i-th process; its report stays. */
void look_close(struct show *show, size_t i);

#endif

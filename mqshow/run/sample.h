// SPDX-License-Identifier: BSD-3-Clause
// Reading the processes of a run: prepare, stop, read, let go on.
//
// Prepared is what the process need not be stopped for, its symbols and types.
#ifndef MQSHOW_RUN_SAMPLE_H
#define MQSHOW_RUN_SAMPLE_H

#include "mqshow/run/run.h"

/** What the starter calls this machine when the job has others too, to free(); NULL: it has none.
 */
char *run_host(const struct run *run);

/** Begins the report of the i-th process with what is known without reading it. */
void sample_begin_report(struct run *run, size_t i);

/** The user that the i-th process or core is of; -1: not known. */
long run_user(const struct run *run, size_t i);

/** Makes the report of the i-th process, which cannot be read. @param why is taken over */
void sample_give_up(struct run *run, size_t i, char *why);

/** Opens the files of the i-th process, unless that is done, and begins its report. */
void sample_open(struct run *run, size_t i);

/** Reads the i-th process, which is stopped only while its own memory is copied; while that is read
 * too when what is read cannot be foreseen. */
void sample_one(struct run *run, size_t i);

/** Reads all of them, which are stopped together: their data is of the same moment.
 */
void sample_together(struct run *run);

/** Has the library read the files of the i-th process if it was opened, which reads the symbols
 * and types that others like it will need too.
 */
void sample_warm(struct run *run, size_t i);

/** Frees what belongs to a sample of the i-th process, and keeps its files and what was found out
 * about them for the next one, for which it is sampled as if nothing was open; its report stays.
 * What cannot be kept is closed. */
void sample_keep(struct run *run, size_t i);

/** Frees what was opened for the i-th process; its report stays, and its footprint. */
void sample_close(struct run *run, size_t i);

// Parts of it.

/** Notes what is being done, for whoever has to give it up. */
void sample_enter(const struct run *run, const char *phase);

/** Has the library read the files of the i-th process. */
void sample_prepare(struct run *run, size_t i);

/** Begins the report of the i-th process anew, after it was prepared and read in vain. */
void sample_prepare_again(struct run *run, size_t i);

/** Prepares again what has loaded files since. */
void sample_open_again(struct run *run, size_t i);

/** Whether there is nothing to stop: a core, or what a debugger holds. */
bool sample_is_still(const struct run_debuggee *debuggee);

/** Finds out what the process need not wait for: what its stacks and addresses mean, and who
 * started it. */
void sample_conclude(struct run *run, size_t i);

#endif

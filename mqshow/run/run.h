// SPDX-License-Identifier: BSD-3-Clause
// A run over all processes: prepare, stop, read, let go on.
#ifndef MQSHOW_RUN_RUN_H
#define MQSHOW_RUN_RUN_H

#include "mqshow/process/child.h"
#include "mqshow/mqd/dll_select.h"
#include "mqshow/process/copy.h"
#include "mqshow/process/footprint.h"
#include "mqshow/mqd/query.h"
#include "mqshow/job/job.h"
#include "mqshow/process/stop.h"
#include "mqshow/report/document.h"
#include "mqshow/stack/threads.h"

struct worker_pool;

/** What is needed of a process while it is read. */
struct run_debuggee {
    bool opened;
    bool kept; // from the sample before, see sample_keep()
    struct mqs_process_ process;
    struct query query;
    struct stop stop;
    int64_t stopped_at; // microseconds on the monotonic clock
    int64_t stopped_us; // in this sample, in all
    bool stopped;
    struct footprint footprint; // of the sample before, or of a look while it ran
    struct copy copy;           // once it was stopped
    struct threads threads;     // while its stacks are resolved
    bool was_read;
    bool usable;
};

struct run {
    const struct options *options;
    struct objfiles files;
    struct job job;
    long user; // whose processes a job may have; -1: of no user
    struct dll dll;
    struct dll_select selected;
    struct run_debuggee *debuggees; // one for each of the job
    struct document *document;      // of the sample that is being taken, with a report for each;
                                    // before, of the files that are shown in place of processes
    bool was_sampled;               // at least once
    size_t count;
    size_t n_here;               // those that run on this machine
    bool is_quiet;               // why there are no processes is not printed
    bool holds_stubs;            // debuggers are connected: signals that end this program wait
    struct child reader;         // that fills the reports
    bool reader_is_cold;         // it leaves symbols and types to its workers
    int reports_out;             // in the reader: where the reports go
    struct worker_pool *pool;    // likewise, between samples; NULL: none
    const char *volatile *phase; // where a worker notes what it is doing; NULL: nowhere
    struct devices *devices;     // that were asked about, see devices.h; NULL: none
};

/** Prints a problem whose text may have parts from a process, and frees it. */
void diag_escaped(char *problem);

/** The id of the job or step of Slurm that is asked for, also by a number alone, to free(); NULL:
 * none.
 * @param ret_problem set to why that cannot be decided, to free(); NULL: it can
 */
char *run_slurm_id(const struct options *options, char **ret_problem);

/** Finds the processes alone, which run_deinit() frees. @return false: there are none */
bool run_find(struct run *run, const struct options *options, bool is_quiet);

/** Finds the processes and opens the library.
 * @return false after it printed why that cannot be
 */
bool run_init(struct run *run, const struct options *options);

/** The same of a job that is known, which is taken over. @param user whose processes it may have */
bool run_init_job(struct run *run, const struct options *options, struct job *job, long user);

/** Takes a sample of the processes as they are now; of saved files, once, what they have. @return
 * to document_destroy() */
struct document *run_sample(struct run *run);

/** Frees everything. */
void run_deinit(struct run *run);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Querying other machines for their part of a job: each runs this program, through a launcher.
#ifndef MQSHOW_REMOTE_REMOTE_H
#define MQSHOW_REMOTE_REMOTE_H

#include "mqshow/remote/host_output.h"
#include "mqshow/job/job.h"
#include "mqshow/remote/launcher.h"
#include "mqshow/report/report.h"
#include "mqshow/base/options.h"

/** Where a process of another machine is in the job. */
struct process_place {
    int node;
    int64_t pid;
    size_t index;
};

struct remote {
    const struct options *options;
    struct job *job;
    long user;                 // whose processes the job may have; -1: of no user
    struct document *document; // with a report for each of the job's processes
    struct launcher launcher;
    struct subprocess *subprocesses; // in the order in which they are begun
    struct arguments *commands;      // of each
    size_t n_subprocesses, subprocesses_capacity;
    size_t begun;                 // subprocesses
    struct host_output *outputs;  // by the numbers of nodes
    struct process_place *places; // by node and pid
    size_t n_places;
    bool *has_answered; // by process of the job: its report is there
    // What is to be done with a document that is not complete while answers are late; NULL: nothing
    void (*partial)(struct document *document, size_t answered, size_t asked);
    uint64_t memory; // bytes left for them
    char *complaint; // of a launcher, about no node in particular; escaped
    int64_t deadline;
    void (*take)(struct remote *remote, size_t node, const json_t *document);
    void *context; // of take()
    bool jobs;     // documents list jobs, not processes
};

/** Asks machines whose processes are not known: which ones MPICH's proxies or Slurm run there for
 * the job, which are added; or which jobs there are, which take() gets.
 * @param remote options, job and user are set; for jobs these and take(); a user -1 is of all
 * @return false, having printed why, when no machine can be asked
 */
bool remote_list(struct remote *remote);

/** Begins to ask the other machines about their processes. Until remote_finish() has ended the
 * launchers, signals do not end this program.
 * @param remote the document is set, too
 * @return false, having printed why
 */
bool remote_begin(struct remote *remote);

/** Waits for the outputs and fills the reports of these processes. A machine that fails is named,
 * also in the reports of its processes.
 */
void remote_finish(struct remote *remote);

// Parts of it.

/** Adds subprocesses for all nodes, as few as the launcher and the length of a command line allow.
 * @param with_pids whether their processes are known
 */
void remote_add_subprocesses(struct remote *remote, bool with_pids);

/** Seconds that a machine has for its output. */
int remote_patience(const struct options *options);

/** Starts as many subprocesses as may run at a time. */
void remote_start(struct remote *remote);

/** Runs what was begun until all is over, or the time, or this program is to end. */
void remote_run(struct remote *remote);

/** Frees everything. If a signal came meanwhile, it ends this program now. */
void remote_deinit(struct remote *remote);

#endif

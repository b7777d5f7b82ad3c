// SPDX-License-Identifier: BSD-3-Clause
// What the user asks for on the command line.
#ifndef MQSHOW_BASE_OPTIONS_H
#define MQSHOW_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** What alone is shown of the processes. */
enum part {
    PART_ALL,
    PART_COMMS,
    PART_QUEUES,
    PART_GROUPS,
    PART_WAITS,
    PART_THREADS,
    PART_REGIONS,
    PART_TASKS,
    PART_ICVS
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct json_t;

struct rank_range {
    int first, last; // both included
};

struct options {
    pid_t *pids;
    size_t n_pids, pids_capacity;
    pid_t job;    // 0: none
    bool core;    // the arguments name cores, not processes
    char **cores; // the command line's
    size_t n_cores;
    const char **stubs; // the command line's addresses of debuggers that hold processes
    size_t n_stubs, stubs_capacity;
    const char *exe; // the program that they are of; NULL: the one that each names
    const char *dll, *record, *comm, *html;
    bool json, stats, print_layout;
    bool all; // show what is left out because it is usual, and do not fold
    bool stacks;
    bool icvs, control_vars;
    int layout_origins;  // MQS_LAYOUT_*; 0: as the library likes
    size_t limit;        // operations of one queue that are listed
    double stuck, watch; // seconds between samples; 0: one sample
    size_t count;        // samples with `watch`; 0: until interrupted
    enum color color;
    enum part only;
    size_t parallel; // processes that are read at once; 0: as many as there are processors
    const char *launcher, *remote_mqshow; // NULL: chosen, as this one
    const char *job_pids, *as, *hydra;    // what this program is asked on another machine
    long job_user;                        // whose processes these are; -1: this program's user
    size_t hosts_max;                     // machines that a starter may have us ask
    bool list;                            // the processes are listed, not read
    int host_timeout;                     // seconds
    bool together;                        // all are stopped before the first is read
    int timeout, process_timeout;         // seconds, for all and for each process; 0: no limit
    struct rank_range *ranks;
    size_t n_ranks, ranks_capacity;
};

/** Reads the command line. Ends the program for --help and --version, and with EXIT_USAGE when it
 * makes no sense.
 */
void options_init(struct options *options, int argc, char **argv);

/** Frees what options_init() made. */
void options_deinit(struct options *options);

/** Whether a process of this rank was asked for. */
bool options_want_rank(const struct options *options, int rank);

/** Whether a communicator of a document was asked for, by its label, its name or its id. */
bool
options_want_comm(const struct options *options, const char *label, const char *name, int64_t id);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What the user asks for on the command line.
#ifndef MQSHOW_BASE_OPTIONS_H
#define MQSHOW_BASE_OPTIONS_H

#include "mqshow/base/named_file.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
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
    PART_ICVS,
    PART_HANDLES
};

/** A handle of which the user asks what it is. */
struct asked_handle {
    const char *kind; // as the library names it
    uint64_t value;
    bool fortran; // it is an INTEGER
};

/** What distinguishes frames in the tree of stacks. */
enum tree_detail { TREE_NONE, TREE_FUNCTIONS, TREE_LINES };

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct rank_range {
    int first, last; // both included
};

struct options {
    pid_t *pids;
    size_t n_pids, pids_capacity;
    pid_t job;         // 0: none
    const char *slurm; // id of a job or step of Slurm; NULL: none
    const char *flux;  // id of a job of Flux; NULL: none
    const char *pals;  // of an application of PALS; NULL: none
    const char *hosts; // list of machines on which the job is searched; NULL: none
    bool core;         // the arguments name cores, not processes
    char **cores;      // the command line's
    size_t n_cores;
    const char **stubs; // the command line's addresses of debuggers that hold processes
    size_t n_stubs, stubs_capacity;
    struct named_places files; // of the processes of cores and debuggers
    const char **saved;        // the command line's files of --save or --json
    size_t n_saved, saved_capacity;
    const char *dll, *record, *comm, *html, *save;
    const char *dot;       // a graph: of the tree where that is asked for, else of the waits
    const char *csv;       // of "mqshow merge"
    enum tree_detail tree; // TREE_NONE: no tree
    bool json, stats, print_layout;
    bool all; // show what is left out because it is usual, and do not fold
    bool stacks;
    bool handles;               // all of each process
    struct asked_handle *asked; // handles that are asked for
    size_t n_asked, asked_capacity;
    bool icvs, control_vars;           // are shown
    bool read_icvs, read_control_vars; // also to be saved
    int layout_origins;                // MQS_LAYOUT_*; 0: as the library likes
    size_t limit;                      // operations of one queue that are listed
    double stuck, watch;               // seconds between samples; 0: one sample
    bool wait;                         // until nothing has moved for `wait_for` seconds
    double wait_for;                   // 0: not given
    double every;                      // seconds between samples then, at least; 0: not given
    double cost;                       // percent of the time that a process may be stopped then
    size_t count;                      // samples with `watch`; 0: until interrupted
    enum color color;
    enum part only;
    size_t parallel; // processes that are read at once; 0: as many as there are processors
    const char *launcher, *remote_mqshow;           // NULL: chosen, as this one
    const char *job_pids, *as, *hydra, *slurm_pids; // what this program is asked on another machine
    long job_user;                // whose processes these are; -1: this program's user
    size_t hosts_max;             // machines that a starter may have us ask
    bool list;                    // the processes are listed, not read
    bool jobs;                    // nothing was asked for: the jobs here are listed
    int host_timeout;             // seconds
    bool together;                // all are stopped before the first is read
    int timeout, process_timeout; // seconds, for all and for each process; 0: no limit
    struct rank_range *ranks;
    size_t n_ranks, ranks_capacity;
};

/** An option, and what it sets. */
struct option_row {
    const char *name;
    int has_arg;                                            // as in struct option
    char letter;                                            // '\0': none
    void (*set)(struct options *options, const char *text); // NULL: sets a member
    size_t member, size;                                    // a flag, a text, or a number
    long low, high;                                         // of a number
    const char *what; // "invalid rank": what is reported of another text; NULL: a text
};

#define OPTION(name, has_arg, letter, set_)        \
    {                                              \
        (name), (has_arg), (letter), .set = (set_) \
    }
#define FLAG(name, letter, member_)                                                \
    {                                                                              \
        (name), no_argument, (letter), .member = offsetof(struct options, member_) \
    }
#define TEXT(name, letter, member_)                                                      \
    {                                                                                    \
        (name), required_argument, (letter), .member = offsetof(struct options, member_) \
    }
#define NUMBER(name, letter, member_, low, high, what)                                \
    {                                                                                 \
        (name), required_argument, (letter), NULL, offsetof(struct options, member_), \
            sizeof(((struct options *) 0)->member_), (low), (high), (what)            \
    }

struct command {
    const char *program; // "mqshow", "mqshow merge"
    const char *usage;
    const struct option_row *rows;
    size_t count;
};

/** Reads the options of a command. Ends the program for --help and --version, and with EXIT_USAGE
 * when they are invalid. Sets optind. */
void options_read(struct options *options, const struct command *command, int argc, char **argv);

/** Ends the program with EXIT_USAGE and a hint at --help. */
_Noreturn void options_exit(void);

/** The row of --color. */
void options_set_color(struct options *options, const char *text);

/** The row of --tree. @param text NULL: none */
void options_set_tree(struct options *options, const char *text);

/** Whether what is written there has colors. */
bool options_want_color(const struct options *options, FILE *out);

/** Reads the whole command line of mqshow, likewise. */
void options_init(struct options *options, int argc, char **argv);

/** Whether what was asked for is of one job, not of those that there are. */
bool options_need_job(const struct options *options);

/** Frees what options_init() made. */
void options_deinit(struct options *options);

/** Whether a process of this rank was asked for. */
bool options_want_rank(const struct options *options, int rank);

/** Whether a communicator of a document was asked for, by its label, its name or its id. */
bool
options_want_comm(const struct options *options, const char *label, const char *name, int64_t id);

#endif

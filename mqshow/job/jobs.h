// SPDX-License-Identifier: BSD-3-Clause
// The jobs that run on this machine, by /proc alone: nothing is stopped or read.
#ifndef MQSHOW_JOB_JOBS_H
#define MQSHOW_JOB_JOBS_H

#include "mqshow/job/job.h"

/** A job, or a program of MPI or OpenMP that no starter runs. */
struct job_outline {
    pid_t starter;    // that --job takes; 0: there is none on this machine
    char *started_by; // its name, or of what is above the ranks, with the job's id; NULL: nothing
    char *command;    // of a rank: its arguments, escaped
    char *program;    // path, escaped; NULL: not known
    long user;
    struct job ranks; // the processes here
    int size;         // ranks on all machines; -1: not known
    long threads;     // of a program of OpenMP without MPI; 0: it is none
    int64_t since;    // seconds since 1970; 0: not known
    size_t n_stopped, n_ended;
    char *key;        // distinguishes it from the others of this machine
    char *id;         // from all others, on all machines; NULL: not known
    int starter_node; // of those of the ranks, like the nodes of these
};

struct jobs {
    struct job_outline *items;
    size_t count, capacity;
};

/** Finds those of a user. @param user -1: of all users */
void jobs_find(struct jobs *jobs, long user);

/** The oldest first. */
void jobs_sort(struct jobs *jobs);

void jobs_deinit(struct jobs *jobs);

#endif

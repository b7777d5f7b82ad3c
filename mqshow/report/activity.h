// SPDX-License-Identifier: BSD-3-Clause
// Whether processes that look the same in two samples have done something meanwhile, as /proc
// counts it without stopping them.
//
// A thread in an MPI call, or one that waits for others of OpenMP or for a device, may ask again
// and again: that it runs says nothing. All others of the program's own compute, read, write or
// sleep for a while, or wait for a program that they have started: a process that has one of these
// goes on by itself, however long it is in the same place.
#ifndef MQSHOW_REPORT_ACTIVITY_H
#define MQSHOW_REPORT_ACTIVITY_H

#include "mqshow/report/document.h"

struct thread_work {
    int64_t pid, tid;
    uint64_t ns, turns; // on a processor
    bool alone;         // no thread of its process waits in MPI or for others of OpenMP
};

struct process_work {
    int64_t pid;
    uint64_t bytes; // that it has read and written
    bool alone;
    uint64_t below_ns; // if it is alone: what the processes below it have run for
};

struct activity {
    int64_t since_us;
    int64_t elsewhere; // a process of another machine that may do something; 0: none
    struct thread_work *threads;
    size_t n_threads, threads_capacity;
    struct process_work *processes;
    size_t n_processes, processes_capacity;
};

/** Notes the threads of a sample's processes that do not wait for others, and what they have done
 * so far. Of one of another machine that is not known: it is taken to do something. To be called
 * when the sample is taken, and as long as the same is seen after each further one, which makes the
 * threads run a little.
 * @param here the name of this machine in reports; NULL: they have none */
void activity_note(struct activity *activity, const struct document *document, const char *here);

/** The process that has done something since; 0: none. */
int64_t activity_find(const struct activity *activity);

void activity_deinit(struct activity *activity);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom, one by one: what is written of the waits and what is drawn of them.
#ifndef MQSHOW_VERDICT_WAIT_LIST_H
#define MQSHOW_VERDICT_WAIT_LIST_H

#include "mqshow/verdict/verdict.h"

struct wait {
    uint32_t process;
    int32_t thread;          // NOBODY: not known which
    bool any;                // one of the targets is enough
    const uint32_t *targets; // processes, as far as they are known
    size_t n_targets;
    const struct job_op *op;               // NULL: none
    const struct collective *collective;   // NULL: none
    const struct nonblocking *nonblocking; // NULL: none
    bool unsure;                           // which communicator the collective is on is not known
    bool inside;                           // for another thread of the process
    bool outside;                          // in the system, for other processes
    const uint32_t *threads;               // which ones, as far as they are known
    size_t n_threads;
};

typedef void (*wait_list_ft)(void *context, const struct wait *wait);

/** Calls a function for each: messages, collectives, MPI_Init, then threads of the same process,
 * then what is waited for in the system. */
void wait_list_each(const struct verdict *verdict, wait_list_ft take, void *context);

#endif

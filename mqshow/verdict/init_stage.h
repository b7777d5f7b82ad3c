// SPDX-License-Identifier: BSD-3-Clause
// How far a thread in MPI_Init has come, as far as its stack says.
#ifndef MQSHOW_VERDICT_INIT_STAGE_H
#define MQSHOW_VERDICT_INIT_STAGE_H

#include "mqshow/verdict/job_index.h"

/** Where all processes meet in MPI_Init; those at a later stage have met at the earlier ones. */
enum init_stage {
    INIT_STAGE_UNKNOWN,
    INIT_STAGE_STARTER,  // in a function that asks the starter: init_stage_function()
    INIT_STAGE_EXCHANGE, // of addresses, before there is an MPI_COMM_WORLD
    INIT_STAGE_END       // the barrier at its end
};

enum init_stage init_stage_of(const struct job_index *job, const struct job_thread *thread);

/** The function of a starter's library that a thread in MPI_Init is in, the outermost one;
 * NULL: in none that is known. */
const char *init_stage_function(const struct job_thread *thread);

/** "its exchange of addresses", or the function; NULL: nothing is known. */
const char *init_stage_text(const struct job_index *job, const struct job_thread *thread);

#endif

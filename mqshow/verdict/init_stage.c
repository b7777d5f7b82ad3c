// SPDX-License-Identifier: BSD-3-Clause
// How far a thread in MPI_Init has come, as far as its stack says.
#include "mqshow/verdict/init_stage.h"

#include <string.h>

/** Functions in which processes meet, or wait for what starts them: of libraries of starters, and
 * of MPICH, where its library has symbols. */
static const char *const functions[] = {
    "PMIx_Init", "PMIx_Fence",     "PMIx_Connect",     "PMI_Init",       "PMI_Barrier",
    "PMI2_Init", "PMI2_KVS_Fence", "MPIR_pmi_barrier", "MPIR_pmi_bcast", "MPIR_pmi_allgather",
};

/** Open MPI waits for both of its fences in one function itself, by these. */
static const char fences[] = "ompi_mpi_init";
static const char *const loops[] = {"usleep", "nanosleep", "__nanosleep", "opal_progress"};

static const struct frame_record *
frame_of(const struct job_thread *thread, size_t i)
{
    return &thread->record->stack.items[i];
}

static bool
is_one_of(const char *function, const char *const *names, size_t count)
{
    for (size_t i = 0; function && i < count; i++)
        if (strcmp(function, names[i]) == 0)
            return true;
    return false;
}

const char *
init_stage_function(const struct job_thread *thread)
{
    const char *ret = NULL;
    for (size_t i = 0; i < thread->record->stack.count; i++)
        if (is_one_of(frame_of(thread, i)->function, functions,
                      sizeof functions / sizeof *functions))
            ret = frame_of(thread, i)->function;
    return ret;
}

static bool
is_in_fence(const struct job_thread *thread)
{
    const char *called = NULL;
    for (size_t i = 0; i < thread->record->stack.count; i++) {
        const char *function = frame_of(thread, i)->function;
        if (function && strcmp(function, fences) == 0)
            return is_one_of(called, loops, sizeof loops / sizeof *loops);
        called = function;
    }
    return false;
}

enum init_stage
init_stage_of(const struct job_index *job, const struct job_thread *thread)
{
    if (job_index_phase_of(thread->call) != mqs_phase_in_init)
        return INIT_STAGE_UNKNOWN;
    if (init_stage_function(thread))
        return INIT_STAGE_STARTER;
    if (!is_in_fence(thread))
        return INIT_STAGE_UNKNOWN;
    const struct report *report = job->processes[thread->process].report;
    if (!HAS(&report->mpi, MPI_PHASE)) // its library was not read
        return INIT_STAGE_UNKNOWN;
    return report->comms.count > 0 ? INIT_STAGE_END : INIT_STAGE_EXCHANGE;
}

const char *
init_stage_text(const struct job_index *job, const struct job_thread *thread)
{
    static const char *const texts[] = {
        [INIT_STAGE_EXCHANGE] = "exchange of addresses", [INIT_STAGE_END] = "barrier at its end"};
    enum init_stage stage = init_stage_of(job, thread);
    return stage == INIT_STAGE_STARTER ? init_stage_function(thread) : texts[stage];
}

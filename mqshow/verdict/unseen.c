// SPDX-License-Identifier: BSD-3-Clause
// What could not be seen, and weakens the verdict.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/verdict.h"

#include <stdlib.h>
#include <string.h>

/** Says which members of a communicator were not looked at. */
static void
tell_members(struct verdict *verdict, uint32_t number)
{
    enum { RANKS_TOLD = 1000, RUNS_TOLD = 8 };
    struct jobview *view = &verdict->view;
    const struct jv_comm *comm = &view->comms[number];
    int64_t left = jobview_not_seen(view, number);
    int32_t ranks[RANKS_TOLD];
    size_t count = 0;
    if (left == 0 || comm->name == NULL || strcmp(comm->name, "MPI_COMM_WORLD") != 0)
        return;
    for (int64_t i = 0; i < comm->size && count < RANKS_TOLD; i++)
        if (jobview_member(view, number, i) == NULL)
            ranks[count++] = (int32_t) i;
    struct strbuf words = {.text = NULL};
    verdict->is_partial = true;
    strbuf_add(&words, "%lld of the %lld ranks of MPI_COMM_WORLD: ", (long long) left,
               (long long) comm->size);
    strbuf_add_ranges(&words, ranks, count, RUNS_TOLD);
    jobview_unseen(view, strbuf_take(&words));
}

/** Says of which processes something is not known, and frees their list. */
static void
tell_lacking(struct verdict *verdict, const char *what, uint32_t *lacking, size_t count)
{
    if (count > 0) {
        struct strbuf words = {.text = NULL};
        strbuf_add(&words, "%s ", what);
        verdict_add_ranks(verdict, &words, lacking, count);
        jobview_unseen(&verdict->view, strbuf_take(&words));
    }
    free(lacking);
}

/** Tells of the processes for which a property does not hold, where that matters: what moves goes
 * on all the same. */
static void
tell_processes(struct verdict *verdict, const char *what, bool (*holds)(const struct jv_process *))
{
    const struct jobview *view = &verdict->view;
    uint32_t *lacking = alloc_zeroed(view->n_processes, sizeof *lacking);
    size_t count = 0;
    for (uint32_t i = 0; i < view->n_processes; i++)
        if (!holds(&view->processes[i]) && !jobview_is_halted(&view->processes[i]) &&
            !view->processes[i].moved && view->processes[i].phase == mqs_phase_unknown)
            lacking[count++] = i;
    tell_lacking(verdict, what, lacking, count);
}

static bool
has_threads(const struct jv_process *process)
{
    return process->has_threads;
}

static bool
knows_rank(const struct jv_process *process)
{
    return process->rank != NOBODY;
}

/** Whether its MPI library is known; it has none yet, perhaps. */
static bool
knows_library(const struct jv_process *process)
{
    return HAS(process->report, PROCESS_MPI) || process->report->comms.count > 0;
}

static bool
has_some_queue(const struct jv_process *process)
{
    return jobview_has_queue(process, JV_RECEIVES) || jobview_has_queue(process, JV_UNEXPECTED) ||
           jobview_has_queue(process, JV_SENDS);
}

// What lacks the library or all queues is told as that.

static bool
knows_some_queue(const struct jv_process *process)
{
    return has_some_queue(process) || !knows_library(process);
}

static bool
knows_receives(const struct jv_process *process)
{
    return jobview_has_queue(process, JV_RECEIVES) || !has_some_queue(process);
}

static bool
knows_messages(const struct jv_process *process)
{
    return jobview_has_queue(process, JV_UNEXPECTED) || !has_some_queue(process);
}

static bool
knows_sends(const struct jv_process *process)
{
    return jobview_has_queue(process, JV_SENDS) || !has_some_queue(process);
}

/** Tells of the processes with a thread for which something is not known, where that matters. */
static void
tell_threads(struct verdict *verdict, const char *what,
             bool (*lacks)(const struct verdict *verdict, uint32_t thread))
{
    const struct jobview *view = &verdict->view;
    uint32_t *lacking = alloc_zeroed(view->n_processes, sizeof *lacking);
    size_t count = 0;
    for (uint32_t i = 0; i < view->n_threads && verdict->n_not_by_doubt > 0; i++) {
        uint32_t process = view->threads[i].process;
        if (lacks(verdict, i) && (count == 0 || lacking[count - 1] != process))
            lacking[count++] = process;
    }
    tell_lacking(verdict, what, lacking, count);
}

/** Whether a thread may go on by something that is in no queue. */
static bool
lacks_others(const struct verdict *verdict, uint32_t thread)
{
    return verdict->view.threads[thread].record->awaits.others_too &&
           waits_thread(&verdict->waits, thread)->any;
}

static bool
lacks_requests(const struct verdict *verdict, uint32_t thread)
{
    const struct node *node = waits_thread(&verdict->waits, thread);
    return node->any && node->perhaps_all && node->count > 1;
}

static bool
lacks_call(const struct verdict *verdict, uint32_t thread)
{
    return waits_thread(&verdict->waits, thread)->state == NODE_DOUBTS;
}

/** The call that all threads are in of which it is not known what they wait for; NULL: there are
 * several, or it has no name. */
static const char *
common_call(const struct verdict *verdict)
{
    const char *call = NULL;
    for (uint32_t i = 0; i < verdict->view.n_threads; i++) {
        const struct jv_thread *thread = &verdict->view.threads[i];
        if (!lacks_call(verdict, i))
            continue;
        if (thread->call == NULL || (call != NULL && strcmp(call, thread->call) != 0))
            return NULL;
        call = thread->call;
    }
    return call;
}

void
verdict_tell_unseen(struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->view.n_comms; i++)
        tell_members(verdict, i);
    tell_processes(verdict, "what the threads do in", has_threads);
    tell_processes(verdict, "the rank of", knows_rank);
    tell_processes(verdict, "the MPI library of", knows_library);
    tell_processes(verdict, "the queues of", knows_some_queue);
    tell_processes(verdict, "the receives of", knows_receives);
    tell_processes(verdict, "the unexpected messages of", knows_messages);
    tell_processes(verdict, "the sends of", knows_sends);
    tell_threads(verdict, "which of the pending operations are waited for in", lacks_requests);
    tell_threads(verdict, "which other operations may end the wait in", lacks_others);
    const char *call = common_call(verdict);
    char *what = call != NULL ? alloc_format("what %s waits for in", call)
                              : alloc_text("what is waited for in");
    tell_threads(verdict, what, lacks_call);
    free(what);
    if (verdict->n_not_by_doubt > 0) {
        size_t n_locked;
        uint32_t *locked = verdict_locked(verdict, &n_locked);
        tell_lacking(verdict, "who ends the wait for another thread in", locked, n_locked);
    }
}

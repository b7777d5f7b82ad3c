// SPDX-License-Identifier: BSD-3-Clause
// What most probably made a knot, and the line about it.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/near.h"
#include "mqshow/verdict/thread_cause.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_SHOWN = 8, OPS_TRIED = 1000 };

static void
find_threads(struct knot_cause *cause)
{
    const struct knot *knot = cause->knot;
    const struct job_index *job = &cause->verdict->job;
    cause->thread_of = alloc_zeroed(job->n_processes, sizeof *cause->thread_of);
    for (size_t i = 0; i < job->n_processes; i++)
        cause->thread_of[i] = NOBODY;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &cause->verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what == WHAT_THREAD)
            cause->thread_of[job->threads[node->number].process] = (int32_t) node->number;
    }
}

int32_t
knot_cause_thread(const struct knot_cause *cause, uint32_t process)
{
    int32_t thread = cause->thread_of[process];
    return thread != NOBODY ? thread : verdict_main_thread(cause->verdict, process);
}

const char *
knot_cause_call(const struct knot_cause *cause, uint32_t process)
{
    int32_t thread = knot_cause_thread(cause, process);
    const struct job_thread *of = thread != NOBODY ? &cause->verdict->job.threads[thread] : NULL;
    const char *call = of ? of->call : NULL;
    if (of && !call && cause->verdict->waits.activities[thread].doing == DOING_OUTSIDE)
        call = thread_system_call(of).name;
    return call ? call : "";
}

const struct entry *
knot_cause_entry(const struct knot_cause *cause, uint32_t process)
{
    int32_t thread = knot_cause_thread(cause, process);
    return thread != NOBODY ? cause->verdict->waits.activities[thread].entry : NULL;
}

void
knot_cause_blame(struct knot_cause *cause, const char *what, const uint32_t *processes,
                 size_t count)
{
    free(cause->culprits);
    cause->what = what;
    cause->n_culprits = count;
    cause->culprits = alloc_zeroed(count, sizeof *processes);
    if (count > 0)
        memcpy(cause->culprits, processes, count * sizeof *processes);
}

/** Whether its receiver has no unexpected messages of its sender there but those of its tag, as a
 * loop that sends them makes several. */
static bool
is_alone(const struct job_index *job, const struct job_op *message)
{
    const struct process_entry *process = &job->processes[message->process];
    for (uint32_t i = process->first_op; i < process->first_op + process->n_ops; i++)
        if (job->ops[i].queue == JOB_UNEXPECTED && job->ops[i].comm == message->comm &&
            job->ops[i].peer == message->peer && job->ops[i].tag != message->tag)
            return false;
    return true;
}

/** Whether a near miss is convincing: both sides wait, or the message is of the only tag. Others
 * are sent ahead and are received later, as they should. */
static bool
is_convincing(const struct verdict *verdict, const struct near *near)
{
    const struct job_op *op = &verdict->job.ops[near->op];
    return near->why != NEAR_LENGTH &&
           (op->queue == JOB_UNEXPECTED ? is_alone(&verdict->job, op)
                                        : op->record->blocked || op->awaited);
}

/** The near miss that most probably is a mistake. @return false: there is none */
static bool
find_mismatch(const struct knot_cause *cause, uint32_t *ret_op, struct near *ret)
{
    const struct waits *waits = &cause->verdict->waits;
    int best = -1;
    for (size_t i = 0; i < waits->n_awaited && i < OPS_TRIED && best != 0; i++) {
        const struct awaited *awaited = &waits->awaited[i];
        struct near near[NEAR_MAX];
        const struct job_op *op = waits_op(waits, awaited);
        if (!op || !knot_has(cause->knot, awaited->process) || !near_is_unmatched(op))
            continue;
        size_t count = near_find(&cause->verdict->near, awaited->op, near);
        for (size_t k = 0; k < count; k++) {
            int rated = near_rate(&near[k]);
            if (!is_convincing(cause->verdict, &near[k]) || (best >= 0 && rated >= best))
                continue;
            best = rated;
            *ret_op = awaited->op;
            *ret = near[k];
        }
    }
    return best >= 0;
}

/** "rank 1 sends tag 99 to rank 3, which receives tag 0"
 * @param with_names of communicators */
static void
add_mismatch(const struct knot_cause *cause, struct strbuf *words, const struct job_op *receive,
             const struct job_op *message, const char *why, bool with_names)
{
    const struct job_index *job = &cause->verdict->job;
    const char *noun = verdict_noun(cause->verdict);
    bool pending = message->queue == JOB_SENDS;
    int32_t sender = pending ? (int32_t) message->process : message->partner;
    if (sender == NOBODY)
        strbuf_add(words, "a message with ");
    else
        strbuf_add(words, "%s %d %s ", noun, job->processes[sender].label,
                   pending ? "sends" : "sent");
    verdict_add_tag(words, message);
    strbuf_add(words, " to %s %d", noun, job->processes[receive->process].label);
    if (why == NEAR_COMMUNICATOR && with_names)
        strbuf_add(words, " on %s", job_index_comm_name(&job->comms[message->comm]));
    strbuf_add(words, ", which receives ");
    if (why == NEAR_COMMUNICATOR)
        strbuf_add(words, "on %s",
                   with_names ? job_index_comm_name(&job->comms[receive->comm])
                              : "another communicator");
    else if (why == NEAR_RANK)
        verdict_add_peer(cause->verdict, words, receive);
    else
        verdict_add_tag(words, receive);
}

/** A send and a receive that do not match. @return false: there are none */
static bool
explain_mismatch(struct knot_cause *cause)
{
    struct near near = {0};
    uint32_t number = 0;
    if (!find_mismatch(cause, &number, &near))
        return false;
    const struct job_op *op = &cause->verdict->job.ops[number];
    const struct job_op *other = &cause->verdict->job.ops[near.op];
    const struct job_op *receive = op->queue == JOB_RECEIVES ? op : other;
    const struct job_op *message = op == receive ? other : op;
    add_mismatch(cause, &cause->full, receive, message, near.why, true);
    add_mismatch(cause, &cause->brief, receive, message, near.why, false);
    cause->what = "message";
    cause->culprits = alloc_zeroed(2, sizeof *cause->culprits);
    cause->culprits[cause->n_culprits++] = op->process;
    int32_t partner = other->process != op->process ? (int32_t) other->process : other->partner;
    if (partner != NOBODY && (uint32_t) partner != op->process)
        cause->culprits[cause->n_culprits++] = (uint32_t) partner;
    return true;
}

void
knot_cause_add_cycle(const struct knot_cause *cause, struct strbuf *words)
{
    const struct process_entry *all = cause->verdict->job.processes;
    for (size_t i = 0; i < cause->knot->n_ring && i < CYCLE_SHOWN; i++)
        strbuf_add(words, "%d -> ", all[cause->knot->ring[i]].label);
    if (cause->knot->n_ring > CYCLE_SHOWN)
        strbuf_add(words, "... (%zu in all) -> ", cause->knot->n_ring);
    strbuf_add(words, "%d", all[cause->knot->ring[0]].label);
}

/** The calls of the cycle, each once: "MPI_Send, MPI_Recv". */
static void
add_calls(const struct knot_cause *cause, struct strbuf *words)
{
    const char *calls[CYCLE_SHOWN] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < cause->knot->n_ring; i++) {
        const char *call = knot_cause_call(cause, cause->knot->ring[i]);
        bool known = !*call;
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(calls[k], call) == 0;
        if (!known && count < CYCLE_SHOWN)
            calls[count++] = call;
    }
    if (count == 1)
        strbuf_add(words, " in %s", calls[0]);
    for (size_t k = 0; k < count && count > 1; k++)
        strbuf_add(words, "%s%s", k == 0 ? ": " : ", ", calls[k]);
}

static bool
waits_for_own_message(const struct knot_cause *cause, uint32_t process)
{
    const struct waits *waits = &cause->verdict->waits;
    for (size_t i = waits_of_process(waits, process);
         i < waits->n_awaited && waits->awaited[i].process == process; i++) {
        const struct job_op *op = waits_op(waits, &waits->awaited[i]);
        if (op && op->partner == (int32_t) process)
            return true;
    }
    return false;
}

static void
explain_cycle(struct knot_cause *cause)
{
    struct strbuf *both[] = {&cause->full, &cause->brief};
    knot_cause_blame(cause, "cycle", cause->knot->ring, cause->knot->n_ring);
    for (int i = 0; i < 2; i++) {
        const char *noun = verdict_noun(cause->verdict);
        if (cause->knot->n_ring == 1) {
            strbuf_add(both[i], "%s %d waits ", noun,
                       cause->verdict->job.processes[cause->knot->ring[0]].label);
            strbuf_add(both[i], waits_for_own_message(cause, cause->knot->ring[0])
                                    ? "for itself"
                                    : "for itself: its threads wait for each other");
        } else if (cause->knot->n_ring > 1) {
            strbuf_add(both[i], "%s%s ", noun, cause->verdict->job.by_index ? "es" : "s");
            knot_cause_add_cycle(cause, both[i]);
            strbuf_add(both[i], " wait for each other");
        }
    }
    add_calls(cause, &cause->full);
}

/** Threads of one process that wait for each other. @return false: it is another knot */
static bool
explain_threads(struct knot_cause *cause)
{
    if (!thread_knot_explain(cause->verdict, cause->knot, &cause->full, &cause->brief))
        return false;
    knot_cause_blame(cause, "threads", cause->knot->processes, 1);
    return true;
}

/** Whether the others of the knot's collective are missing in MPI_Finalize. */
static bool
is_left(const struct knot_cause *cause)
{
    const struct collective *item = knot_cause_main_collective(cause);
    return item && strcmp(item->name, "finalize") == 0;
}

void
knot_cause_init(struct knot_cause *cause, const struct verdict *verdict, const struct knot *knot,
                const char *kind, const char *brief_kind)
{
    *cause = (struct knot_cause){.verdict = verdict, .knot = knot};
    strbuf_add(&cause->full, "%s: ", kind);
    strbuf_add(&cause->brief, "%s: ", brief_kind);
    find_threads(cause);
    // A message that nearly matches explains why its sender could leave.
    if (!explain_threads(cause) && !(is_left(cause) && explain_mismatch(cause)) &&
        !knot_cause_collective(cause) && !knot_cause_nonblocking(cause) && !explain_mismatch(cause))
        explain_cycle(cause);
}

void
knot_cause_deinit(struct knot_cause *cause)
{
    free(cause->thread_of);
    free(cause->culprits);
    free(cause->full.text);
    free(cause->brief.text);
}

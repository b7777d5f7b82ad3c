// SPDX-License-Identifier: BSD-3-Clause
// Whether the operations of a report agree with the arguments of the calls that wait for them.
//
// Both are read by means that have nothing in common: the arguments by the program's code and its
// stack, the operations by the layout of the MPI library's structs. Only what both know for certain
// is compared: of an operation that is pending, as some libraries put what has matched in the place
// of what was asked for.
#include "mqshow/report/arguments.h"

#include "mqshow/base/alloc.h"
#include "mqshow/report/report.h"

#include <stdlib.h>
#include <string.h>

/** "tag 42", "any tag"; for free(). */
static char *
value_text(const char *name, int32_t value)
{
    return value == REPORT_ANY ? alloc_format("any %s", name) : alloc_format("%s %d", name, value);
}

/** A member that both have and that differs. @return whether there is one; the texts are for
 * free() */
static bool
differ(const struct arguments_record *given, const struct operation *op,
       const struct communicator *comm, char **ret_given, char **ret_found)
{
    const struct {
        const char *name;
        bool are_known;
        int32_t given, found;
    } members[] = {
        {"peer", HAS(given, ARGUMENTS_PEER) && HAS(op, OP_PEER), given->peer, op->peer},
        {"tag", HAS(given, ARGUMENTS_TAG) && HAS(op, OP_TAG), given->tag, op->tag},
    };
    bool any_known = false;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        any_known |= members[i].are_known;
        if (!members[i].are_known || members[i].given == members[i].found)
            continue;
        *ret_given = value_text(members[i].name, members[i].given);
        *ret_found = value_text(members[i].name, members[i].found);
        return true;
    }
    if (!any_known || !HAS(given, ARGUMENTS_COMMUNICATOR) || !HAS(comm, COMM_ADDRESS) ||
        given->communicator == comm->address)
        return false;
    *ret_given = alloc_text("another communicator");
    *ret_found = alloc_text(communicator_label(comm));
    return true;
}

/** Whether more than one function of MPI for C is on the stack: a tool's, which may make another
 * call, or other arguments, of the program's. */
static bool
is_intercepted(const struct thread_record *thread)
{
    size_t count = 0;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const char *function = thread->stack.items[i].function;
        const char *public = function && *function == 'P' ? function + 1 : function;
        count += public && (strncmp(public, "MPI_", 4) == 0 || strncmp(public, "MPIX_", 5) == 0);
    }
    return count > 1;
}

static void
forget_envelopes(struct report *report, int op_class)
{
    for (size_t i = 0; i < report->comms.count; i++) {
        struct communicator *comm = &report->comms.items[i];
        struct operations *queue = communicator_queue(comm, op_class);
        for (size_t k = 0; k < queue->count; k++)
            queue->items[k].has &= ~(1u << OP_PEER | 1u << OP_WORLD_PEER | 1u << OP_TAG);
        if (communicator_has_queue(comm, op_class))
            communicator_set_queue(comm, op_class, true, true);
    }
}

static void
check_thread(struct report *report, struct thread_record *thread)
{
    const struct awaits_record *awaits = &thread->awaits;
    const struct communicator *comm;
    char *given, *found;
    int op_class;
    if (!HAS(thread, THREAD_ARGUMENTS) || awaits->requests.count != 1 || awaits->others_too)
        return;
    const struct operation *op =
        report_operation(report, awaits->requests.items[0], &comm, &op_class);
    if (!op || !HAS(op, OP_STATUS) || op->status != mqs_st_pending || is_intercepted(thread) ||
        !differ(&thread->arguments, op, comm, &given, &found))
        return;
    report_problem(report,
                   alloc_format("%s of thread %d was given %s, the request that was found for it "
                                "has %s: it is another call's, or the layout of MPI's structs does "
                                "not fit this release; peers and tags of %s are not known",
                                thread->call ? thread->call : "the call", (int) thread->tid, given,
                                found, queue_name(op_class)));
    free(given);
    free(found);
    forget_envelopes(report, op_class);
    record_forget(&thread_record_type.fields[THREAD_AWAITS], thread);
}

void
arguments_check(struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++)
        check_thread(report, &report->threads.items[i]);
}

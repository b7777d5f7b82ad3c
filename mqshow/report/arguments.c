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

#include <inttypes.h>
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
differ_in_envelope(const struct arguments_record *given, const struct operation *op,
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

/** Length and buffer that contradict those that a call was given: the length is a
 * multiple of the count. @return whether they do; the texts are for free() */
static bool
differ_in_data(const struct arguments_record *given, const struct operation *op,
               const struct communicator *comm, char **ret_given, char **ret_found)
{
    (void) comm;
    bool has_count = HAS(given, ARGUMENTS_COUNT) && given->count >= 0;
    bool has_buffer = HAS(given, ARGUMENTS_BUFFER) && has_count && given->count > 0;
    if (has_buffer && HAS(op, OP_BUFFER) && !op->system_buffer && given->buffer != op->buffer) {
        *ret_given = alloc_format("buffer %#" PRIx64, given->buffer);
        *ret_found = alloc_format("%#" PRIx64, op->buffer);
        return true;
    }
    if (has_count && HAS(op, OP_COUNT) && given->count != op->count) {
        *ret_given = alloc_format("%" PRId64 " elements", given->count);
        *ret_found = alloc_format("%" PRId64, op->count);
        return true;
    }
    if (!has_count || !HAS(op, OP_BYTES) ||
        (given->count > 0 ? op->bytes % given->count == 0 : op->bytes == 0))
        return false;
    *ret_given = alloc_format("%" PRId64 " elements", given->count);
    *ret_found = alloc_format("%" PRId64 " bytes", op->bytes);
    return true;
}

/** What was given and found of an operation, and what is not known where they contradict. */
static const struct contradiction {
    bool (*differ)(const struct arguments_record *given, const struct operation *op,
                   const struct communicator *comm, char **ret_given, char **ret_found);
    const char *what;
    uint32_t members;
    bool whole; // what follows from the operation is not known either
} contradictions[] = {
    {differ_in_envelope, "peers and tags", 1u << OP_PEER | 1u << OP_WORLD_PEER | 1u << OP_TAG,
     true},
    {differ_in_data, "buffers and lengths",
     1u << OP_BUFFER | 1u << OP_COUNT | 1u << OP_BYTES | 1u << OP_DATATYPE, false},
};

static void
forget(struct report *report, int op_class, const struct contradiction *of)
{
    for (size_t i = 0; i < report->comms.count; i++) {
        struct communicator *comm = &report->comms.items[i];
        struct operations *queue = communicator_queue(comm, op_class);
        for (size_t k = 0; k < queue->count; k++)
            queue->items[k].has &= ~of->members;
        if (of->whole && communicator_has_queue(comm, op_class))
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
    if (!op || !HAS(op, OP_STATUS) || op->status != mqs_st_pending || is_intercepted(thread))
        return;
    for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++) {
        const struct contradiction *of = &contradictions[i];
        if (!of->differ(&thread->arguments, op, comm, &given, &found))
            continue;
        report_problem(report,
                       alloc_format("%s of thread %d was given %s, the request that was found for "
                                    "it has %s: it is another call's, or the layout of MPI's "
                                    "structs does not fit this release; %s of %s are not known",
                                    thread->call ? thread->call : "the call", (int) thread->tid,
                                    given, found, of->what, queue_name(op_class)));
        free(given);
        free(found);
        forget(report, op_class, of);
        if (of->whole)
            record_forget(&thread_record_type.fields[THREAD_AWAITS], thread);
        return;
    }
}

void
arguments_check(struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++)
        check_thread(report, &report->threads.items[i]);
}

// SPDX-License-Identifier: BSD-3-Clause
// Prints a communicator: itself, its groups, its queues, its collectives.
#include "tests/script/debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_LIMIT = 1 << 24, UNWRITTEN = 0x5a5a5a5a };

static const char *const collectives[mqs_comm_class_count] = {
    "barrier",        "bcast",  "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",
    "reduce_scatter", "reduce", "gather",    "gatherv",    "scan",      "scatter",  "scatterv"};

static void
show_group(struct debugger *debugger, const char *what, int64_t size,
           int (*get)(mqs_process *, int *))
{
    if (!get || size < 0 || size > GROUP_LIMIT)
        return;

    int *ranks = need_array(NULL, (size_t) size + 1, sizeof(*ranks));
    for (int64_t i = 0; i <= size; i++)
        ranks[i] = UNWRITTEN;
    int result = get(&debugger->fake->process, ranks);
    fprintf(debugger->out, "  %s ", what);
    if (result != mqs_ok)
        debugger_result(debugger, result);
    for (int64_t i = 0; i < size && result == mqs_ok; i++) {
        if (ranks[i] == UNWRITTEN)
            host_violation("%s member %" PRId64 " is not set", what, i);
        fprintf(debugger->out, i ? " %d" : "%d", ranks[i]);
    }
    if (ranks[size] != UNWRITTEN)
        host_violation("%s is longer than it was said to be", what);
    fputc('\n', debugger->out);
    free(ranks);
}

static void
show_details(struct debugger *debugger, mqs_communicator_details *details)
{
    char label[256];
    uint32_t known = details->known;

    if (known & MQS_COMM_INTER)
        fprintf(debugger->out, " inter=%d", details->inter);
    if (known & MQS_COMM_REMOTE_SIZE)
        fprintf(debugger->out, " remote=%" PRId64, details->remote_size);
    if (known & MQS_COMM_FREED && details->freed)
        fputs(" freed", debugger->out);
    if (known & MQS_COMM_ADDRESS)
        fprintf(debugger->out, " at=%s",
                script_show(debugger->fake->image.script, details->address, label, sizeof(label)));
}

static void
show_collectives(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;

    for (int i = 0; dll->mqs_get_comm_coll_state && i < mqs_comm_class_count; i++) {
        int count = UNWRITTEN;
        int active = UNWRITTEN;
        int result = dll->mqs_get_comm_coll_state(&debugger->fake->process, i, &count, &active);
        if (result == mqs_ok && active != 0 && active != 1)
            host_violation("collective %s is active: %d", collectives[i], active);
        if (result != mqs_ok && result != mqs_no_information) {
            fprintf(debugger->out, "  collective %s ", collectives[i]);
            debugger_result(debugger, result);
            fputc('\n', debugger->out);
        } else if (result == mqs_ok && active == 1) {
            fprintf(debugger->out, "  collective %s active\n", collectives[i]);
        }
    }
}

// Peers with which there were messages.
static void
show_traffic(struct debugger *debugger, int64_t peers)
{
    const struct dll *dll = debugger->dll;

    for (int i = 0; dll->mqs_get_comm_traffic && i < peers && i < GROUP_LIMIT; i++) {
        int sent = UNWRITTEN;
        int received = UNWRITTEN;
        int result = dll->mqs_get_comm_traffic(&debugger->fake->process, i, &sent, &received);
        if (result == mqs_no_information)
            return;
        if (result != mqs_ok) {
            fprintf(debugger->out, "  traffic %d ", i);
            debugger_result(debugger, result);
            fputc('\n', debugger->out);
            return;
        }
        if (sent != 0 || received != 0)
            fprintf(debugger->out, "  traffic %d sent=%d received=%d\n", i, sent, received);
    }
}

bool
debugger_communicator(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    mqs_process *process = &debugger->fake->process;
    mqs_communicator comm;
    mqs_communicator_details details = {0};

    memset(&comm, 0xee, sizeof(comm));
    int result = dll->mqs_get_communicator(process, &comm);
    if (result == mqs_end_of_list || !debugger_succeeded(debugger, "communicator", result, NULL))
        return false;
    check_zero_filled("communicator name", comm.name, sizeof(comm.name));
    if (comm.unique_id >> 63)
        host_violation("unique_id %lu", comm.unique_id);
    comm.name[sizeof(comm.name) - 1] = '\0';
    fputs("communicator ", debugger->out);
    debugger_text(debugger, comm.name);
    fprintf(debugger->out, " id=%lu rank=%ld size=%ld", comm.unique_id, comm.local_rank, comm.size);
    if (dll->mqs_get_communicator_details &&
        dll->mqs_get_communicator_details(process, &details) == mqs_ok)
        show_details(debugger, &details);
    fputc('\n', debugger->out);
    show_group(debugger, "group", comm.size, dll->mqs_get_comm_group);
    if (details.known & MQS_COMM_REMOTE_SIZE)
        show_group(debugger, "remote group", details.remote_size, dll->mqs_get_comm_remote_group);
    debugger_queue(debugger, "receives", mqs_pending_receives);
    debugger_queue(debugger, "unexpected", mqs_unexpected_messages);
    debugger_queue(debugger, "sends", mqs_pending_sends);
    show_traffic(debugger,
                 details.known & MQS_COMM_INTER && details.inter ? details.remote_size : comm.size);
    show_collectives(debugger);
    return true;
}

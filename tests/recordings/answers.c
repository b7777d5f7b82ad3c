// SPDX-License-Identifier: BSD-3-Clause
// What the library says of a process, as the live tests compare it with the program's own record.
#include "tests/recordings/answers.h"

#include <inttypes.h>
#include <string.h>

enum { COMMUNICATORS_MAX = 1000, OPERATIONS_MAX = 1000, MESSAGES_MAX = 1000, GROUP_MAX = 1000 };

static const char *const collectives[mqs_comm_class_count] = {
    "barrier",        "bcast",  "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",
    "reduce_scatter", "reduce", "gather",    "gatherv",    "scan",      "scatter",  "scatterv"};
static const char *const kinds[mqs_kind_count] = {"receive", "send",  "ssend",  "bsend",
                                                  "rsend",   "probe", "message"};
static const char *const statuses[] = {"pending", "matched", "complete"};
static const struct {
    const char *name;
    int op_class;
} queues[] = {{"receives", mqs_pending_receives},
              {"unexpected", mqs_unexpected_messages},
              {"sends", mqs_pending_sends}};

// A number, or that all will do.
static json_t *
wild(bool is_any, int64_t number)
{
    return is_any ? json_string("any") : json_integer(number);
}

static json_t *
address(uint64_t number)
{
    return json_sprintf("0x%" PRIx64, number);
}

static void
set_envelope(json_t *ret, const mqs_pending_operation *op, uint32_t known)
{
    bool is_any = op->desired_local_rank < 0;
    if (known & MQS_OP_PEER)
        json_object_set_new(ret, "peer", wild(is_any, op->desired_local_rank));
    if (known & MQS_OP_PEER && (is_any || op->desired_global_rank >= 0 || known & MQS_OP_WORLD))
        json_object_set_new(ret, "world_peer", wild(is_any, op->desired_global_rank));
    if (known & MQS_OP_TAG)
        json_object_set_new(ret, "tag", wild(op->tag_wild, op->desired_tag));
    if (known & MQS_OP_LENGTH)
        json_object_set_new(ret, "bytes", json_integer(op->desired_length));
}

static json_t *
actual_of(const mqs_pending_operation *op)
{
    return json_pack("{sI sI sI sI}", "peer", (json_int_t) op->actual_local_rank, "world_peer",
                     (json_int_t) op->actual_global_rank, "tag", (json_int_t) op->actual_tag,
                     "bytes", (json_int_t) op->actual_length);
}

static json_t *
operation_of(const mqs_pending_operation *op, const mqs_operation_details *details)
{
    uint32_t known = details->known;
    json_t *ret = json_object();
    json_object_set_new(ret, "status", json_string(statuses[op->status]));
    set_envelope(ret, op, known);
    if (known & MQS_OP_KIND)
        json_object_set_new(ret, "kind", json_string(kinds[details->kind]));
    if (known & MQS_OP_COUNT)
        json_object_set_new(ret, "count", json_integer(details->count));
    if (known & MQS_OP_DATATYPE)
        json_object_set_new(ret, "datatype", json_string(details->datatype));
    if (known & MQS_OP_PERSISTENT)
        json_object_set_new(ret, "persistent", json_boolean(details->persistent));
    if (known & MQS_OP_BUFFER) {
        json_object_set_new(ret, "buffer", address(op->buffer));
        json_object_set_new(ret, "system_buffer", json_boolean(op->system_buffer));
    }
    if (known & MQS_OP_ACTUAL && op->status != mqs_st_pending)
        json_object_set_new(ret, "actual", actual_of(op));
    return ret;
}

static void
add_message(json_t *process, const char *what, const char *text)
{
    json_array_append_new(json_object_get(process, "messages"),
                          json_sprintf("%s%s%s", what, *what != '\0' ? ": " : "", text));
}

// A result that is no end, as a message.
static void
add_failure(struct debugger *debugger, json_t *process, const char *what, int result)
{
    if (result == mqs_ok || result == mqs_end_of_list)
        return;
    const char *text = debugger->dll->mqs_dll_error_string(result);
    add_message(process, what, result == mqs_no_information ? "no information" : text);
}

// Of one queue of the current communicator; absent when there is none.
static void
set_queue(struct debugger *debugger, json_t *process, json_t *comm, const char *name, int op_class)
{
    const struct dll *dll = debugger->dll;
    mqs_process *mqs = &debugger->fake->process;
    mqs_pending_operation op;
    json_t *list = json_array();
    int result = dll->mqs_setup_operation_iterator(mqs, op_class);
    if (result == mqs_ok || result == mqs_end_of_list)
        json_object_set(comm, name, list);
    while (result == mqs_ok && json_array_size(list) < OPERATIONS_MAX &&
           (result = dll->mqs_next_operation(mqs, &op)) == mqs_ok) {
        mqs_operation_details details = {.known = 0};
        dll->mqs_get_operation_details(mqs, &details);
        json_array_append_new(list, operation_of(&op, &details));
    }
    add_failure(debugger, process, name, result);
    json_decref(list);
}

static void
set_group(struct debugger *debugger, json_t *comm, int64_t size)
{
    int ranks[GROUP_MAX];
    if (size < 0 || size > GROUP_MAX ||
        debugger->dll->mqs_get_comm_group(&debugger->fake->process, ranks) != mqs_ok)
        return;
    json_t *list = json_array();
    for (int64_t i = 0; i < size; i++)
        json_array_append_new(list, json_integer(ranks[i]));
    json_object_set_new(comm, "group", list);
}

static void
set_collectives(struct debugger *debugger, json_t *comm)
{
    json_t *list = json_array();
    for (int i = 0; i < mqs_comm_class_count; i++) {
        int count = 0, active = 0;
        if (debugger->dll->mqs_get_comm_coll_state(&debugger->fake->process, i, &count, &active) ==
                mqs_ok &&
            active)
            json_array_append_new(list, json_pack("{ss sb}", "name", collectives[i], "active", 1));
    }
    json_object_set_new(comm, "collectives", list);
}

static json_t *
communicator_of(struct debugger *debugger, json_t *process, const mqs_communicator *seen)
{
    mqs_communicator_details details = {.known = 0};
    json_t *ret =
        json_pack("{ss# sI sI}", "name", seen->name, (int) strnlen(seen->name, sizeof seen->name),
                  "size", (json_int_t) seen->size, "local_rank", (json_int_t) seen->local_rank);
    debugger->dll->mqs_get_communicator_details(&debugger->fake->process, &details);
    if (details.known & MQS_COMM_INTER)
        json_object_set_new(ret, "inter", json_boolean(details.inter));
    set_group(debugger, ret, seen->size);
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        set_queue(debugger, process, ret, queues[i].name, queues[i].op_class);
    set_collectives(debugger, ret);
    return ret;
}

static void
set_communicators(struct debugger *debugger, json_t *process)
{
    const struct dll *dll = debugger->dll;
    mqs_process *mqs = &debugger->fake->process;
    mqs_communicator seen;
    json_t *list = json_array();
    json_object_set_new(process, "communicators", list);
    int result = dll->mqs_update_communicator_list(mqs);
    add_failure(debugger, process, "list of communicators", result);
    result = dll->mqs_setup_communicator_iterator(mqs);
    while (result == mqs_ok && json_array_size(list) < COMMUNICATORS_MAX &&
           (result = dll->mqs_get_communicator(mqs, &seen)) == mqs_ok) {
        json_array_append_new(list, communicator_of(debugger, process, &seen));
        result = dll->mqs_next_communicator(mqs);
    }
    add_failure(debugger, process, "communicators", result);
}

static void
add_messages(struct debugger *debugger, json_t *process)
{
    const char *text = NULL;
    for (int i = 0; i < MESSAGES_MAX; i++) {
        if (debugger->dll->mqs_get_process_message(&debugger->fake->process, i, &text) != mqs_ok)
            return;
        add_message(process, "", text);
    }
}

static void
set_level(struct debugger *debugger, json_t *ret_mpi)
{
    mqs_taddr_t main_thread;
    int level;
    if (debugger->dll->mqs_get_mpi_thread_level(&debugger->fake->process, &level, &main_thread) ==
        mqs_ok)
        json_object_set_new(ret_mpi, "thread_level_number", json_integer(level));
}

json_t *
answers(struct debugger *debugger, const char *said, json_int_t pid)
{
    mqs_mpi_info info = {.version = ""};
    json_t *process =
        json_pack("{sI si s[]}", "pid", pid, "rank",
                  debugger->dll->mqs_get_global_rank(&debugger->fake->process), "messages");
    add_message(process, "", said);
    set_communicators(debugger, process);
    debugger->dll->mqs_get_mpi_info(&debugger->fake->process, &info);
    json_object_set_new(process, "mpi",
                        json_pack("{ss ss ss ss}", "implementation", info.implementation, "version",
                                  info.version, "layout", info.layout, "transport",
                                  info.transport));
    set_level(debugger, json_object_get(process, "mpi"));
    add_messages(debugger, process);
    return json_pack("{s[o]}", "processes", process);
}

// SPDX-License-Identifier: BSD-3-Clause
// Prints one queue of a communicator, an operation a line.
#include "tests/script/debugger.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_LINES = 4, LIST_LIMIT = 1 << 22 };

static const char *const statuses[] = {"pending", "matched", "complete"};
static const char *const kinds[mqs_kind_count] = {"receive", "send",  "ssend",  "bsend",
                                                  "rsend",   "probe", "message"};

static void
show_number(struct debugger *debugger, const char *what, int64_t value)
{
    fprintf(debugger->out, " %s=%" PRId64, what, value);
}

static void
show_addr(struct debugger *debugger, const char *what, uint64_t addr)
{
    char label[256];
    fprintf(debugger->out, " %s=%s", what,
            script_show(debugger->fake->image.script, addr, label, sizeof(label)));
}

static void
show_peer(struct debugger *debugger, const mqs_pending_operation *op)
{
    if (op->desired_local_rank == MQS_INVALID_PROCESS) {
        fputs(" peer=any", debugger->out);
        if (op->desired_global_rank != MQS_INVALID_PROCESS)
            host_violation("any source in world rank %ld", op->desired_global_rank);
        return;
    }
    show_number(debugger, "peer", op->desired_local_rank);
    show_number(debugger, "world", op->desired_global_rank);
}

static void
show_envelope(struct debugger *debugger, const mqs_pending_operation *op, uint32_t known)
{
    if (op->tag_wild != 0 && op->tag_wild != 1)
        host_violation("tag_wild is %d", op->tag_wild);
    if (known & MQS_OP_PEER)
        show_peer(debugger, op);
    if (known & MQS_OP_TAG && op->tag_wild)
        fputs(" tag=any", debugger->out);
    if (known & MQS_OP_TAG && !op->tag_wild)
        show_number(debugger, "tag", op->desired_tag);
    if (known & MQS_OP_LENGTH)
        show_number(debugger, "bytes", op->desired_length);
}

static void
show_actual(struct debugger *debugger, const mqs_pending_operation *op)
{
    fprintf(debugger->out, " actual=%ld,%ld,%ld actual_world=%ld", op->actual_local_rank,
            op->actual_tag, op->actual_length, op->actual_global_rank);
}

/** Flags among the details, and where they are. */
static const struct flag {
    uint32_t known;
    const char *name;
    size_t offset;
} flags[] = {
    {MQS_OP_PERSISTENT, "persistent", offsetof(mqs_operation_details, persistent)},
    {MQS_OP_RENDEZVOUS, "rendezvous", offsetof(mqs_operation_details, rendezvous)},
    {MQS_OP_FREED, "freed", offsetof(mqs_operation_details, freed)},
    {MQS_OP_BLOCKED, "blocked", offsetof(mqs_operation_details, blocked)},
};

// A flag is shown only when it is set.
static void
show_flags(struct debugger *debugger, const mqs_operation_details *details)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        int value;
        if (!(details->known & flags[i].known))
            continue;
        memcpy(&value, (const char *) details + flags[i].offset, sizeof(value));
        if (value != 0 && value != 1)
            host_violation("%s is %d", flags[i].name, value);
        if (value)
            fprintf(debugger->out, " %s", flags[i].name);
    }
}

static void
show_operation(struct debugger *debugger, const mqs_pending_operation *op,
               const mqs_operation_details *details)
{
    uint32_t known = details->known;

    if (op->status < mqs_st_pending || op->status > mqs_st_complete)
        host_violation("status %d", op->status);
    else
        fprintf(debugger->out, "    %s", statuses[op->status]);
    if (known & MQS_OP_KIND && (details->kind < 0 || details->kind >= mqs_kind_count))
        host_violation("kind %d", details->kind);
    else if (known & MQS_OP_KIND)
        fprintf(debugger->out, " %s", kinds[details->kind]);
    show_envelope(debugger, op, known);
    if (known & MQS_OP_COUNT)
        show_number(debugger, "count", details->count);
    if (known & MQS_OP_DATATYPE) {
        fputs(" datatype=", debugger->out);
        check_zero_filled("datatype name", details->datatype, sizeof(details->datatype));
        debugger_text(debugger, details->datatype);
    }
    if (known & MQS_OP_BUFFER)
        show_addr(debugger, op->system_buffer ? "system_buffer" : "buffer", op->buffer);
    show_flags(debugger, details);
    if (known & MQS_OP_ACTUAL)
        show_actual(debugger, op);
    if (known & MQS_OP_REQUEST && details->request)
        show_addr(debugger, "request", details->request);
    fputc('\n', debugger->out);
}

static void
show_texts(struct debugger *debugger, const mqs_pending_operation *op)
{
    for (size_t i = 0; i < sizeof(op->extra_text) / sizeof(op->extra_text[0]); i++) {
        const char *text = op->extra_text[i];
        check_zero_filled("extra text", text, sizeof(op->extra_text[i]));
        if (*text && i >= TEXT_LINES)
            host_violation("five lines of extra text");
        if (*text && i > 0 && !op->extra_text[i - 1][0])
            host_violation("an empty line of extra text in the middle");
        if (!*text)
            continue;
        fputs("      ", debugger->out);
        debugger_text(debugger, text);
        fputc('\n', debugger->out);
    }
}

// Prints the next operation. @return the result
static int
show_next(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    mqs_process *process = &debugger->fake->process;
    mqs_pending_operation op;
    mqs_operation_details details = {0};

    memset(&op, 0xee, sizeof(op));
    int result = dll->mqs_next_operation(process, &op);
    if (result != mqs_ok)
        return result;
    if (dll->mqs_get_operation_details)
        (void) dll->mqs_get_operation_details(process, &details);
    show_operation(debugger, &op, &details);
    show_texts(debugger, &op);
    return mqs_ok;
}

void
debugger_queue(struct debugger *debugger, const char *name, int op_class)
{
    int result = debugger->dll->mqs_setup_operation_iterator(&debugger->fake->process, op_class);
    int n = 0;

    fprintf(debugger->out, "  %s", name);
    if (result == mqs_ok) {
        fputc('\n', debugger->out);
        while (n < LIST_LIMIT && (result = show_next(debugger)) == mqs_ok)
            n++;
        if (n == LIST_LIMIT)
            host_violation("a queue without an end");
        if (result == mqs_end_of_list)
            return;
        fputs("   ", debugger->out);
    }
    fputc(' ', debugger->out);
    debugger_result(debugger, result);
    fputc('\n', debugger->out);
}

// SPDX-License-Identifier: BSD-3-Clause
// An operation as a line of a table.
#include "tools/print_operation.h"

#include "tools/alloc.h"
#include "tools/print.h"
#include "tools/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** How the queues differ. */
static const struct {
    const char *name;
    const char *direction;
    const char *color;
} queues[] = {
    [mqs_pending_sends] = {"send", "to", "\033[32m"},
    [mqs_pending_receives] = {"receive", "from", "\033[34m"},
    [mqs_unexpected_messages] = {"unexpected", "from", "\033[31m"},
};

static char *
kind_text(const struct operation *op, int op_class)
{
    const char *kind = (op->known & MQS_OP_KIND) != 0 ? kind_name(op->kind) : NULL;
    bool of_queue = kind == NULL || op_class == mqs_unexpected_messages;
    return alloc_text(of_queue ? queues[op_class].name : kind);
}

static char *
peer_text(const struct shown_operation *shown, int op_class)
{
    const char *direction = queues[op_class].direction;
    if (!shown->has_peer)
        return alloc_format("%s ?", direction);
    if (shown->any_peer)
        return alloc_format("%s any", direction);
    if (!shown->has_world_peer)
        return alloc_format("%s %" PRId64, direction, shown->envelope.peer);
    if (shown->envelope.world_peer < 0)
        return alloc_format("%s %" PRId64 " (other job)", direction, shown->envelope.peer);
    return alloc_format("%s %" PRId64 " (world %" PRId64 ")", direction, shown->envelope.peer,
                        shown->envelope.world_peer);
}

static char *
tag_text(const struct shown_operation *shown)
{
    if (!shown->has_tag)
        return alloc_text("tag ?");
    return shown->any_tag ? alloc_text("tag any")
                          : alloc_format("tag %" PRId64, shown->envelope.tag);
}

/** Bytes in the largest unit that tells them exactly. */
static char *
bytes_text(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    return alloc_format("%" PRId64 " %s", bytes, units[unit]);
}

static char *
data_text(const struct operation *op)
{
    const char *type = (op->known & MQS_OP_DATATYPE) != 0 ? op->datatype : NULL;
    if ((op->known & MQS_OP_COUNT) == 0)
        return alloc_text(type != NULL ? type : "");
    return alloc_format("%" PRId64 " %s", op->count, type != NULL ? type : "(unnamed type)");
}

static void
append(char **text, const char *separator, char *more)
{
    char *joined = alloc_format("%s%s%s", *text, **text != '\0' ? separator : "", more);
    free(more);
    free(*text);
    *text = joined;
}

static void
append_actual(char **text, const struct operation *op)
{
    char *bytes = bytes_text(op->actual.bytes);
    append(text, " ",
           op->actual.peer >= 0 ? alloc_format("by %" PRId64 " tag %" PRId64 ", %s",
                                               op->actual.peer, op->actual.tag, bytes)
                                : alloc_format("tag %" PRId64 ", %s", op->actual.tag, bytes));
    free(bytes);
}

/** The lines of the library, when nothing else tells what they do. */
static void
append_lines(char **text, const char *lines)
{
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        append(text, ", ", alloc_format("%.*s", (int) (end - lines), lines));
}

static char *
state_text(const struct operation *op, const struct shown_operation *shown, int op_class)
{
    const struct {
        bool holds;
        const char *word;
    } remarks[] = {
        {(op->known & MQS_OP_RENDEZVOUS) != 0 && op->rendezvous, "rendezvous"},
        {(op->known & MQS_OP_BUFFER) != 0 && op->system_buffer, "buffered by MPI"},
        {(op->known & MQS_OP_PERSISTENT) != 0 && op->persistent, "persistent"},
        {(op->known & MQS_OP_FREED) != 0 && op->freed, "request freed"},
        {(op->known & MQS_OP_BLOCKED) != 0 && op->blocked, "blocks a thread"},
        {op->unmoved, "unmoved"},
    };
    const char *status = op_class != mqs_unexpected_messages ? status_name(op->status) : "";
    char *text = alloc_text(status != NULL ? status : "status ?");
    if (shown->has_actual)
        append_actual(&text, op);
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (remarks[i].holds)
            append(&text, ", ", alloc_text(remarks[i].word));
    if (op->text != NULL && (op->known & MQS_OP_KIND) == 0)
        append_lines(&text, op->text);
    return text;
}

void
print_operation(struct libscols_line *line, const struct operation *op, int op_class)
{
    struct shown_operation shown = print_judge(op, op_class);
    unsigned column = 0;
    table_cell(line, column++, kind_text(op, op_class), queues[op_class].color);
    table_cell(line, column++, peer_text(&shown, op_class), NULL);
    table_cell(line, column++, tag_text(&shown), NULL);
    table_cell(line, column++, data_text(op), NULL);
    table_cell(line, column++, shown.has_bytes ? bytes_text(shown.envelope.bytes) : alloc_text(""),
               NULL);
    table_cell(line, column, state_text(op, &shown, op_class), NULL);
}

// SPDX-License-Identifier: BSD-3-Clause
// An operation as a line of a table.
#include "mqshow/text/print_operation.h"

#include "mqshow/base/alloc.h"
#include "mqshow/text/print.h"
#include "mqshow/base/table.h"

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
    const char *kind = HAS(op, OP_KIND) ? kind_name(op->kind) : NULL;
    bool of_queue = kind == NULL || op_class == mqs_unexpected_messages;
    return alloc_text(of_queue ? queues[op_class].name : kind);
}

static char *
peer_text(const struct operation *op, int op_class)
{
    const char *direction = queues[op_class].direction;
    if (!HAS(op, OP_PEER))
        return alloc_format("%s ?", direction);
    if (op->peer == REPORT_ANY)
        return alloc_format("%s any", direction);
    if (!HAS(op, OP_WORLD_PEER))
        return alloc_format("%s %" PRId32, direction, op->peer);
    if (op->world_peer < 0)
        return alloc_format("%s %" PRId32 " (other job)", direction, op->peer);
    return alloc_format("%s %" PRId32 " (world %" PRId32 ")", direction, op->peer, op->world_peer);
}

static char *
tag_text(const struct operation *op)
{
    if (!HAS(op, OP_TAG))
        return alloc_text("tag ?");
    return op->tag == REPORT_ANY ? alloc_text("tag any") : alloc_format("tag %" PRId32, op->tag);
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
data_text(const struct operations *operations, const struct operation *op)
{
    const char *type = HAS(op, OP_DATATYPE) ? operations_text(operations, op->datatype) : NULL;
    if (!HAS(op, OP_COUNT))
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
append_actual(char **text, const struct envelope_record *actual)
{
    if (HAS(actual, ENVELOPE_PEER))
        append(text, " ", alloc_format("by %" PRId32, actual->peer));
    if (HAS(actual, ENVELOPE_TAG))
        append(text, " ", alloc_format("tag %" PRId32, actual->tag));
    if (HAS(actual, ENVELOPE_BYTES))
        append(text, ", ", bytes_text(actual->bytes));
}

/** The lines of the library, when nothing else tells what they do. */
static void
append_lines(char **text, const char *lines)
{
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        append(text, ", ", alloc_format("%.*s", (int) (end - lines), lines));
}

static char *
state_text(const struct operations *operations, const struct operation *op, int op_class,
           bool marks)
{
    const struct {
        bool holds;
        const char *word;
    } remarks[] = {
        {op->rendezvous, "rendezvous"},   {op->system_buffer, "buffered by MPI"},
        {op->persistent, "persistent"},   {op->freed, "request freed"},
        {op->blocked, "blocks a thread"}, {marks && HAS(op, OP_MOVED) && !op->moved, "unmoved"},
    };
    const struct envelope_record *actual = operations_actual(operations, op);
    const char *status = HAS(op, OP_STATUS) ? status_name(op->status) : "status ?";
    char *text = alloc_text(op_class != mqs_unexpected_messages ? status : "");
    if (actual != NULL)
        append_actual(&text, actual);
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (remarks[i].holds)
            append(&text, ", ", alloc_text(remarks[i].word));
    if (HAS(op, OP_TEXT) && !HAS(op, OP_KIND))
        append_lines(&text, operations_text(operations, operations_rest(operations, op)->text));
    return text;
}

void
print_operation(struct table *table, const struct operations *operations,
                const struct operation *op, int op_class, bool marks)
{
    unsigned column = 0;
    table_line(table);
    table_cell(table, column++, kind_text(op, op_class), queues[op_class].color);
    table_cell(table, column++, peer_text(op, op_class), NULL);
    table_cell(table, column++, tag_text(op), NULL);
    table_cell(table, column++, data_text(operations, op), NULL);
    table_cell(table, column++, HAS(op, OP_BYTES) ? bytes_text(op->bytes) : alloc_text(""), NULL);
    table_cell(table, column, state_text(operations, op, op_class, marks), NULL);
}

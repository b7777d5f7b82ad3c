// SPDX-License-Identifier: BSD-3-Clause
// All pending operations as a table for other programs.
#include "mqshow/verdict/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Where the value of a column is found. */
enum source { OF_PROCESS, OF_COMMUNICATOR, OF_OPERATION, OF_VERDICT };

static const struct {
    const char *name;
    enum source source;
    const char *member;
} columns[] = {
    {"rank", OF_PROCESS, "rank"},
    {"world", OF_PROCESS, "world"},
    {"host", OF_PROCESS, "host"},
    {"pid", OF_PROCESS, "pid"},
    {"image", OF_PROCESS, "image"},
    {"communicator", OF_COMMUNICATOR, "label"},
    {"communicator_id", OF_COMMUNICATOR, "id"},
    {"local_rank", OF_COMMUNICATOR, "local_rank"},
    {"queue", OF_VERDICT, "queue"},
    {"kind", OF_OPERATION, "kind"},
    {"status", OF_OPERATION, "status"},
    {"peer", OF_OPERATION, "peer"},
    {"world_peer", OF_OPERATION, "world_peer"},
    {"tag", OF_OPERATION, "tag"},
    {"bytes", OF_OPERATION, "bytes"},
    {"count", OF_OPERATION, "count"},
    {"datatype", OF_OPERATION, "datatype"},
    {"buffer", OF_OPERATION, "buffer"},
    {"request", OF_OPERATION, "request"},
    {"rendezvous", OF_OPERATION, "rendezvous"},
    {"persistent", OF_OPERATION, "persistent"},
    {"blocked", OF_OPERATION, "blocked"},
    {"partner", OF_VERDICT, "partner"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/** A field in quotes: whatever is in it stays one field. A spreadsheet takes one that begins like a
 * formula for one, which may start programs: with an apostrophe before it is text.
 */
static void
write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL)
        fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/** Writes a member of a record; nothing when it is not known. */
static void
write_member(FILE *out, const struct record_type *type, const void *record, const char *key,
             const struct operations *operations)
{
    struct record_place place = {.operations = (struct operations *) operations};
    struct value value = {.type = VALUE_NONE};
    if (record != NULL)
        value = record_value(record_field(type, key), record, &place);
    if (value.type == VALUE_TEXT)
        write_quoted(out, value.text);
    else if (value.type == VALUE_HEX)
        fprintf(out, "\"0x%" PRIx64 "\"", value.hex);
    else if (value.type == VALUE_INTEGER)
        fprintf(out, "%" PRId64, value.integer);
    else if (value.type == VALUE_BOOL)
        fputs(value.boolean ? "true" : "false", out);
}

/** Whether a message for a receive may be in a queue that is not known. */
static bool
lacks_messages(const struct jobview *view, const struct jv_op *op)
{
    const struct jv_member *from = jobview_member(view, view->comms[op->comm].peers, op->peer);
    return op->queue == JV_RECEIVES &&
           (!jobview_knows_queue(&view->members[op->member], JV_UNEXPECTED) ||
            (from != NULL && !jobview_knows_queue(from, JV_SENDS)));
}

/** Whether the other side of the message is there. */
static const char *
partner_word(const struct jobview *view, const struct jv_op *op)
{
    static const char *const words[] = {
        [JV_WAITS] = "none", [JV_GOES_ON] = "there", [JV_DOUBTS] = "unknown"};
    return words[op->fate == JV_WAITS && lacks_messages(view, op) ? JV_DOUBTS : op->fate];
}

static void
write_own(const struct jobview *view, FILE *out, const struct jv_op *op, const char *member)
{
    fputs(strcmp(member, "queue") == 0 ? queue_key(jobview_class(op->queue))
                                       : partner_word(view, op),
          out);
}

/** Writes what a row has of a process and of a communicator. */
static void
write_common(const struct jobview *view, FILE *out, const struct jv_member *member, size_t column)
{
    if (columns[column].source == OF_PROCESS)
        write_member(out, &report_type, view->processes[member->process].report,
                     columns[column].member, NULL);
    else
        write_member(out, &communicator_type, member->record, columns[column].member, NULL);
}

static void
write_row(const struct jobview *view, FILE *out, const struct jv_op *op)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i > 0)
            fputc(',', out);
        if (columns[i].source == OF_VERDICT)
            write_own(view, out, op, columns[i].member);
        else if (columns[i].source == OF_OPERATION)
            write_member(out, &operation_type, op->record, columns[i].member,
                         jobview_operations(view, op));
        else
            write_common(view, out, &view->members[op->member], i);
    }
    fputs("\r\n", out);
}

/** Writes a line for a queue that is not known: its operations are not none. */
static void
write_gap(const struct jobview *view, FILE *out, const struct jv_member *member, int op_class)
{
    bool incomplete = member->record != NULL && communicator_has_queue(member->record, op_class);
    for (size_t i = 0; i < COLUMNS; i++) {
        fputs(i > 0 ? "," : "", out);
        if (columns[i].source <= OF_COMMUNICATOR)
            write_common(view, out, member, i);
        else if (strcmp(columns[i].name, "queue") == 0)
            fputs(queue_key(op_class), out);
        else if (strcmp(columns[i].name, "status") == 0)
            fputs(incomplete ? "incomplete" : "not read", out);
    }
    fputs("\r\n", out);
}

static void
write_gaps(const struct jobview *view, FILE *out)
{
    for (size_t i = 0; i < view->n_members; i++)
        for (uint8_t k = 0; k < JV_QUEUES; k++)
            if (!jobview_knows_queue(&view->members[i], k))
                write_gap(view, out, &view->members[i], jobview_class(k));
}

void
export_csv(const struct verdict *verdict, FILE *out)
{
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns[i].name);
    fputs("\r\n", out);
    for (size_t i = 0; i < verdict->view.n_ops; i++)
        write_row(&verdict->view, out, &verdict->view.ops[i]);
    write_gaps(&verdict->view, out);
}

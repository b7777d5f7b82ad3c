// SPDX-License-Identifier: BSD-3-Clause
// Communicators and their operations, for people.
#include "mqshow/text/print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/table.h"
#include "mqshow/report/place.h"
#include "mqshow/text/omp_text.h"

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

/** The order in which they are shown. */
static const int order[QUEUES] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};

static char *
kind_text(const struct operation *op, int op_class)
{
    const char *kind = HAS(op, OP_KIND) ? kind_name(op->kind) : NULL;
    bool of_queue = !kind || op_class == mqs_unexpected_messages;
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

/** Bytes in the largest unit in which they are a whole number. */
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
        return alloc_text(type ? type : "");
    return alloc_format("%" PRId64 " %s", op->count, type ? type : "(unnamed type)");
}

static void
append_actual(char **text, const struct envelope_record *actual)
{
    if (HAS(actual, ENVELOPE_PEER))
        *text = omp_text_join(*text, " ", alloc_format("by %" PRId32, actual->peer));
    if (HAS(actual, ENVELOPE_TAG))
        *text = omp_text_join(*text, " ", alloc_format("tag %" PRId32, actual->tag));
    if (HAS(actual, ENVELOPE_BYTES))
        *text = omp_text_join(*text, ", ", bytes_text(actual->bytes));
}

/** The lines of the library, when nothing else describes the operation. */
static void
append_lines(char **text, const char *lines)
{
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        *text = omp_text_join(*text, ", ", alloc_format("%.*s", (int) (end - lines), lines));
}

static char *
state_text(const struct operations *operations, const struct operation *op, int op_class,
           bool marks)
{
    const struct {
        bool holds;
        const char *word;
    } remarks[] = {
        {op->unseen, "not yet seen by MPI"},
        {op->rendezvous, "rendezvous"},
        {op->system_buffer && !op->unseen, "buffered by MPI"},
        {op->device_buffer, "device buffer"},
        {op->persistent, "persistent"},
        {op->freed, "request freed"},
        {op->blocked, "blocks a thread"},
        {marks && HAS(op, OP_MOVED) && !op->moved, "unmoved"},
    };
    const struct envelope_record *actual = operations_actual(operations, op);
    const char *status = HAS(op, OP_STATUS) ? status_name(op->status) : "status ?";
    char *text = alloc_text(op_class != mqs_unexpected_messages ? status : "");
    if (actual)
        append_actual(&text, actual);
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (remarks[i].holds)
            text = omp_text_join(text, ", ", alloc_text(remarks[i].word));
    if (HAS(op, OP_TEXT) && !HAS(op, OP_KIND))
        append_lines(&text, operations_text(operations, operations_rest(operations, op)->text));
    return text;
}

/** Adds an operation as a line. @param marks whether operations that did not move are marked */
static void
add_operation(struct table *table, const struct operations *operations, const struct operation *op,
              int op_class, bool marks)
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

enum { COLUMNS = 6 };
enum { COMM_INDENT = 2, OPERATION_INDENT = 4 };

// What is not folded in brief texts: operations of a queue, communicators, names of quiet ones.
enum { OPERATIONS_SHOWN = 4, COMMS_SHOWN = 4, NAMES_SHOWN = 3 };

static void
print_collectives(FILE *out, const struct communicator *comm)
{
    for (size_t i = 0; i < comm->collectives.count; i++)
        if (comm->collectives.items[i].active && comm->collectives.items[i].name)
            fprintf(out, "%*s%s in progress\n", OPERATION_INDENT, "",
                    comm->collectives.items[i].name);
}

static const char *
nonblocking_name(const struct nonblocking_record *record)
{
    if (!HAS(record, NONBLOCKING_REQUEST) && !HAS(record, NONBLOCKING_SEQUENCE))
        return "a part of a call";
    return record->persistent ? "persistent collective" : "nonblocking collective";
}

static void
print_nonblocking(FILE *out, const struct communicator *comm)
{
    for (size_t i = 0; i < comm->nonblocking.count; i++) {
        const struct nonblocking_record *record = &comm->nonblocking.items[i];
        char *call = nonblocking_call_text(record);
        fprintf(out, "%*s%s in progress%s%s\n", OPERATION_INDENT, "", nonblocking_name(record),
                call ? ", of " : "", call ? call : "");
        free(call);
    }
}

static size_t
count_operations(const struct communicator *comm)
{
    size_t count = 0;
    for (int i = 0; i < QUEUES; i++)
        count += communicator_operations(comm, i)->count;
    return count;
}

/** Appends "receives, sends WHAT" with the queues for which a property holds. */
static void
add_queues_that(char **text, const struct communicator *comm, const char *what,
                bool (*holds)(const struct communicator *comm, int op_class))
{
    int count = 0;
    char *names = alloc_text("");
    for (size_t i = 0; i < QUEUES; i++)
        if (holds(comm, order[i])) {
            names = omp_text_join(names, ", ", alloc_text(queue_name(order[i])));
            count++;
        }
    if (count > 0)
        *text = omp_text_join(*text, "; ",
                              alloc_format("%s %s", count == QUEUES ? "queues" : names, what));
    free(names);
}

static bool
is_unread(const struct communicator *comm, int op_class)
{
    return !communicator_has_queue(comm, op_class);
}

static bool
is_partial(const struct communicator *comm, int op_class)
{
    return communicator_has_queue(comm, op_class) && !communicator_has_whole_queue(comm, op_class);
}

/** "queues not read: pml ucx" of what is not known of a communicator, to free(); "" when all is. */
static char *
gaps_text(const struct report *report, const struct communicator *comm)
{
    char *text = alloc_text(""), *unread = alloc_text("not read");
    if (report->mpi.transport)
        unread = omp_text_join(unread, ": ", alloc_text(report->mpi.transport));
    add_queues_that(&text, comm, unread, is_unread);
    add_queues_that(&text, comm, "incomplete", is_partial);
    free(unread);
    return text;
}

static void
print_comm_heading(FILE *out, const struct report *report, const struct communicator *comm)
{
    fprintf(out, "%*s%s   ", COMM_INDENT, "", communicator_label(comm));
    if (comm->rank >= 0)
        fprintf(out, "rank %" PRId32 " of %" PRId64, comm->rank, comm->size);
    else
        fprintf(out, "%" PRId64 " rank%s", comm->size, comm->size == 1 ? "" : "s");
    if (comm->inter && HAS(comm, COMM_REMOTE_SIZE))
        fprintf(out, ", intercommunicator with %" PRId64 " remote rank%s", comm->remote_size,
                comm->remote_size == 1 ? "" : "s");
    if (comm->freed)
        fputs(", freed", out);
    char *gaps = gaps_text(report, comm);
    if (*gaps != '\0')
        fprintf(out, "   %s", gaps);
    else if (count_operations(comm) == 0 && comm->collectives.count == 0 &&
             comm->nonblocking.count == 0)
        fputs("   nothing pending", out);
    fputc('\n', out);
    free(gaps);
}

/** Adds the first operations of a queue, some more that threads wait for, and how many others there
 * are. */
static void
add_folded_queue(struct table *table, const struct operations *operations, int op_class, bool marks)
{
    size_t shown = 0, blocked = 0;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *op = &operations->items[i];
        if (i >= OPERATIONS_SHOWN - 1 && !(op->blocked && blocked < OPERATIONS_SHOWN))
            continue;
        add_operation(table, operations, op, op_class, marks);
        blocked += op->blocked;
        shown++;
    }
    if (shown < operations->count)
        table_free_line(table, alloc_format("... %zu more %s", operations->count - shown,
                                            queue_name(op_class)));
}

static void
add_queue(struct table *table, const struct operations *operations, int op_class,
          struct style style)
{
    if (style.brief && operations->count > OPERATIONS_SHOWN) {
        add_folded_queue(table, operations, op_class, style.marks);
        return;
    }
    for (size_t i = 0; i < operations->count; i++)
        add_operation(table, operations, &operations->items[i], op_class, style.marks);
}

/** "2 receives, 1 send" of what is pending. */
static void
print_counts(FILE *out, const struct communicator *comm)
{
    static const char *const nouns[] = {"receive", "unexpected message", "send"};
    const char *separator = "    ";
    for (size_t i = 0; i < QUEUES; i++) {
        size_t count = communicator_operations(comm, order[i])->count;
        if (count > 0)
            fprintf(out, "%s%zu %s%s", separator, count, nouns[i], count == 1 ? "" : "s");
        separator = count > 0 ? ", " : separator;
    }
    fputs(*separator == ',' ? "\n" : "", out);
}

void
print_communicator(FILE *out, const struct report *report, const struct communicator *comm,
                   struct style style)
{
    print_comm_heading(out, report, comm);
    print_collectives(out, comm);
    print_nonblocking(out, comm);
    if (style.folded) {
        print_counts(out, comm);
        return;
    }
    struct table *table = table_create(COLUMNS, style.color);
    for (size_t i = 0; i < QUEUES; i++)
        add_queue(table, communicator_operations(comm, order[i]), order[i], style);
    table_print(table, out, OPERATION_INDENT);
}

/** How much a communicator matters in a job that hangs. */
enum weight { QUIET, UNREAD, BUSY, BLOCKED, WEIGHTS };

static enum weight
weight_of(const struct communicator *comm)
{
    bool blocked = comm->collectives.count + comm->nonblocking.count > 0, whole = true;
    if (comm->left_out)
        return WEIGHTS; // none
    for (int i = 0; i < QUEUES; i++) {
        whole &= communicator_has_whole_queue(comm, i);
        for (size_t k = 0; k < communicator_operations(comm, i)->count; k++)
            blocked |= communicator_operations(comm, i)->items[k].blocked;
    }
    return blocked ? BLOCKED : count_operations(comm) > 0 ? BUSY : whole ? QUIET : UNREAD;
}

/** What is not known of the communicators of which nothing else is, to free(). */
static char *
common_gaps(const struct report *report)
{
    char *text = NULL;
    for (size_t i = 0; i < report->comms.count; i++) {
        if (weight_of(&report->comms.items[i]) != UNREAD)
            continue;
        char *own = gaps_text(report, &report->comms.items[i]);
        bool equal = !text || strcmp(text, own) == 0;
        free(text);
        text = equal ? own : alloc_text("some queues not read or incomplete");
        if (equal)
            continue;
        free(own);
        return text;
    }
    return text;
}

/** "a, b: nothing pending", or how many such communicators there are. */
static void
print_quiet(FILE *out, const struct report *report, enum weight weight, size_t count, bool others)
{
    const char *separator = "";
    if (count == 0)
        return;
    fprintf(out, "%*s", COMM_INDENT, "");
    if (count > NAMES_SHOWN)
        fprintf(out, "%zu %scommunicators", count, others ? "more " : "");
    for (size_t i = 0; i < report->comms.count && count <= NAMES_SHOWN; i++)
        if (weight_of(&report->comms.items[i]) == weight) {
            fprintf(out, "%s%s", separator, communicator_label(&report->comms.items[i]));
            separator = ", ";
        }
    char *gaps = weight == UNREAD ? common_gaps(report) : NULL;
    fprintf(out, ": %s\n", gaps ? gaps : "nothing pending");
    free(gaps);
}

void
print_few_communicators(FILE *out, const struct report *report, struct style style)
{
    size_t counts[WEIGHTS] = {0}, shown = 0, operations = 0;
    for (int weight = BLOCKED; weight >= QUIET; weight--)
        for (size_t i = 0; i < report->comms.count; i++) {
            const struct communicator *comm = &report->comms.items[i];
            if (weight_of(comm) != (enum weight) weight)
                continue;
            counts[weight]++;
            if (weight >= BUSY && shown < COMMS_SHOWN) {
                print_communicator(out, report, comm, style);
                shown++;
            } else {
                operations += count_operations(comm);
            }
        }
    size_t busy = counts[BLOCKED] + counts[BUSY];
    if (busy > shown)
        fprintf(out, "%*s%zu more communicator%s: %zu operation%s pending\n", COMM_INDENT, "",
                busy - shown, busy - shown == 1 ? "" : "s", operations, operations == 1 ? "" : "s");
    print_quiet(out, report, UNREAD, counts[UNREAD], busy > 0);
    print_quiet(out, report, QUIET, counts[QUIET], busy + counts[UNREAD] > 0);
}

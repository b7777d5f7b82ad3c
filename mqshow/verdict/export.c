// SPDX-License-Identifier: BSD-3-Clause
// The verdict for other programs: all pending operations as a table, who waits for whom as a graph.
#include "mqshow/verdict/export.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"

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
    if (*text != '\0' && strchr("=+-@\t\r", *text))
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
    if (record)
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
lacks_messages(const struct job_index *job, const struct job_op *op)
{
    const struct job_member *from = job_index_member(job, job->comms[op->comm].peers, op->peer);
    return op->queue == JOB_RECEIVES &&
           (!job_index_knows_queue(&job->members[op->member], JOB_UNEXPECTED) ||
            (from && !job_index_knows_queue(from, JOB_SENDS)));
}

/** Whether the other side of the message is there. */
static const char *
partner_word(const struct job_index *job, const struct job_op *op)
{
    static const char *const words[] = {
        [JOB_WAITS] = "none", [JOB_RUNNABLE] = "there", [JOB_UNKNOWN] = "unknown"};
    return words[op->fate == JOB_WAITS && lacks_messages(job, op) ? JOB_UNKNOWN : op->fate];
}

/** What is written of a queue that is not known in place of an operation. */
static const char *
word_of_gap(const struct job_member *member, int op_class)
{
    return member->record && communicator_has_queue(member->record, op_class) ? "incomplete"
                                                                              : "not read";
}

/** Writes a line for an operation.
 * @param op NULL: for a queue that is not known: its operations are not none */
static void
write_row(const struct job_index *job, FILE *out, const struct job_member *member, int op_class,
          const struct job_op *op)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *key = columns[i].member;
        fputs(i > 0 ? "," : "", out);
        if (columns[i].source == OF_PROCESS)
            write_member(out, &report_type, job->processes[member->process].report, key, NULL);
        else if (columns[i].source == OF_COMMUNICATOR)
            write_member(out, &communicator_type, member->record, key, NULL);
        else if (strcmp(key, "queue") == 0)
            fputs(queue_key(op_class), out);
        else if (op && columns[i].source == OF_OPERATION)
            write_member(out, &operation_type, op->record, key, job_index_operations(job, op));
        else if (op)
            fputs(partner_word(job, op), out);
        else if (strcmp(key, "status") == 0)
            fputs(word_of_gap(member, op_class), out);
    }
    fputs("\r\n", out);
}

static void
write_gaps(const struct job_index *job, FILE *out)
{
    for (size_t i = 0; i < job->n_members; i++)
        for (uint8_t k = 0; k < JOB_QUEUES; k++)
            if (!job_index_knows_queue(&job->members[i], k))
                write_row(job, out, &job->members[i], job_index_class(k), NULL);
}

void
export_csv(const struct verdict *verdict, FILE *out)
{
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", columns[i].name);
    fputs("\r\n", out);
    for (size_t i = 0; i < verdict->job.n_ops; i++) {
        const struct job_op *op = &verdict->job.ops[i];
        write_row(&verdict->job, out, &verdict->job.members[op->member], job_index_class(op->queue),
                  op);
    }
    write_gaps(&verdict->job, out);
}

// Who waits for whom as a graph for Graphviz.

enum {
    PROCESSES_MAX = 50, // more are shown by groups
    TARGETS_MAX = 64,   // of one operation or collective
    LABEL_MAX = 200,    // bytes
    RUNS_SHOWN = 6
};

struct arrow {
    uint32_t from, to; // nodes of the picture
    bool deadlock;
    bool any;
};

struct picture {
    const struct verdict *verdict;
    bool by_group;
    bool *held; // by process: in a knot
    struct arrow *arrows;
    size_t count, capacity;
};

static uint32_t
node_of(const struct picture *picture, uint32_t process)
{
    return picture->by_group ? picture->verdict->job.processes[process].group : process;
}

static void
add_arrow(struct picture *picture, uint32_t from, uint32_t to, bool any)
{
    *ALLOC_ADD(picture->arrows, picture->count, picture->capacity) =
        (struct arrow){node_of(picture, from), node_of(picture, to),
                       picture->held[from] && picture->held[to], any};
}

/** From a process to the processes that a node of the graph waits for. */
static void
add_targets(struct picture *picture, uint32_t process, uint32_t number)
{
    const struct graph *graph = &picture->verdict->waits.graph;
    const struct node *node = &graph->nodes[number];
    for (uint32_t i = node->first; i < node->first + node->count && i < node->first + TARGETS_MAX;
         i++) {
        const struct node *to = &graph->nodes[graph->edges[i].to];
        if (to->what == WHAT_PROCESS && to->number != process)
            add_arrow(picture, process, to->number, node->any && node->count > 1);
        else if (to->what == WHAT_MEMBERS)
            add_targets(picture, process, graph->edges[i].to);
    }
}

/** The process whose thread, or whose queues, a node stands for; NOBODY: for none. */
static int32_t
process_of(const struct verdict *verdict, const struct node *node)
{
    if (node->what == WHAT_THREAD)
        return (int32_t) verdict->job.threads[node->number].process;
    return node->what == WHAT_QUEUES ? (int32_t) node->number : NOBODY;
}

static void
gather(struct picture *picture)
{
    const struct graph *graph = &picture->verdict->waits.graph;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const struct node *node = &graph->nodes[i];
        int32_t process = process_of(picture->verdict, node);
        if (process == NOBODY)
            continue;
        for (uint32_t k = node->first; k < node->first + node->count; k++) {
            const struct node *to = &graph->nodes[graph->edges[k].to];
            if ((to->what == WHAT_OPERATION || to->what == WHAT_COLLECTIVE ||
                 to->what == WHAT_NONBLOCKING) &&
                to->state == NODE_WAITS)
                add_targets(picture, (uint32_t) process, graph->edges[k].to);
        }
    }
}

static int
compare(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;
    // The one that tells most stands first, and is the one that is drawn.
    return COMPARE({a->from, b->from}, {a->to, b->to}, {b->deadlock, a->deadlock});
}

void
export_label(FILE *out, struct strbuf *words)
{
    char *text = strbuf_take(words), *escaped = escape_text(text, LABEL_MAX);
    for (const char *s = escaped; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', out);
        fputc(*s, out);
    }
    free(escaped);
    free(text);
}

static void
write_node(const struct picture *picture, FILE *out, uint32_t number, const uint32_t *processes,
           size_t count)
{
    const struct verdict *verdict = picture->verdict;
    const char *situation =
        intern_get_text(&verdict->situations, verdict->job.processes[processes[0]].group);
    struct strbuf words = {.text = NULL};
    bool held = false;
    for (size_t i = 0; i < count; i++)
        held |= picture->held[processes[i]];
    fprintf(out, "  n%u [label=\"", number);
    verdict_add_ranks(verdict, &words, processes, count);
    export_label(out, &words);
    fputs("\\n", out);
    strbuf_add(&words, "%s", situation);
    export_label(out, &words);
    fprintf(out, "\"%s];\n", held ? ", color=red" : "");
}

static void
write_nodes(const struct picture *picture, FILE *out)
{
    const struct verdict *verdict = picture->verdict;
    if (picture->by_group)
        for (size_t i = 0; i < verdict->n_groups; i++)
            write_node(picture, out, verdict->groups[i].situation, verdict->groups[i].processes,
                       verdict->groups[i].count);
    else
        for (uint32_t i = 0; i < verdict->job.n_processes; i++)
            write_node(picture, out, i, &i, 1);
}

static void
write_arrows(const struct picture *picture, FILE *out)
{
    for (size_t i = 0; i < picture->count; i++) {
        const struct arrow *arrow = &picture->arrows[i];
        bool again = i > 0 && arrow->from == arrow[-1].from && arrow->to == arrow[-1].to;
        if (!again)
            fprintf(out, "  n%u -> n%u [style=%s%s];\n", arrow->from, arrow->to,
                    arrow->any ? "dashed" : "solid", arrow->deadlock ? ", color=red" : "");
    }
}

void
export_dot(const struct verdict *verdict, FILE *out)
{
    struct picture picture = {.verdict = verdict,
                              .by_group = verdict->job.n_processes > PROCESSES_MAX,
                              .held = alloc_zeroed(verdict->job.n_processes, sizeof(bool))};
    struct strbuf title = {.text = NULL};
    for (size_t i = 0; i < verdict->knots.count; i++)
        for (size_t k = 0; k < verdict->knots.items[i].n_processes; k++)
            picture.held[verdict->knots.items[i].processes[k]] = true;
    gather(&picture);
    if (picture.count > 0)
        qsort(picture.arrows, picture.count, sizeof *picture.arrows, compare);
    strbuf_add(&title, "%s", verdict->text);
    fputs("digraph waits {\n  node [shape=box, fontname=\"sans-serif\"];\n  label=\"", out);
    export_label(out, &title);
    fputs("\";\n", out);
    write_nodes(&picture, out);
    write_arrows(&picture, out);
    fputs("}\n", out);
    free(picture.arrows);
    free(picture.held);
}

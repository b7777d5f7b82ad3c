// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about the operations in one queue.
#include "mqshow/base/escape.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/mqd/query.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LINES = 5,
    SLACK = 256, // bytes behind a record, for a library whose record is longer
    MQD_MEMBERS = MQS_OP_PEER | MQS_OP_TAG | MQS_OP_LENGTH | MQS_OP_BUFFER | MQS_OP_ACTUAL,
};

/** The lines of text of an operation as one text; NULL when there are none. */
static char *
join_lines(const mqs_pending_operation *seen)
{
    struct strbuf all = {.text = NULL};
    for (size_t i = 0; i < TEXT_LINES && seen->extra_text[i][0] != '\0'; i++) {
        char *line = escape_text(seen->extra_text[i], sizeof seen->extra_text[i]);
        strbuf_add(&all, "%s\n", line);
        free(line);
    }
    return all.text;
}

/** The text that a library gives for an operation, most often the same for the next one. */
struct last_text {
    char lines[sizeof(((mqs_pending_operation *) NULL)->extra_text)];
    char *text;
};

static const char *
text_of(struct last_text *last, const mqs_pending_operation *seen)
{
    if (last->text != NULL && memcmp(last->lines, seen->extra_text, sizeof last->lines) == 0)
        return last->text;
    memcpy(last->lines, seen->extra_text, sizeof last->lines);
    free(last->text);
    last->text = join_lines(seen);
    return last->text;
}

/** A rank or tag, an int in MPI: some libraries forget to extend the sign of -1. */
static int32_t
narrow(mqs_tword_t value)
{
    return (int32_t) value;
}

/** Adds what MQD 1.0 does not report; without it, all of MQD's members count as known. */
static void
add_details(struct query *query, struct seen_operation *op)
{
    mqs_operation_details details = {.known = 0};
    op->known = MQD_MEMBERS;
    if (query->dll->mqs_get_operation_details == NULL ||
        query->dll->mqs_get_operation_details(query->process, &details) != mqs_ok)
        return;
    op->known = details.known;
    op->kind = details.kind;
    op->persistent = details.persistent != 0;
    op->rendezvous = details.rendezvous != 0;
    op->freed = details.freed != 0;
    op->blocked = details.blocked != 0;
    op->unseen = details.unseen != 0;
    op->count = details.count;
    op->request = details.request;
    if (details.datatype[0] != '\0')
        op->datatype = escape_text(details.datatype, sizeof details.datatype);
}

static void
add_operation(struct query *query, struct operations *queue, const mqs_pending_operation *seen,
              int op_class, struct last_text *last)
{
    struct seen_operation op = {
        .status = seen->status,
        .any_tag = seen->tag_wild != 0,
        .system_buffer = seen->system_buffer != 0,
        .buffer = seen->buffer,
        .desired = {narrow(seen->desired_local_rank), narrow(seen->desired_global_rank),
                    narrow(seen->desired_tag), seen->desired_length},
        .actual = {narrow(seen->actual_local_rank), narrow(seen->actual_global_rank),
                   narrow(seen->actual_tag), seen->actual_length},
        .text = text_of(last, seen),
    };
    add_details(query, &op);
    query_operation(queue, &op, op_class);
    free(op.datatype);
}

void
query_queue(struct query *query, struct communicator *comm, int op_class)
{
    const struct dll *dll = query->dll;
    struct operations *queue = communicator_queue(comm, op_class);
    struct last_text last = {.text = NULL};
    int code = dll->mqs_setup_operation_iterator(query->process, op_class);
    if (code == mqs_no_information)
        return;
    communicator_set_queue(comm, op_class, code == mqs_ok || code == mqs_end_of_list, false);
    while (code == mqs_ok) {
        union {
            mqs_pending_operation op;
            char room[sizeof(mqs_pending_operation) + SLACK];
        } seen = {.room = ""};
        code = dll->mqs_next_operation(query->process, &seen.op);
        if (code != mqs_ok)
            break;
        if (queue->count >= query->options->limit) {
            communicator_set_queue(comm, op_class, true, true);
            report_problem(query->report,
                           alloc_format("communicator %s: more than %zu %s; see --limit",
                                        comm->name, queue->count, queue_name(op_class)));
            break;
        }
        add_operation(query, queue, &seen.op, op_class, &last);
    }
    free(last.text);
    operations_end(queue);
    if (code == mqs_ok || code == mqs_end_of_list)
        return;
    communicator_set_queue(comm, op_class, communicator_has_queue(comm, op_class), true);
    // That nothing more can be known is no failure.
    if (code != mqs_no_information)
        query_add_failure(query, queue_name(op_class), code);
}

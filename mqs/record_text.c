// SPDX-License-Identifier: BSD-3-Clause
// The lines of text that go with an operation.
#include "mqs/record.h"

#include <stdio.h>

enum { LINES = 4, LINE = sizeof(((mqs_pending_operation *) 0)->extra_text[0]) };

/** The lines of a record as they are filled. */
struct lines {
    mqs_pending_operation *record;
    unsigned count;
};

static const char *const kind_text[] = {
    [OP_KIND_RECEIVE] = "Receive",         [OP_KIND_SEND] = "Send: standard mode",
    [OP_KIND_SSEND] = "Send: synchronous", [OP_KIND_BSEND] = "Send: buffered",
    [OP_KIND_RSEND] = "Send: ready mode",  [OP_KIND_PROBE] = "Probe: waits for a message",
    [OP_KIND_MESSAGE] = "Message",
};

static char *
next_line(struct lines *lines)
{
    return lines->count < LINES ? lines->record->extra_text[lines->count++] : NULL;
}

static void
say_kind(struct lines *lines, const struct op *op)
{
    const char *note = "";

    if (op->kind == OP_KIND_MESSAGE && op->request != 0)
        note = ": taken by a matched probe, not received yet";
    else if (op->kind == OP_KIND_MESSAGE)
        note = op->rendezvous ? ": rendezvous, the data is still at the sender" : ": eager";
    snprintf(next_line(lines), LINE, "%s%s%s", kind_text[op->kind], note,
             op->persistent ? ", persistent" : "");
}

static void
say_data(struct lines *lines, const struct op *op)
{
    if (!(op->known & OP_KNOWS_COUNT))
        return;
    if (op->known & OP_KNOWS_DATATYPE)
        snprintf(next_line(lines), LINE, "Data: %lld x %.40s", (long long) op->count,
                 op->datatype[0] == '\0' ? "a derived datatype" : op->datatype);
    else
        snprintf(next_line(lines), LINE, "Data: %lld elements", (long long) op->count);
}

static void
say_state(struct lines *lines, const struct op *op)
{
    if (!op->cancelled && !op->freed && !op->blocked)
        return;
    snprintf(next_line(lines), LINE, "%s%s%s%s%s", op->cancelled ? "cancelled" : "",
             op->cancelled && (op->freed || op->blocked) ? ", " : "",
             op->freed ? "freed by MPI_Request_free" : "", op->freed && op->blocked ? ", " : "",
             op->blocked ? "a thread waits for it" : "");
}

// Peers of an intercommunicator are numbers of the remote group, which a record has no other room
// for.
static void
say_remote(struct lines *lines, const struct comm *comm, const struct group *group)
{
    char *line;

    if (!comm->inter || (line = next_line(lines)) == NULL)
        return;
    int at = snprintf(line, LINE, "Remote group of %lld:", (long long) comm->peer_size);
    for (uint32_t i = 0; group->ranks != NULL && i < group->size && at < LINE - 8; ++i)
        at += group->ranks[i] == NO_RANK
                  ? snprintf(line + at, (size_t) (LINE - at), " -")
                  : snprintf(line + at, (size_t) (LINE - at), " %d", group->ranks[i]);
}

void
record_text(const struct comm *comm, const struct op *op, const struct group *peers,
            mqs_pending_operation *ret)
{
    struct lines lines = {.record = ret};

    say_kind(&lines, op);
    say_data(&lines, op);
    say_state(&lines, op);
    say_remote(&lines, comm, peers);
}

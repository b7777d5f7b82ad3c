// SPDX-License-Identifier: BSD-3-Clause
// The lines of text that go with an operation.
#include "mqs/record.h"

#include <stdarg.h>
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

// Adds a line while there is room for one.
static void PRINTF(2, 3) say(struct lines *lines, const char *format, ...)
{
    va_list args;

    if (lines->count == LINES)
        return;
    va_start(args, format);
    vsnprintf(lines->record->extra_text[lines->count++], LINE, format, args);
    va_end(args);
}

static void
say_kind(struct lines *lines, const struct op *op)
{
    const char *note = "";

    if (!(op->known & OP_KNOWS_KIND))
        return;
    if (op->kind == OP_KIND_MESSAGE && op->request != 0)
        note = ": taken by a matched probe, not received yet";
    else if (op->kind == OP_KIND_MESSAGE && op->known & OP_KNOWS_BYTES)
        note = op->rendezvous ? ": rendezvous, the data is still at the sender" : ": eager";
    say(lines, "%s%s%s", kind_text[op->kind], note, op->persistent ? ", persistent" : "");
}

static void
say_data(struct lines *lines, const struct op *op)
{
    const char *name = op->datatype[0] == '\0' ? "a derived datatype" : op->datatype;

    if (op->known & OP_KNOWS_COUNT)
        say(lines, "Data: %lld x %.40s", (long long) op->count,
            op->known & OP_KNOWS_DATATYPE ? name : "an unknown datatype");
    if (op->copy != 0)
        say(lines, "Copied to the attached buffer at %#llx", (unsigned long long) op->copy);
}

static void
say_state(struct lines *lines, const struct op *op)
{
    if (op->cancelled)
        say(lines, "Cancelled");
    if (op->freed)
        say(lines, "Freed by MPI_Request_free");
    if (op->unseen)
        say(lines, "MPI has not looked at it yet");
    if (op->blocked)
        say(lines, "A thread waits for it");
}

// Peers of an intercommunicator are numbers of the remote group, which a record has no other room
// for.
static void
say_remote(struct lines *lines, const struct comm *comm, const struct group *group)
{
    char line[LINE];

    if (!comm->inter)
        return;
    int at = snprintf(line, sizeof(line), "Remote group of %lld:", (long long) comm->peer_size);
    for (uint32_t i = 0; group->ranks != NULL && i < group->size && at < LINE - 8; ++i)
        at += group->ranks[i] == NO_RANK
                  ? snprintf(line + at, (size_t) (LINE - at), " -")
                  : snprintf(line + at, (size_t) (LINE - at), " %d", group->ranks[i]);
    say(lines, "%s", line);
}

void
record_text(const struct comm *comm, const struct op *op, const struct group *peers,
            mqs_pending_operation *ret)
{
    struct lines lines = {.record = ret};

    say_kind(&lines, op);
    if (op->note[0] != '\0')
        say(&lines, "%s", op->note);
    say_data(&lines, op);
    say_remote(&lines, comm, peers);
    say_state(&lines, op);
}

// SPDX-License-Identifier: BSD-3-Clause
// What can be told of an operation: which members of its record hold.
#include "tools/print.h"

#include <stddef.h>

static bool
knows(const struct operation *op, uint32_t members)
{
    return (op->known & members) == members;
}

/** Whether the actual envelope says more than the other one. */
static bool
differs(const struct operation *op)
{
    return op->actual.peer != op->desired.peer || op->actual.tag != op->desired.tag ||
           op->actual.bytes != op->desired.bytes;
}

struct shown_operation
print_judge(const struct operation *op, int op_class)
{
    bool matched = op->status == mqs_st_matched || op->status == mqs_st_complete;
    bool receive = op_class == mqs_pending_receives;
    bool has_actual = knows(op, MQS_OP_ACTUAL) && (matched || op_class == mqs_pending_sends);
    struct shown_operation shown = {.envelope = op->desired};
    // MQD fills in both envelopes of an unexpected message, or only the actual one.
    if (op_class == mqs_unexpected_messages && has_actual && op->desired.peer < 0)
        shown.envelope = op->actual;
    shown.has_peer = knows(op, MQS_OP_PEER) && (receive || shown.envelope.peer >= 0);
    shown.any_peer = shown.has_peer && shown.envelope.peer < 0;
    shown.has_world_peer = shown.has_peer && (shown.any_peer || shown.envelope.world_peer >= 0 ||
                                              knows(op, MQS_OP_WORLD));
    shown.has_tag = knows(op, MQS_OP_TAG);
    shown.any_tag = shown.has_tag && op->any_tag;
    shown.has_bytes = knows(op, MQS_OP_LENGTH) && shown.envelope.bytes >= 0;
    shown.has_actual = has_actual && (receive || differs(op));
    if (op_class == mqs_unexpected_messages && op->desired.peer < 0)
        shown.has_actual = false;
    return shown;
}

static const struct {
    const char *name;
    size_t offset;
    bool is_most; // of several processes the largest counts, not the sum
} counters[] = {
    {"reads", offsetof(struct host_stats, reads), false},
    {"bytes", offsetof(struct host_stats, bytes), false},
    {"symbols", offsetof(struct host_stats, symbols), false},
    {"types", offsetof(struct host_stats, types), false},
    {"allocations", offsetof(struct host_stats, allocations), false},
    {"peak", offsetof(struct host_stats, peak), true},
    {"cpu_us", offsetof(struct host_stats, cpu_us), false},
    {"starved_us", offsetof(struct host_stats, starved_us), false},
    {"stops_us", offsetof(struct host_stats, stops_us), false},
    {"pauses_us", offsetof(struct host_stats, pauses_us), false},
};

const char *
stats_name(unsigned i)
{
    return i < sizeof counters / sizeof *counters ? counters[i].name : NULL;
}

uint64_t
stats_value(const struct host_stats *stats, unsigned i)
{
    return *(const uint64_t *) (const void *) ((const char *) stats + counters[i].offset);
}

void
stats_add(struct host_stats *stats, unsigned i, uint64_t value)
{
    uint64_t *count = (uint64_t *) (void *) ((char *) stats + counters[i].offset);
    if (!counters[i].is_most)
        *count += value;
    else if (*count < value)
        *count = value;
}

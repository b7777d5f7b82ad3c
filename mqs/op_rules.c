// SPDX-License-Identifier: BSD-3-Clause
// What holds of every operation, member by member.
#include "mqs/op_rules.h"

#include <stddef.h>
#include <string.h>

// Negative ranks and tags with a meaning (MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_UNDEFINED, ...) are
// few, and near to zero. No message is so long that its length could be an address.
enum { SPECIAL_MIN = -3, OUTCOME_MIN = -(1 << 15) };
#define LENGTH_MAX (INT64_C(1) << 44)
enum limit { LIMIT_PEERS, LIMIT_INT, LIMIT_LENGTH, LIMIT_NONE };

static const struct rule {
    const char *name;
    unsigned known; // only then it holds
    size_t member;  // of struct op, an int64_t
    int64_t least;
    enum limit limit;
} rules[] = {
    {"peer", OP_KNOWS_PEER, offsetof(struct op, peer), SPECIAL_MIN, LIMIT_PEERS},
    {"tag", OP_KNOWS_TAG, offsetof(struct op, tag), SPECIAL_MIN, LIMIT_INT},
    {"length", OP_KNOWS_BYTES, offsetof(struct op, bytes), 0, LIMIT_LENGTH},
    {"count", OP_KNOWS_COUNT, offsetof(struct op, count), 0, LIMIT_NONE},
    {"source", OP_KNOWS_ACTUAL, offsetof(struct op, actual_peer), OUTCOME_MIN, LIMIT_PEERS},
    {"received tag", OP_KNOWS_ACTUAL, offsetof(struct op, actual_tag), OUTCOME_MIN, LIMIT_INT},
    {"received length", OP_KNOWS_ACTUAL, offsetof(struct op, actual_bytes), OUTCOME_MIN,
     LIMIT_LENGTH},
};

// Data is somewhere: in the process, or where its datatype has absolute addresses.
static bool
has_odd_buffer(const struct op *op)
{
    return op->known & OP_KNOWS_BUFFER && op->known & OP_KNOWS_BYTES && op->bytes > 0 &&
           op->buffer != 0 && !op_address(op->buffer);
}

// Elements of a datatype are of one size.
static bool
has_odd_count(const struct op *op)
{
    return op->known & OP_KNOWS_COUNT && op->known & OP_KNOWS_BYTES && op->bytes > 0 &&
           (op->count == 0 || op->bytes % op->count != 0);
}

// What a receive has matched is what it asked for.
static bool
has_odd_match(const struct op *op)
{
    if (op->kind != OP_KIND_RECEIVE || op->status != OP_MATCHED || !(op->known & OP_KNOWS_ACTUAL))
        return false;
    return (op->known & OP_KNOWS_PEER &&
            (op->any_peer ? op->actual_peer < 0 : op->actual_peer != op->peer)) ||
           (op->known & OP_KNOWS_TAG &&
            (op->any_tag ? op->actual_tag < 0 : op->actual_tag != op->tag));
}

// Members that contradict one another.
static const struct relation {
    const char *what;
    bool (*is_odd)(const struct op *op);
} relations[] = {
    {"its data cannot be there", has_odd_buffer},
    {"its length is not that of its elements", has_odd_count},
    {"it has matched another message than it asks for", has_odd_match},
};

static enum status
check_relations(struct trail *trail, const struct op *op)
{
    for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); ++i)
        if (relations[i].is_odd(op))
            return trail_begin(trail, STATUS_CORRUPT, "request at %#llx: %s",
                               (unsigned long long) op->request, relations[i].what);
    return STATUS_OK;
}

enum status
op_check(struct trail *trail, const struct comm *comm, const struct op *op)
{
    const int64_t limits[] = {[LIMIT_PEERS] = comm->peer_size - 1,
                              [LIMIT_INT] = INT32_MAX,
                              [LIMIT_LENGTH] = LENGTH_MAX,
                              [LIMIT_NONE] = INT64_MAX};
    int64_t value;

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i) {
        const struct rule *rule = &rules[i];
        memcpy(&value, (const char *) op + rule->member, sizeof(value));
        if (op->known & rule->known && (value < rule->least || value > limits[rule->limit]))
            return trail_begin(trail, STATUS_CORRUPT, "request at %#llx: %s %lld cannot be",
                               (unsigned long long) op->request, rule->name, (long long) value);
    }
    return check_relations(trail, op);
}

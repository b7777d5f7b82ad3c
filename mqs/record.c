// SPDX-License-Identifier: BSD-3-Clause
// The records of mqs.h and mqs_ext.h.
#include "mqs/record.h"

#include <string.h>

_Static_assert((int) NO_RANK == (int) MQS_INVALID_PROCESS, "ranks need no translation");
_Static_assert((int) OP_KIND_MESSAGE == (int) mqs_kind_message, "kinds need no translation");
_Static_assert((int) PHASES == (int) mqs_phase_count, "phases need no translation");
_Static_assert((int) COLLECTIVES == (int) mqs_comm_class_count, "collectives need no translation");
_Static_assert((int) OP_COMPLETE == (int) mqs_st_complete, "statuses need no translation");
_Static_assert((int) OP_UNEXPECTED == (int) mqs_unexpected_messages, "classes likewise");
_Static_assert(sizeof(((mqs_communicator *) 0)->name) == COMM_NAME, "names need no cutting");
_Static_assert(sizeof(((mqs_operation_details *) 0)->datatype) == DATATYPE_NAME, "likewise");

void
record_communicator(const struct comm *comm, mqs_communicator *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->unique_id = comm->id & INT64_MAX;
    ret->local_rank = comm->rank;
    ret->size = comm->size;
    memcpy(ret->name, comm->name, sizeof(ret->name) - 1);
}

void
record_communicator_details(const struct comm *comm, mqs_communicator_details *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->known = MQS_COMM_INTER | MQS_COMM_ADDRESS;
    ret->inter = comm->inter;
    // Not every implementation marks what the user has freed, so there is no no.
    if (comm->freed)
        ret->known |= MQS_COMM_FREED;
    ret->freed = comm->freed;
    ret->address = comm->addr;
    if (comm->inter) {
        ret->known |= MQS_COMM_REMOTE_SIZE;
        ret->remote_size = comm->peer_size;
    }
}

static int64_t
world_rank(const struct group *group, int64_t rank)
{
    return group->ranks != NULL && rank >= 0 && rank < (int64_t) group->size ? group->ranks[rank]
                                                                             : NO_RANK;
}

bool
record_operation(struct session *session, const struct comm *comm, const struct op *op,
                 mqs_pending_operation *ret)
{
    struct group group = {0};

    // A group that cannot be translated leaves the ranks in MPI_COMM_WORLD unknown.
    if (session_group(session, comm->peer_group, comm->peer_size, &group) != STATUS_OK)
        group.ranks = NULL;
    memset(ret, 0, sizeof(*ret));
    ret->status = (int) op->status;
    ret->desired_local_rank = op->known & OP_KNOWS_PEER && !op->any_peer ? op->peer : NO_RANK;
    ret->desired_global_rank = world_rank(&group, ret->desired_local_rank);
    ret->tag_wild = op->any_tag;
    ret->desired_tag = op->tag;
    ret->desired_length = op->known & OP_KNOWS_BYTES ? op->bytes : -1;
    ret->system_buffer = op->system_buffer;
    ret->buffer = op->buffer;
    ret->actual_local_rank = op->known & OP_KNOWS_ACTUAL ? op->actual_peer : NO_RANK;
    ret->actual_global_rank = world_rank(&group, ret->actual_local_rank);
    ret->actual_tag = op->known & OP_KNOWS_ACTUAL ? op->actual_tag : -1;
    ret->actual_length = op->known & OP_KNOWS_ACTUAL ? op->actual_bytes : -1;
    record_text(comm, op, &group, ret);
    return group.ranks != NULL;
}

// Which bit of the one mask is which of the other.
static const struct {
    unsigned from;
    uint32_t to;
} known_bits[] = {
    {OP_KNOWS_PEER, MQS_OP_PEER},         {OP_KNOWS_TAG, MQS_OP_TAG},
    {OP_KNOWS_BYTES, MQS_OP_LENGTH},      {OP_KNOWS_COUNT, MQS_OP_COUNT},
    {OP_KNOWS_DATATYPE, MQS_OP_DATATYPE}, {OP_KNOWS_BUFFER, MQS_OP_BUFFER},
    {OP_KNOWS_ACTUAL, MQS_OP_ACTUAL},     {OP_KNOWS_PERSISTENT, MQS_OP_PERSISTENT},
    {OP_KNOWS_FREED, MQS_OP_FREED},       {OP_KNOWS_BLOCKED, MQS_OP_BLOCKED},
    {OP_KNOWS_UNSEEN, MQS_OP_UNSEEN},     {OP_KNOWS_KIND, MQS_OP_KIND},
};

void
record_operation_details(const struct op *op, bool world, mqs_operation_details *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < sizeof(known_bits) / sizeof(known_bits[0]); ++i)
        if (op->known & known_bits[i].from)
            ret->known |= known_bits[i].to;
    if (world)
        ret->known |= MQS_OP_WORLD;
    if (op->request != 0)
        ret->known |= MQS_OP_REQUEST;
    if (op->kind == OP_KIND_MESSAGE && op->request == 0 && op->known & OP_KNOWS_BYTES)
        ret->known |= MQS_OP_RENDEZVOUS;
    ret->kind = (int) op->kind;
    ret->persistent = op->persistent;
    ret->count = op->count;
    memcpy(ret->datatype, op->datatype, sizeof(ret->datatype) - 1);
    ret->request = op->request;
    ret->rendezvous = op->rendezvous;
    ret->freed = op->freed;
    ret->blocked = op->blocked;
    ret->unseen = op->unseen;
}

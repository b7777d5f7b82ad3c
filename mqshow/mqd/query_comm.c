// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about communicators.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/query.h"
#include "mqshow/base/diag.h"

#include <stdlib.h>

enum {
    COMMS_MAX = 100000,
    TRAFFIC_MAX = 4096, // processes; of who talks with more, nothing is reported
    SLACK = 256,        // bytes behind a record, for a library whose record is longer
};

static void
query_details(struct query *query, struct communicator *comm)
{
    mqs_communicator_details details = {.known = 0};
    if (query->dll->mqs_get_communicator_details == NULL ||
        query->dll->mqs_get_communicator_details(query->process, &details) != mqs_ok)
        return;
    if ((details.known & MQS_COMM_INTER) != 0)
        SET(comm, COMM_INTER, inter, details.inter != 0);
    if ((details.known & MQS_COMM_FREED) != 0)
        SET(comm, COMM_FREED, freed, details.freed != 0);
    if (comm->inter && (details.known & MQS_COMM_REMOTE_SIZE) != 0)
        SET(comm, COMM_REMOTE_SIZE, remote_size, details.remote_size);
    if ((details.known & MQS_COMM_ADDRESS) != 0)
        SET(comm, COMM_ADDRESS, address, details.address);
}

/** The ranks that a function of the library gives. @return whether it does */
static bool
query_group(struct query *query, int (*get)(mqs_process *process, int *ranks), int64_t size,
            struct ranks *ret)
{
    if (get == NULL || size <= 0 || size > RANKS_MAX)
        return false;
    int *ranks = alloc_zeroed((size_t) size + SLACK, sizeof *ranks);
    struct rank_list list = {.runs = NULL};
    int code = get(query->process, ranks);
    // A process of another job has no rank in this one's MPI_COMM_WORLD.
    for (int64_t i = 0; code == mqs_ok && i < size; i++) {
        int rank = ranks[i] >= 0 ? ranks[i] : -1;
        ranks_append(&list, rank, rank);
    }
    free(ranks);
    if (code == mqs_ok)
        *ret = ranks_keep(&list, query->report->texts);
    else if (code != mqs_no_information)
        query_add_failure(query, "group of a communicator", code);
    return code == mqs_ok;
}

static void
query_groups(struct query *query, struct communicator *comm)
{
    const struct dll *dll = query->dll;
    if (query_group(query, dll->mqs_get_comm_group, comm->size, &comm->group))
        comm->has |= 1u << COMM_GROUP;
    if (HAS(comm, COMM_REMOTE_SIZE) &&
        query_group(query, dll->mqs_get_comm_remote_group, comm->remote_size, &comm->remote_group))
        comm->has |= 1u << COMM_REMOTE_GROUP;
}

/** Adds the numbers of messages to and from the processes of the current communicator. */
static void
query_traffic(struct query *query, struct communicator *comm)
{
    bool known = HAS(comm, comm->inter ? COMM_REMOTE_GROUP : COMM_GROUP);
    const struct ranks *peers = comm->inter ? &comm->remote_group : &comm->group;
    if (!known || query->dll->mqs_get_comm_traffic == NULL)
        return;
    for (int64_t i = 0; i < peers->count; i++) {
        struct peer_traffic traffic = {.rank = (int32_t) ranks_get(peers, i)};
        int code = query->dll->mqs_get_comm_traffic(query->process, (int) i, &traffic.sent,
                                                    &traffic.received);
        bool is_silent = traffic.sent == 0 && traffic.received == 0;
        if (code != mqs_ok ||
            (!is_silent && (traffic.rank < 0 || comm->traffic.count >= TRAFFIC_MAX))) {
            comm->traffic.count = 0;
            return;
        }
        if (!is_silent)
            *ALLOC_ADD(comm->traffic.items, comm->traffic.count, comm->traffic.capacity) = traffic;
    }
    comm->has |= 1u << COMM_TRAFFIC;
}

/** Adds whom this process waits for in a collective in progress; none, unless all are known. */
static void
query_coll_peers(struct query *query, struct collective_record *collective, int comm_class)
{
    enum { PEERS_MAX = 64 };
    int peer = 0, code = mqs_ok;
    if (query->dll->mqs_get_comm_coll_peer == NULL)
        return;
    for (int i = 0; i < PEERS_MAX && code == mqs_ok; i++) {
        code = query->dll->mqs_get_comm_coll_peer(query->process, comm_class, i, &peer);
        if (code != mqs_ok)
            break;
        *ALLOC_ADD(collective->peers.items, collective->peers.count, collective->peers.capacity) =
            peer;
    }
    if (code == mqs_end_of_list && collective->peers.count > 0)
        collective->has |= 1u << COLLECTIVE_PEERS;
}

static void
add_collective(struct query *query, struct communicator *comm, int comm_class)
{
    struct collective_record *collective =
        ALLOC_ADD(comm->collectives.items, comm->collectives.count, comm->collectives.capacity);
    record_init(&collective_record_type, collective);
    collective->name = collective_name(comm_class);
    SET(collective, COLLECTIVE_ACTIVE, active, true);
    query_coll_peers(query, collective, comm_class);
    comm->has |= 1u << COMM_COLLECTIVES;
}

static void
query_collectives(struct query *query, struct communicator *comm)
{
    if (query->dll->mqs_get_comm_coll_state == NULL)
        return;
    for (int i = 0; i < mqs_comm_class_count; i++) {
        int count = 0, active = 0;
        if (query->dll->mqs_get_comm_coll_state(query->process, i, &count, &active) == mqs_ok &&
            active != 0 && collective_name(i) != NULL)
            add_collective(query, comm, i);
    }
}

static void
add_nonblocking(struct communicator *comm, const mqs_nonblocking_collective *found)
{
    struct nonblocking_record *record =
        ALLOC_ADD(comm->nonblocking.items, comm->nonblocking.count, comm->nonblocking.capacity);
    record_init(&nonblocking_record_type, record);
    if (found->known & MQS_NBC_SEQUENCE)
        SET(record, NONBLOCKING_SEQUENCE, sequence, found->sequence);
    if (found->known & MQS_NBC_REQUEST)
        SET(record, NONBLOCKING_REQUEST, request, found->request);
    if (found->known & MQS_NBC_PERSISTENT && found->persistent)
        SET(record, NONBLOCKING_PERSISTENT, persistent, true);
    if (found->known & MQS_NBC_UNMATCHED)
        SET(record, NONBLOCKING_UNMATCHED, unmatched, found->unmatched != 0);
    bool has_peers =
        found->known & MQS_NBC_PEERS && found->n_peers > 0 && found->n_peers <= MQS_NBC_PEERS_MAX;
    for (int i = 0; has_peers && i < found->n_peers; i++)
        *ALLOC_ADD(record->peers.items, record->peers.count, record->peers.capacity) =
            found->peers[i];
    if (has_peers)
        record->has |= 1u << NONBLOCKING_PEERS;
    comm->has |= 1u << COMM_NONBLOCKING;
}

static void
query_nonblocking(struct query *query, struct communicator *comm)
{
    enum { NONBLOCKING_MAX = 4096 };
    const struct dll *dll = query->dll;
    mqs_nonblocking_collective found;
    int64_t next = 0;
    for (int i = 0; dll->mqs_get_comm_nonblocking && i < NONBLOCKING_MAX &&
                    dll->mqs_get_comm_nonblocking(query->process, i, &found) == mqs_ok;
         i++)
        add_nonblocking(comm, &found);
    if (dll->mqs_get_comm_nonblocking_next &&
        dll->mqs_get_comm_nonblocking_next(query->process, &next) == mqs_ok)
        SET(comm, COMM_NEXT_NONBLOCKING, next_nonblocking, next);
}

/** Adds the current communicator. */
static void
query_communicator(struct query *query, const mqs_communicator *seen)
{
    static const int classes[] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};
    struct report *report = query->report;
    struct communicator *comm =
        ALLOC_ADD(report->comms.items, report->comms.count, report->comms.capacity);
    record_init(&communicator_type, comm);
    comm->name = report_keep(report, escape_text(seen->name, sizeof seen->name));
    // An id beyond what JSON's integers hold is shown by its bits.
    SET(comm, COMM_ID, id, (int64_t) seen->unique_id);
    SET(comm, COMM_SIZE, size, seen->size);
    // A rank is an int in MPI: some libraries forget to extend the sign of a negative one.
    comm->rank = (int32_t) seen->local_rank;
    query_details(query, comm);
    query_groups(query, comm);
    query_traffic(query, comm);
    query_collectives(query, comm);
    query_nonblocking(query, comm);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        query_queue(query, comm, classes[i]);
}

/** That something is not shown; the communicators say what. */
static void
note_gaps(struct report *report)
{
    for (size_t i = 0; i < report->comms.count; i++)
        for (int k = 0; k < QUEUES; k++)
            if (!communicator_has_whole_queue(&report->comms.items[i], k))
                SET(report, PROCESS_INCOMPLETE, incomplete, true);
}

void
query_communicators(struct query *query)
{
    const struct dll *dll = query->dll;
    mqs_process *process = query->process;
    int code = dll->mqs_update_communicator_list(process);
    if (code != mqs_ok)
        query_add_failure(query, "list of communicators", code);
    code = dll->mqs_setup_communicator_iterator(process);
    if (code != mqs_ok && code != mqs_end_of_list)
        query_add_failure(query, "communicators", code);
    for (int i = 0; code == mqs_ok && i < COMMS_MAX; i++) {
        union {
            mqs_communicator comm;
            char room[sizeof(mqs_communicator) + SLACK];
        } seen = {.room = ""};
        diag_progress("reading process %d: communicator %d", (int) query->process->pid, i);
        int got = dll->mqs_get_communicator(process, &seen.comm);
        if (got != mqs_ok) {
            if (got != mqs_end_of_list)
                query_add_failure(query, "communicator", got);
            break;
        }
        query_communicator(query, &seen.comm);
        code = dll->mqs_next_communicator(process);
        if (code != mqs_ok && code != mqs_end_of_list)
            query_add_failure(query, "next communicator", code);
    }
    if (code == mqs_ok && query->report->comms.count >= COMMS_MAX)
        report_problem(query->report,
                       alloc_text("too many communicators to be real: the rest is not read"));
    note_gaps(query->report);
}

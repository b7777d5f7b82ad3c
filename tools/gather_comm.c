// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about communicators.
#include "tools/alloc.h"
#include "tools/escape.h"
#include "tools/gather.h"
#include "tools/say.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMMS_MAX = 100000,
    GROUP_MAX = 1 << 24,
    SLACK = 256, // bytes behind a record, for a library whose record is longer
};

static void
gather_details(struct gathering *gathering, struct communicator *comm)
{
    mqs_communicator_details details = {.known = 0};
    if (gathering->dll->mqs_get_communicator_details == NULL ||
        gathering->dll->mqs_get_communicator_details(gathering->process, &details) != mqs_ok)
        return;
    comm->known = details.known;
    comm->inter = details.inter != 0;
    comm->freed = details.freed != 0;
    comm->remote_size = details.remote_size;
    comm->address = details.address;
}

/** The ranks that a function of the library gives; NULL when it does not. */
static int *
gather_group(struct gathering *gathering, int (*get)(mqs_process *process, int *ranks),
             int64_t size)
{
    if (get == NULL || size <= 0 || size > GROUP_MAX)
        return NULL;
    int *ranks = alloc_zeroed((size_t) size + SLACK, sizeof *ranks);
    int code = get(gathering->process, ranks);
    if (code == mqs_ok)
        return ranks;
    free(ranks);
    if (code != mqs_no_information)
        gather_failure(gathering, "group of a communicator", code);
    return NULL;
}

static void
gather_groups(struct gathering *gathering, struct communicator *comm)
{
    const struct dll *dll = gathering->dll;
    comm->group = gather_group(gathering, dll->mqs_get_comm_group, comm->size);
    if (comm->inter && (comm->known & MQS_COMM_REMOTE_SIZE) != 0)
        comm->remote_group =
            gather_group(gathering, dll->mqs_get_comm_remote_group, comm->remote_size);
}

/** Adds whom this process waits for in a collective in progress; none, unless all are known. */
static void
gather_coll_peers(struct gathering *gathering, struct communicator *comm, int comm_class)
{
    enum { PEERS_MAX = 64 };
    int peer = 0, code = mqs_ok;
    size_t before = comm->n_coll_peers;
    if (gathering->dll->mqs_get_comm_coll_peer == NULL)
        return;
    for (int i = 0; i < PEERS_MAX && code == mqs_ok; i++) {
        code = gathering->dll->mqs_get_comm_coll_peer(gathering->process, comm_class, i, &peer);
        if (code != mqs_ok)
            break;
        comm->coll_peers = alloc_grow(comm->coll_peers, comm->n_coll_peers,
                                      &comm->coll_peers_capacity, sizeof *comm->coll_peers);
        comm->coll_peers[comm->n_coll_peers++] = (struct coll_peer){comm_class, peer};
    }
    if (code != mqs_end_of_list)
        comm->n_coll_peers = before;
}

static void
gather_collectives(struct gathering *gathering, struct communicator *comm)
{
    if (gathering->dll->mqs_get_comm_coll_state == NULL)
        return;
    for (int i = 0; i < mqs_comm_class_count; i++) {
        int count = 0, active = 0;
        if (gathering->dll->mqs_get_comm_coll_state(gathering->process, i, &count, &active) ==
                mqs_ok &&
            active != 0) {
            comm->collectives |= 1u << i;
            gather_coll_peers(gathering, comm, i);
        }
    }
}

/** Adds the current communicator. */
static void
gather_communicator(struct gathering *gathering, const mqs_communicator *seen)
{
    static const int classes[] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};
    struct report *report = gathering->report;
    report->comms =
        alloc_grow(report->comms, report->n_comms, &report->comms_capacity, sizeof *report->comms);
    struct communicator *comm = &report->comms[report->n_comms++];
    // A rank is an int in MPI: some libraries forget to extend the sign of a negative one.
    *comm = (struct communicator){.name = escape_text(seen->name, sizeof seen->name),
                                  .id = seen->unique_id,
                                  .size = seen->size,
                                  .rank = (int32_t) seen->local_rank};
    gather_details(gathering, comm);
    gather_groups(gathering, comm);
    gather_traffic(gathering, comm);
    gather_collectives(gathering, comm);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        gather_queue(gathering, comm, classes[i]);
}

/** That something is not shown; the communicators say what. */
static void
note_gaps(struct report *report)
{
    for (size_t i = 0; i < report->n_comms; i++)
        for (int k = 0; k < QUEUES; k++)
            report->incomplete |=
                !report->comms[i].queues[k].known || report->comms[i].queues[k].incomplete;
}

void
gather_communicators(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    mqs_process *process = gathering->process;
    int code = dll->mqs_update_communicator_list(process);
    if (code != mqs_ok)
        gather_failure(gathering, "list of communicators", code);
    code = dll->mqs_setup_communicator_iterator(process);
    if (code != mqs_ok && code != mqs_end_of_list)
        gather_failure(gathering, "communicators", code);
    for (int i = 0; code == mqs_ok && i < COMMS_MAX; i++) {
        union {
            mqs_communicator comm;
            char room[sizeof(mqs_communicator) + SLACK];
        } seen = {.room = ""};
        say_progress("reading process %d: communicator %d", (int) gathering->process->pid, i);
        int got = dll->mqs_get_communicator(process, &seen.comm);
        if (got != mqs_ok) {
            if (got != mqs_end_of_list)
                gather_failure(gathering, "communicator", got);
            break;
        }
        gather_communicator(gathering, &seen.comm);
        code = dll->mqs_next_communicator(process);
        if (code != mqs_ok && code != mqs_end_of_list)
            gather_failure(gathering, "next communicator", code);
    }
    if (code == mqs_ok && gathering->report->n_comms >= COMMS_MAX)
        report_problem(gathering->report, alloc_text("more communicators than can be true"));
    note_gaps(gathering->report);
}

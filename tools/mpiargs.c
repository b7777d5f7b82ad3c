// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of MPI calls tell.
#include "tools/mpiargs.h"

#include "tools/alloc.h"
#include "tools/callargs.h"
#include "tools/gather.h"
#include "tools/handles.h"
#include "tools/image.h"
#include "tools/memory.h"
#include "tools/model.h"
#include "tools/threads.h"

#include <string.h>

/** The place of the argument, from 0, in calls of one communicator. */
static const struct call {
    const char *name;
    unsigned number;
} calls[] = {
    {"MPI_Allgather", 6},      {"MPI_Allgatherv", 7},
    {"MPI_Allreduce", 5},      {"MPI_Alltoall", 6},
    {"MPI_Alltoallv", 8},      {"MPI_Alltoallw", 8},
    {"MPI_Barrier", 0},        {"MPI_Bcast", 4},
    {"MPI_Cart_create", 0},    {"MPI_Cart_sub", 0},
    {"MPI_Comm_create", 0},    {"MPI_Comm_dup", 0},
    {"MPI_Comm_split", 0},     {"MPI_Comm_split_type", 0},
    {"MPI_Exscan", 5},         {"MPI_Gather", 7},
    {"MPI_Gatherv", 8},        {"MPI_Reduce", 6},
    {"MPI_Reduce_scatter", 5}, {"MPI_Reduce_scatter_block", 5},
    {"MPI_Scan", 5},           {"MPI_Scatter", 7},
    {"MPI_Scatterv", 8},
};

/** Calls that wait for one message, and the places of their arguments. */
static const struct transfer {
    const char *name;
    int op_class, kind;
    const char *peer_name; // of the parameter
    unsigned peer, tag, comm;
} transfers[] = {
    {"MPI_Probe", mqs_pending_receives, mqs_kind_probe, "source", 0, 1, 2},
    {"MPI_Mprobe", mqs_pending_receives, mqs_kind_probe, "source", 0, 1, 2},
    {"MPI_Recv", mqs_pending_receives, mqs_kind_receive, "source", 3, 4, 5},
    {"MPI_Send", mqs_pending_sends, mqs_kind_send, "dest", 3, 4, 5},
    {"MPI_Ssend", mqs_pending_sends, mqs_kind_ssend, "dest", 3, 4, 5},
    {"MPI_Rsend", mqs_pending_sends, mqs_kind_rsend, "dest", 3, 4, 5},
};

/** What the MPI libraries differ in. */
static const struct implementation {
    const char *name;
    bool probes; // its queues have no MPI_Probe
    int any_source, any_tag;
} implementations[] = {
    {"Open MPI", false, -1, -1},
    {"MPICH", true, -2, -1},
};

/** A thread in a call of a C function of MPI. */
struct calling {
    struct report *report;
    const struct image *image;
    const struct implementation *implementation;
    bool numbers; // handles are the numbers that objects begin with, not their addresses
    struct thread *thread;
    size_t caller; // number of the frame
    const char *name;
};

static const struct implementation *
find_implementation(const char *name)
{
    for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
        if (name != NULL && strcmp(implementations[i].name, name) == 0)
            return &implementations[i];
    return NULL;
}

static const struct call *
find_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (runtime_is_call(name, calls[i].name))
            return &calls[i];
    return NULL;
}

/** Whether a handle is that of a communicator. */
static bool
is_handle(const struct calling *calling, const struct communicator *comm, uint64_t handle)
{
    uint64_t own;
    if ((comm->known & MQS_COMM_ADDRESS) == 0)
        return false;
    if (!calling->numbers)
        return handle == comm->address;
    return memory_read_uint(calling->image, comm->address, sizeof(uint32_t), &own) && own == handle;
}

static bool
find_argument(const struct calling *calling, unsigned number, const char *name, size_t width,
              uint64_t *ret)
{
    return callargs_find(calling->image, calling->thread, calling->caller, calling->name,
                         &(struct parameter){number, name, width}, ret);
}

static bool
find_int(const struct calling *calling, unsigned number, const char *name, int *ret)
{
    uint64_t value;
    bool found = find_argument(calling, number, name, sizeof(int32_t), &value);
    *ret = found ? (int32_t) value : 0;
    return found;
}

/** The communicator that a call is given; NULL: not known. */
static struct communicator *
find_communicator(const struct calling *calling, unsigned number)
{
    uint64_t handle;
    size_t width = calling->numbers ? sizeof(uint32_t) : (size_t) calling->image->pointer_size;
    if (!find_argument(calling, number, "comm", width, &handle))
        return NULL;
    handle &= calling->numbers ? UINT32_MAX : UINT64_MAX;
    for (size_t i = 0; i < calling->report->n_comms; i++)
        if (is_handle(calling, &calling->report->comms[i], handle))
            return &calling->report->comms[i];
    return NULL;
}

/** Rank in MPI_COMM_WORLD of a rank that a call names; -1: any, or not known. */
static int
global_rank(const struct communicator *comm, int rank)
{
    const int *group = comm->inter ? comm->remote_group : comm->group;
    int64_t size = comm->inter ? comm->remote_size : comm->size;
    return group != NULL && rank >= 0 && rank < size ? group[rank] : -1;
}

static const struct transfer *
find_transfer(const char *name)
{
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
        if (runtime_is_call(name, transfers[i].name))
            return &transfers[i];
    return NULL;
}

/** Adds the operation that a call is, where the library tells nothing of it. */
static void
add_operation(const struct calling *calling, const struct transfer *transfer)
{
    int peer, tag;
    bool probe = transfer->kind == mqs_kind_probe;
    struct communicator *comm = find_communicator(calling, transfer->comm);
    struct queue *queue = comm != NULL ? &comm->queues[transfer->op_class] : NULL;
    if (queue == NULL || (queue->known && !(probe && calling->implementation->probes)) ||
        !find_int(calling, transfer->peer, transfer->peer_name, &peer) ||
        !find_int(calling, transfer->tag, "tag", &tag))
        return;
    if (peer == calling->implementation->any_source)
        peer = -1;
    struct seen_operation op = {
        .known = MQS_OP_KIND | MQS_OP_REQUEST | MQS_OP_PEER | MQS_OP_TAG | MQS_OP_WORLD,
        .kind = transfer->kind,
        .status = mqs_st_pending,
        .any_tag = tag == calling->implementation->any_tag,
        .desired = {peer, global_rank(comm, peer), tag, 0},
        .request = calling->thread->frames[calling->caller - 1].sp,
    };
    gather_operation(queue, &op, transfer->op_class);
}

static void
gather_call(const struct calling *calling)
{
    const struct call *call = find_call(calling->name);
    const struct communicator *comm =
        call != NULL ? find_communicator(calling, call->number) : NULL;
    if (comm != NULL)
        calling->thread->communicator = comm->address;
    const struct transfer *transfer = find_transfer(calling->name);
    if (transfer != NULL)
        add_operation(calling, transfer);
}

/** Of queues that the library does not show, the operations of calls are all that is known. */
static void
tell_incomplete(struct report *report)
{
    for (size_t i = 0; i < report->n_comms; i++)
        for (int k = 0; k < QUEUES; k++) {
            struct queue *queue = &report->comms[i].queues[k];
            queue->incomplete |= !queue->known && queue->operations.count > 0;
            queue->known |= queue->operations.count > 0;
        }
}

void
mpiargs_gather(struct report *report, const struct image *image)
{
    const struct implementation *implementation = find_implementation(report->implementation);
    bool numbers = handles_numbering(report->implementation) != NULL;
    for (size_t i = 0; implementation != NULL && i < report->threads.count; i++) {
        struct thread *thread = &report->threads.items[i];
        struct calling calling = {report, image, implementation, numbers, thread, 0, NULL};
        calling.caller = callargs_mpi_call(image, thread, &calling.name);
        if (calling.caller != 0)
            gather_call(&calling);
    }
    tell_incomplete(report);
}

// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of MPI calls tell.
#include "mqshow/waits/wait_resolve.h"

#include "mqshow/base/alloc.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/mqd/query.h"
#include "mqshow/waits/handle_members.h"
#include "mqshow/waits/handle_partners.h"
#include "mqshow/waits/request_handles.h"
#include "mqshow/waits/window_locks.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/report.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/stack/threads.h"

enum { MPI_PORT_NAME = 1024 }; // MPI_MAX_PORT_NAME of Open MPI, more than MPICH's

/** A thread in a call of a C function of MPI. */
struct calling {
    struct report *report;
    const struct image *image;
    const struct request_handles *handles;
    struct thread *thread;
    size_t caller; // number of the frame
    const char *name;
};

/** Whether a handle is that of a communicator. */
static bool
is_handle(const struct calling *calling, const struct communicator *comm, uint64_t handle)
{
    uint64_t own;
    return HAS(comm, COMM_ADDRESS) && handles_get(calling->handles, comm->address, &own) &&
           own == handle;
}

/** @param number from 1 */
static bool
find_argument(const struct calling *calling, unsigned number, const char *name, size_t width,
              uint64_t *ret)
{
    return callargs_find(calling->image, calling->thread, calling->caller, calling->name,
                         &(struct parameter){number - 1, name, width}, ret);
}

static bool
find_int(const struct calling *calling, unsigned number, const char *name, int *ret)
{
    uint64_t value;
    bool found = find_argument(calling, number, name, sizeof(int32_t), &value);
    *ret = found ? (int32_t) value : 0;
    return found;
}

static bool
find_handle(const struct calling *calling, unsigned number, const char *name, uint64_t *ret)
{
    size_t width = (size_t) calling->handles->conventions.handle_size;
    if (!find_argument(calling, number, name, width, ret))
        return false;
    if (width < sizeof *ret)
        *ret &= (UINT64_C(1) << 8 * width) - 1; // the rest of a register may be anything
    return true;
}

/** The communicator that a call is given; NULL: not known. */
static struct communicator *
find_communicator(const struct calling *calling, unsigned number)
{
    uint64_t handle;
    if (!find_handle(calling, number, "comm", &handle))
        return NULL;
    for (size_t i = 0; i < calling->report->comms.count; i++)
        if (is_handle(calling, &calling->report->comms.items[i], handle))
            return &calling->report->comms.items[i];
    return NULL;
}

/** Rank in MPI_COMM_WORLD of a rank that a call names; -1: any, or not known. */
static int
global_rank(const struct communicator *comm, int rank)
{
    return (int) ranks_get(comm->inter ? &comm->remote_group : &comm->group, rank);
}

/** Whether the library keeps no record of what a call waits for, also where it has the queue. */
static bool
is_hidden(const mqs_conventions *conventions, const struct mpi_call *call)
{
    return (call->probes && conventions->hides_probes) ||
           (call->sends && call->kind != mqs_kind_ssend && conventions->hides_sends);
}

/** Notes what a call that is one operation was given. One to or from MPI_PROC_NULL is none.
 * @param comm NULL: not known */
static void
note_arguments(const struct calling *calling, const struct mpi_call *call,
               const struct communicator *comm)
{
    const mqs_conventions *conventions = &calling->handles->conventions;
    struct call_arguments *given = &calling->thread->arguments;
    int peer, tag;
    if (find_int(calling, call->peer_at, call->peer, &peer)) {
        given->peer = peer == conventions->any_source ? REPORT_ANY : peer;
        given->has_peer = peer >= 0 || given->peer == REPORT_ANY;
    }
    if (find_int(calling, call->tag_at, "tag", &tag)) {
        given->tag = tag == conventions->any_tag ? REPORT_ANY : tag;
        given->has_tag = tag >= 0 || given->tag == REPORT_ANY;
    }
    bool has_buffer = call->buffer_at > 0 && !mpi_call_is_large(calling->name);
    given->has_buffer = has_buffer && find_argument(calling, call->buffer_at, "buf",
                                                    sizeof given->buffer, &given->buffer);
    given->has_count = has_buffer && find_int(calling, call->buffer_at + 1, "count", &given->count);
    given->communicator = comm ? comm->address : 0;
}

/** Adds the operation that a call is, where the library tells nothing of it. */
static void
add_operation(const struct calling *calling, const struct mpi_call *call, struct communicator *comm)
{
    const struct call_arguments *given = &calling->thread->arguments;
    int op_class = call->sends ? mqs_pending_sends : mqs_pending_receives;
    if ((communicator_has_queue(comm, op_class) &&
         !is_hidden(&calling->handles->conventions, call)) ||
        !given->has_peer || !given->has_tag)
        return;
    int peer = given->peer == REPORT_ANY ? -1 : given->peer;
    struct seen_operation op = {
        .known = MQS_OP_KIND | MQS_OP_REQUEST | MQS_OP_PEER | MQS_OP_TAG | MQS_OP_WORLD,
        .kind = call->kind,
        .status = mqs_st_pending,
        .any_tag = given->tag == REPORT_ANY,
        .desired = {peer, global_rank(comm, peer), given->tag, 0},
        .request = calling->thread->frames[calling->caller - 1].sp,
    };
    query_operation(communicator_queue(comm, op_class), &op, op_class);
}

enum { LOCK_TYPE_AT = 1 }; // parameter of MPI_Win_lock

static void
find_lock(const struct calling *calling, const struct mpi_call *call, uint64_t window)
{
    int rank, type;
    if (call->peer_at == 0)
        calling->thread->lock = window_lock_of_call(calling->handles, window, NULL, 0);
    else if (find_int(calling, call->peer_at, call->peer, &rank) &&
             find_int(calling, LOCK_TYPE_AT, "lock_type", &type))
        calling->thread->lock = window_lock_of_call(calling->handles, window, &rank, type);
}

/** Finds who must act before a call on a group or window ends. */
static void
find_partners(const struct calling *calling, const struct mpi_call *call)
{
    uint64_t handle;
    struct partners *partners = &calling->thread->partners;
    if (call->win_at > 0) {
        bool is_known = find_handle(calling, call->win_at, "win", &handle);
        partners_of_window(calling->handles, is_known ? &handle : NULL, call->exposed, partners);
        if (is_known && call->locks)
            find_lock(calling, call, handle);
    } else if (find_handle(calling, call->group_at, "group", &handle))
        partners_of_group(calling->handles, handle, partners);
}

/** Finds the file that a call is given. Its handle is a pointer in all MPI libraries. */
static void
find_file(const struct calling *calling, const struct mpi_call *call)
{
    uint64_t handle;
    size_t width = (size_t) calling->image->debuggee.pointer_size;
    if (find_argument(calling, call->file_at, "fh", width, &handle))
        calling->thread->file = handle_file_name(calling->handles, handle);
}

/** Finds the name of the port that a call is given. It is the root's that counts. */
static void
find_port(const struct calling *calling, const struct mpi_call *call,
          const struct communicator *comm)
{
    char name[MPI_PORT_NAME];
    uint64_t at;
    int root;
    size_t width = (size_t) calling->image->debuggee.pointer_size;
    if (comm->rank >= 0 && find_int(calling, call->root_at, "root", &root) && root == comm->rank &&
        find_argument(calling, call->port_at, "port_name", width, &at) &&
        memory_read_text(&calling->image->debuggee, at, sizeof name, name) && *name != '\0')
        calling->thread->port = alloc_text(name);
}

static void
gather_call(const struct calling *calling)
{
    const struct mpi_call *call = mpi_call_find(calling->name);
    struct communicator *comm =
        call && call->comm_at > 0 ? find_communicator(calling, call->comm_at) : NULL;
    if (call && call->file_at > 0)
        find_file(calling, call);
    if (comm && call->port_at > 0)
        find_port(calling, call, comm);
    if (call && call->waits == MPI_PARTNERS)
        find_partners(calling, call);
    else if (comm && call->waits == MPI_COLLECTIVE)
        calling->thread->communicator = comm->address;
    else if (call && call->tag_at > 0)
        note_arguments(calling, call, comm);
    if (comm && call->tag_at > 0)
        add_operation(calling, call, comm);
}

/** Of queues that the library does not show, the operations of calls are all that is known. */
static void
mark_incomplete(struct report *report)
{
    for (size_t i = 0; i < report->comms.count; i++)
        for (int k = 0; k < QUEUES; k++) {
            struct communicator *comm = &report->comms.items[i];
            bool known = communicator_has_queue(comm, k);
            if (!known && communicator_operations(comm, k)->count > 0)
                communicator_set_queue(comm, k, true, true);
        }
}

void
call_operations_add(struct report *report, struct threads *threads, const struct image *image,
                    const struct request_handles *handles)
{
    for (size_t i = 0; handles->known && i < threads->count; i++) {
        struct thread *thread = &threads->items[i];
        struct calling calling = {report, image, handles, thread, 0, NULL};
        calling.caller = callargs_mpi_call(image, thread, &calling.name);
        if (calling.caller != 0)
            gather_call(&calling);
    }
    mark_incomplete(report);
    if (handles->known)
        window_locks_add(report, handles);
}

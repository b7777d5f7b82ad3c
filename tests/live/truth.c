// SPDX-License-Identifier: BSD-3-Clause
// The record that a live program makes of itself, in memory.
#include "truth_record.h"

#include <stdlib.h>
#include <string.h>

// Those that know the standard ABI alone run on MPICH.
#if defined MPICH_VERSION || (defined MPI_ABI_VERSION && !defined OPEN_MPI)
enum { SHOWS_HIDDEN_COMMS = false };
#else
enum { SHOWS_HIDDEN_COMMS = true };
#endif

struct truth truth = {.comms = STAILQ_HEAD_INITIALIZER(truth.comms),
                      .threads = STAILQ_HEAD_INITIALIZER(truth.threads)};

static void *
zeroed(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        abort();
    return memory;
}

void
truth_init(int job)
{
    truth.job = job;
    MPI_Comm_rank(MPI_COMM_WORLD, &truth.rank);
}

// World ranks of the members of `group`, -1 for those of another job.
static int *
world_ranks(MPI_Group group, int size)
{
    int *all = zeroed((size_t) size * sizeof *all);
    int *ret = zeroed((size_t) size * sizeof *ret);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < size; i++)
        all[i] = i;
    MPI_Group_translate_ranks(group, size, all, world, ret);
    for (int i = 0; i < size; i++) {
        if (ret[i] == MPI_UNDEFINED)
            ret[i] = -1;
    }
    MPI_Group_free(&world);
    free(all);
    return ret;
}

static void
record_groups(struct truth_comm *comm)
{
    MPI_Group group;
    MPI_Comm_group(comm->handle, &group);
    MPI_Group_size(group, &comm->size);
    comm->members = comm->peers = world_ranks(group, comm->size);
    MPI_Group_free(&group);
    if (!comm->inter)
        return;
    int remote;
    MPI_Comm_remote_group(comm->handle, &group);
    MPI_Group_size(group, &remote);
    comm->peers = world_ranks(group, remote);
    MPI_Group_free(&group);
}

struct truth_comm *
truth_comm(MPI_Comm handle)
{
    struct truth_comm *comm = zeroed(sizeof *comm);
    int length;
    comm->handle = handle;
    MPI_Comm_get_name(handle, comm->name, &length);
    comm->name[TRUTH_NAME_MAX] = '\0';
    MPI_Comm_rank(handle, &comm->local_rank);
    MPI_Comm_test_inter(handle, &comm->inter);
    record_groups(comm);
    for (int i = 0; i < TRUTH_LISTS; i++)
        STAILQ_INIT(&comm->ops[i]);
    STAILQ_INIT(&comm->collectives);
    STAILQ_INSERT_TAIL(&truth.comms, comm, next);
    return comm;
}

MPI_Comm
truth_handle(const struct truth_comm *comm)
{
    return comm->handle;
}

void
truth_forget_comm(struct truth_comm *comm)
{
    STAILQ_REMOVE(&truth.comms, comm, truth_comm, next);
}

void
truth_hidden_comms(int count)
{
    truth.hidden_comms += SHOWS_HIDDEN_COMMS ? count : 0;
}

static struct truth_op *
add(struct truth_comm *comm, enum truth_list list, const char *kind, int peer, int tag)
{
    struct truth_op *op = zeroed(sizeof *op);
    op->comm = comm;
    op->list = list;
    op->kind = kind;
    op->asked = (struct truth_envelope){peer, tag, -1};
    op->count = -1;
    STAILQ_INSERT_TAIL(&comm->ops[list], op, next);
    return op;
}

static void
set_data(struct truth_op *op, int count, MPI_Datatype type, const void *buffer)
{
    int size, length;
    MPI_Type_size(type, &size);
    MPI_Type_get_name(type, op->type_name, &length);
    op->type_name[TRUTH_NAME_MAX] = '\0';
    op->count = count;
    op->asked.bytes = (long) size * count;
    op->buffer = buffer;
}

struct truth_op *
truth_receive(struct truth_comm *comm, int source, int tag, int count, MPI_Datatype type,
              const void *buffer)
{
    struct truth_op *op = add(comm, TRUTH_RECEIVES, "receive", source, tag);
    op->status = "pending";
    set_data(op, count, type, buffer);
    return op;
}

struct truth_op *
truth_probe(struct truth_comm *comm, int source, int tag)
{
    struct truth_op *op = add(comm, TRUTH_RECEIVES, "probe", source, tag);
    op->status = "pending";
    return op;
}

struct truth_op *
truth_message(struct truth_comm *comm, int source, int tag, int sender, long bytes)
{
    struct truth_op *op = add(comm, TRUTH_RECEIVES, "message", source, tag);
    truth_receive_status(op, "matched", sender, tag, bytes);
    return op;
}

struct truth_op *
truth_send(struct truth_comm *comm, const char *kind, int dest, int tag, int count,
           MPI_Datatype type, const void *buffer)
{
    struct truth_op *op = add(comm, TRUTH_SENDS, kind, dest, tag);
    op->status = "pending";
    // A buffered send's data lies somewhere in the attached buffer.
    set_data(op, count, type, kind[0] == 'b' ? NULL : buffer);
    return op;
}

struct truth_op *
truth_unexpected(struct truth_comm *comm, int source, int tag, long bytes)
{
    struct truth_op *op = add(comm, TRUTH_UNEXPECTED, NULL, source, tag);
    op->asked.bytes = bytes;
    return op;
}

void
truth_persistent(struct truth_op *op)
{
    op->persistent = true;
}

void
truth_receive_status(struct truth_op *op, const char *status, int source, int tag, long bytes)
{
    op->status = status;
    op->has_actual = true;
    op->actual = (struct truth_envelope){source, tag, bytes};
}

void
truth_status(struct truth_op *op, const char *status)
{
    op->status = status;
}

void
truth_forget(struct truth_op *op)
{
    STAILQ_REMOVE(&op->comm->ops[op->list], op, truth_op, next);
    free(op);
}

void
truth_collective(struct truth_comm *comm, const char *name)
{
    struct truth_collective *collective = zeroed(sizeof *collective);
    collective->name = name;
    STAILQ_INSERT_TAIL(&comm->collectives, collective, next);
}

void
truth_collectives_unknown(struct truth_comm *comm)
{
    comm->collectives_unknown = true;
}

// SPDX-License-Identifier: BSD-3-Clause
// The query functions: communicators, their groups and operations.
#include "mqs/entry.h"
#include "mqs/op_rules.h"
#include "mqs/record.h"

EXPORT int
mqs_update_communicator_list(mqs_process *process)
{
    struct session *self = session_of(process);

    if (self == NULL)
        return entry_result(STATUS_MISUSE);
    // What is read, is read when it is asked for.
    session_refresh(self);
    return entry_result(session_attach(self));
}

EXPORT int
mqs_setup_communicator_iterator(mqs_process *process)
{
    struct session *self = session_of(process);

    if (self == NULL)
        return entry_result(STATUS_MISUSE);
    session_refresh(self);
    self->iterating = false;
    const enum status status = session_need_comms(self);
    if (status == STATUS_OK) {
        self->iterating = true;
        session_select(self, 0);
    }
    return entry_result(status);
}

// Why there is no current communicator.
static enum status
no_current(const struct session *session)
{
    if (!session->iterating)
        return STATUS_MISUSE;
    return session->comms_status == STATUS_OK ? STATUS_END : session->comms_status;
}

enum status
entry_current(mqs_process *process, struct session **ret_session, const struct comm **ret_comm)
{
    struct session *self = session_of(process);

    if (self == NULL)
        return STATUS_MISUSE;
    const struct comm *current = session_current(self);
    if (current == NULL)
        return no_current(self);
    *ret_session = self;
    *ret_comm = current;
    return STATUS_OK;
}

EXPORT int
mqs_get_communicator(mqs_process *process, mqs_communicator *comm)
{
    struct session *self;
    const struct comm *current;
    const enum status status =
        comm == NULL ? STATUS_MISUSE : entry_current(process, &self, &current);

    if (status == STATUS_OK)
        record_communicator(current, comm);
    return entry_result(status);
}

// Ranks of the local or of the remote group.
static enum status
copy_ranks(mqs_process *process, bool remote, int *ranks)
{
    struct session *self;
    const struct comm *comm;
    struct group group;

    if (ranks == NULL)
        return STATUS_MISUSE;
    TRY(entry_current(process, &self, &comm));
    if (remote && !comm->inter)
        return STATUS_ABSENT;
    if (remote)
        TRY(session_group(self, comm->peer_group, comm->peer_size, &group));
    else
        TRY(session_group(self, comm->local_group, comm->size, &group));
    for (uint32_t i = 0; i < group.size; ++i)
        ranks[i] = group.ranks[i];
    return STATUS_OK;
}

EXPORT int
mqs_get_comm_group(mqs_process *process, int *ranks)
{
    return entry_result(copy_ranks(process, false, ranks));
}

EXPORT int
mqs_get_comm_remote_group(mqs_process *process, int *ranks)
{
    return entry_result(copy_ranks(process, true, ranks));
}

static enum status
copy_traffic(mqs_process *process, int index, int *sent, int *received)
{
    struct session *self;
    const struct comm *comm;
    struct traffic traffic;

    if (sent == NULL || received == NULL || index < 0)
        return STATUS_MISUSE;
    TRY(entry_current(process, &self, &comm));
    if (index >= comm->peer_size)
        return STATUS_MISUSE;
    if (self->image->adapter->traffic == NULL)
        return STATUS_UNSUPPORTED;
    trail_reset(&self->inf.trail);
    TRY(self->image->adapter->traffic(&self->mpi, comm, (uint32_t) index, &traffic));
    *sent = (int) traffic.sent;
    *received = (int) traffic.received;
    return STATUS_OK;
}

EXPORT int
mqs_get_comm_traffic(mqs_process *process, int index, int *sent, int *received)
{
    return entry_result(copy_traffic(process, index, sent, received));
}

EXPORT int
mqs_next_communicator(mqs_process *process)
{
    struct session *self;
    const struct comm *comm;
    const enum status status = entry_current(process, &self, &comm);

    if (status != STATUS_OK)
        return entry_result(status);
    session_select(self, self->current + 1);
    return self->current < self->comms.count ? mqs_ok : mqs_end_of_list;
}

// The same queue asked for again wants a new look at the process.
static enum status
refresh_if_asked(struct session *session, enum op_class class)
{
    if (session->comms_valid && session->current < session->comms.count &&
        session->comms.notes[session->current].asked & 1u << class)
        session_refresh(session);
    return session_current(session) == NULL ? no_current(session) : STATUS_OK;
}

static enum status
setup_operations(struct session *session, enum op_class class)
{
    session->op_iterating = false;
    session->have_op = false;
    TRY(refresh_if_asked(session, class));
    TRY(session->transport_status);
    if (session->hidden & 1u << class)
        return STATUS_UNSUPPORTED;
    TRY(session_need_ops(session));
    struct comm_note *note = &session->comms.notes[session->current];
    note->asked |= (uint8_t) (1u << class);
    session->op_class = class;
    session->range = op_table_find(&session->ops, session->current, class);
    session->op_tail = note->broken[class];
    session->op_iterating = true;
    return STATUS_OK;
}

EXPORT int
mqs_setup_operation_iterator(mqs_process *process, int op_class)
{
    struct session *self = session_of(process);

    if (self == NULL || op_class < 0 || op_class >= OP_CLASSES)
        return entry_result(STATUS_MISUSE);
    return entry_result(setup_operations(self, (enum op_class) op_class));
}

// What broke the walk comes after the last good record, once.
static enum status
end_of_operations(struct session *session)
{
    const enum status tail = session->op_tail;

    session->op_tail = STATUS_OK;
    return tail == STATUS_OK ? STATUS_END : tail;
}

// An operation that cannot be described is left out, and the ones behind it are not.
static enum status
next_operation(struct session *session, const struct comm *comm)
{
    while (session->range.next < session->range.end) {
        const struct op_ref *ref = op_table_at(&session->ops, session->range.next++);
        trail_reset(&session->inf.trail);
        enum status status =
            session->image->adapter->describe(&session->mpi, comm, ref, &session->op);
        if (status == STATUS_OK)
            status = op_check(&session->inf.trail, comm, &session->op);
        if (status == STATUS_OK)
            return STATUS_OK;
        session_note_trail(session, "operation", status);
        if (session->op_tail == STATUS_OK)
            session->op_tail = status;
    }
    return end_of_operations(session);
}

EXPORT int
mqs_next_operation(mqs_process *process, mqs_pending_operation *op)
{
    struct session *self = session_of(process);

    if (self == NULL || op == NULL || !self->op_iterating)
        return entry_result(STATUS_MISUSE);
    const struct comm *comm = session_current(self);
    if (comm == NULL)
        return entry_result(no_current(self));
    const enum status status = next_operation(self, comm);
    self->have_op = status == STATUS_OK;
    if (self->have_op)
        self->op_world = record_operation(self, comm, &self->op, op);
    return entry_result(status);
}

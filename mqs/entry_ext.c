// SPDX-License-Identifier: BSD-3-Clause
// The functions of mqs_ext.h.
#include "mqs/entry.h"
#include "mqs/layout_rows.h"
#include "mqs/record.h"

#include <stdio.h>
#include <string.h>

EXPORT int
mqs_get_global_rank(mqs_process *process)
{
    struct session *self = session_of(process);
    int64_t rank;

    if (self == NULL || session_attach(self) != STATUS_OK || self->image->adapter->rank == NULL)
        return MQS_INVALID_PROCESS;
    if (!self->comms_valid)
        inferior_refresh(&self->inf);
    return self->image->adapter->rank(&self->mpi, &rank) == STATUS_OK && rank >= 0 &&
                   rank < GROUP_MAX
               ? (int) rank
               : MQS_INVALID_PROCESS;
}

EXPORT int
mqs_get_comm_coll_state(mqs_process *process, int comm_class, int *count, int *active)
{
    struct session *self;
    const struct comm *comm;

    (void) count; // nobody counts them
    if (active == NULL || comm_class < 0 || comm_class >= mqs_comm_class_count)
        return entry_result(STATUS_MISUSE);
    enum status status = entry_current(process, &self, &comm);
    if (status == STATUS_OK)
        status = session_need_ops(self);
    if (status != STATUS_OK)
        return entry_result(status);
    // A collective that sends no message between processes leaves no trace, so there is no no.
    if (!(self->comms.notes[self->current].collectives & 1u << comm_class))
        return mqs_no_information;
    *active = 1;
    return mqs_ok;
}

static enum status
next_awaited(mqs_process *process, int comm_class, int index, int *peer)
{
    struct session *self;
    const struct comm *comm;

    if (peer == NULL || index < 0 || comm_class < 0 || comm_class >= mqs_comm_class_count)
        return STATUS_MISUSE;
    TRY(entry_current(process, &self, &comm));
    TRY(session_need_ops(self));
    const struct comm_note *note = &self->comms.notes[self->current];
    if (note->n_awaited > COLLECTIVE_PEERS)
        return STATUS_UNSUPPORTED;
    for (uint32_t i = 0; i < note->n_awaited; ++i) {
        if (note->awaited[i].kind != comm_class || index-- > 0)
            continue;
        *peer = note->awaited[i].peer;
        return STATUS_OK;
    }
    return STATUS_END;
}

EXPORT int
mqs_get_comm_coll_peer(mqs_process *process, int comm_class, int index, int *peer)
{
    return entry_result(next_awaited(process, comm_class, index, peer));
}

static enum status
next_nonblocking(mqs_process *process, int index, mqs_nonblocking_collective *collective)
{
    struct session *self;
    const struct comm *comm;

    if (collective == NULL || index < 0)
        return STATUS_MISUSE;
    TRY(entry_current(process, &self, &comm));
    TRY(session_need_ops(self));
    return nonblocking_get(&self->nonblocking, self->current, index, collective);
}

EXPORT int
mqs_get_comm_nonblocking(mqs_process *process, int index, mqs_nonblocking_collective *collective)
{
    return entry_result(next_nonblocking(process, index, collective));
}

EXPORT int
mqs_get_comm_nonblocking_next(mqs_process *process, int64_t *sequence)
{
    struct session *self;
    const struct comm *comm;
    enum status status = sequence == NULL ? STATUS_MISUSE : entry_current(process, &self, &comm);

    if (status == STATUS_OK)
        status = session_need_ops(self);
    if (status != STATUS_OK)
        return entry_result(status);
    if (self->comms.notes[self->current].next_nonblocking == 0)
        return mqs_no_information;
    *sequence = self->comms.notes[self->current].next_nonblocking;
    return mqs_ok;
}

EXPORT int
mqs_get_mpi_info(mqs_process *process, mqs_mpi_info *info)
{
    struct session *self = session_of(process);

    if (self == NULL || info == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = session_attach(self);
    if (status != STATUS_OK)
        return entry_result(status);
    if (session_read_transport(self) != STATUS_OK)
        self->transport[0] = '\0';
    memset(info, 0, sizeof(*info));
    snprintf(info->implementation, sizeof(info->implementation), "%s", self->image->adapter->name);
    snprintf(info->version, sizeof(info->version), "%s", self->version);
    snprintf(info->transport, sizeof(info->transport), "%s", self->transport);
    layout_describe(&self->image->layout, info->layout, sizeof(info->layout));
    return mqs_ok;
}

/** Whether a process is ready to be asked for more. */
static enum status
prepare(struct session *self)
{
    TRY(session_attach(self));
    trail_reset(&self->inf.trail);
    return STATUS_OK;
}

static enum status
find_conventions(struct session *self, struct conventions *ret)
{
    TRY(prepare(self));
    return self->image->adapter->conventions == NULL
               ? STATUS_UNSUPPORTED
               : self->image->adapter->conventions(&self->mpi, ret);
}

EXPORT int
mqs_get_conventions(mqs_process *process, mqs_conventions *conventions)
{
    struct session *self = session_of(process);
    struct conventions found;

    if (self == NULL || conventions == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = find_conventions(self, &found);
    if (status == STATUS_OK)
        *conventions = (mqs_conventions){
            .handle_size = found.numbers ? (int) sizeof(uint32_t) : self->inf.model.pointer_size,
            .distinct = found.numbers,
            .any_source = found.any_source,
            .any_tag = found.any_tag,
            .hides_probes = found.hides_probes,
            .hides_sends = found.hides_sends};
    return entry_result(status);
}

static enum status
read_handle(struct session *self, taddr object, uint64_t *ret)
{
    struct conventions conventions;

    TRY(find_conventions(self, &conventions));
    trail_reset(&self->inf.trail);
    *ret = object;
    return conventions.numbers ? inferior_read_uint(&self->inf, object, sizeof(uint32_t), ret)
                               : STATUS_OK;
}

EXPORT int
mqs_get_handle(mqs_process *process, mqs_taddr_t object, uint64_t *handle)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || handle == NULL ? STATUS_MISUSE
                                                       : read_handle(self, object, handle));
}

static enum status
check_request(struct session *self, uint64_t handle, bool *ret)
{
    TRY(prepare(self));
    return self->image->adapter->waits == NULL
               ? STATUS_UNSUPPORTED
               : self->image->adapter->waits(&self->mpi, handle, ret);
}

EXPORT int
mqs_check_request_handle(mqs_process *process, uint64_t handle, int *waits)
{
    struct session *self = session_of(process);
    bool found = false;

    if (self == NULL || waits == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = check_request(self, handle, &found);
    if (status == STATUS_OK)
        *waits = found;
    return entry_result(status);
}

static enum status
ask_phase(struct session *self, enum phase *ret)
{
    TRY(prepare(self));
    return self->image->adapter->phase == NULL ? STATUS_UNSUPPORTED
                                               : self->image->adapter->phase(&self->mpi, ret);
}

EXPORT int
mqs_get_mpi_phase(mqs_process *process, int *phase)
{
    struct session *self = session_of(process);
    enum phase found = PHASE_UNKNOWN;

    if (self == NULL || phase == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = ask_phase(self, &found);
    if (status == STATUS_OK)
        *phase = (int) found;
    return entry_result(status);
}

static enum status
ask_threads(struct session *self, struct thread_level *ret)
{
    TRY(prepare(self));
    if (self->image->adapter->threads == NULL)
        return STATUS_UNSUPPORTED;
    TRY(self->image->adapter->threads(&self->mpi, ret));
    if (ret->level > THREAD_LEVEL_LAST)
        return trail_begin(&self->inf.trail, STATUS_CORRUPT, "the level of threads is %#llx",
                           (unsigned long long) ret->level);
    return STATUS_OK;
}

EXPORT int
mqs_get_mpi_thread_level(mqs_process *process, int *level, mqs_taddr_t *main_thread)
{
    struct session *self = session_of(process);
    struct thread_level found = {.level = 0};

    if (self == NULL || level == NULL || main_thread == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = ask_threads(self, &found);
    if (status == STATUS_OK) {
        *level = (int) found.level;
        *main_thread = found.main;
    }
    return entry_result(status);
}

static enum status
ask_progress(struct session *self, uint64_t *ret)
{
    TRY(prepare(self));
    return self->image->adapter->progress == NULL ? STATUS_UNSUPPORTED
                                                  : self->image->adapter->progress(&self->mpi, ret);
}

EXPORT int
mqs_get_mpi_progress(mqs_process *process, uint64_t *progress)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || progress == NULL ? STATUS_MISUSE
                                                         : ask_progress(self, progress));
}

EXPORT int
mqs_get_communicator_details(mqs_process *process, mqs_communicator_details *details)
{
    struct session *self;
    const struct comm *comm;
    const enum status status =
        details == NULL ? STATUS_MISUSE : entry_current(process, &self, &comm);

    if (status == STATUS_OK)
        record_communicator_details(comm, details);
    return entry_result(status);
}

EXPORT int
mqs_get_operation_details(mqs_process *process, mqs_operation_details *details)
{
    struct session *self = session_of(process);

    if (self == NULL || details == NULL || !self->have_op)
        return entry_result(STATUS_MISUSE);
    record_operation_details(&self->op, self->op_world, details);
    return mqs_ok;
}

EXPORT int
mqs_get_process_message(mqs_process *process, int index, const char **text)
{
    struct session *self = session_of(process);

    if (self == NULL || text == NULL || index < 0)
        return entry_result(STATUS_MISUSE);
    const char *found = messages_at(&self->messages, (unsigned) index);
    if (found == NULL)
        return mqs_end_of_list;
    *text = found;
    return mqs_ok;
}

EXPORT int
mqs_get_layout_row(mqs_process *process, int index, mqs_layout_row *row)
{
    struct session *self = session_of(process);
    struct layout_row found;

    if (self == NULL || row == NULL || index < 0)
        return entry_result(STATUS_MISUSE);
    enum status status = session_attach(self);
    if (status == STATUS_OK)
        status = layout_row(&self->image->layout, (unsigned) index, &found);
    if (status != STATUS_OK)
        return entry_result(status);
    *row = (mqs_layout_row){
        .struct_name = found.struct_name,
        .field_name = found.field_name,
        .offset = (long) found.offset,
        .size = (long) found.size,
        .origin =
            layout_origin_text(&self->image->layout, found.number, self->text, sizeof(self->text)),
    };
    return mqs_ok;
}

EXPORT int
mqs_set_layout_origins(mqs_image *image, int origins)
{
    const int all = MQS_LAYOUT_DEBUG_INFORMATION | MQS_LAYOUT_BUILT_IN;
    struct image *self = image_of(image);

    if (self == NULL || origins == 0 || origins & ~all)
        return entry_result(STATUS_MISUSE);
    self->origins = (origins & MQS_LAYOUT_DEBUG_INFORMATION ? 1u << ORIGIN_DEBUG : 0) |
                    (origins & MQS_LAYOUT_BUILT_IN ? 1u << ORIGIN_BUILTIN : 0);
    self->resolved = false;
    return mqs_ok;
}

EXPORT int
mqs_set_layout_offset(mqs_image *image, const char *struct_name, const char *field_name,
                      long offset)
{
    struct image *self = image_of(image);
    struct layout_move move = {.offset = (int32_t) offset};

    if (self == NULL || (struct_name == NULL) != (field_name == NULL) || offset < 0 ||
        offset > LAYOUT_MAX_SIZE)
        return entry_result(STATUS_MISUSE);
    if (field_name != NULL &&
        (strlen(struct_name) >= LAYOUT_NAME || strlen(field_name) >= LAYOUT_NAME))
        return entry_result(STATUS_MISUSE);
    if (field_name != NULL) {
        strcpy(move.struct_name, struct_name);
        strcpy(move.reading, field_name);
    }
    self->move = move;
    self->resolved = false;
    return mqs_ok;
}

// SPDX-License-Identifier: BSD-3-Clause
// One process: attaching, refreshing, and the tables that are read when they are needed.
#include "mqs/session.h"

#include "ompd-bridge/exports/omp_session.h"

#include <stdio.h>
#include <string.h>

static enum status
session_init(struct session *self)
{
    const struct target target = host_target(&self->host);

    comm_table_init(&self->comms, target);
    op_table_init(&self->ops, target);
    found_list_init(&self->objects, target);
    found_list_init(&self->members, target);
    TRY(inferior_init(&self->inf, target));
    self->omp = omp_session_create(&self->inf);
    return self->omp == NULL ? STATUS_NOMEM : STATUS_OK;
}

enum status
session_create(struct image *image, mqs_process *process, const mqs_process_callbacks *calls,
               struct session **ret)
{
    struct session *self = host_basic()->mqs_malloc_fp(sizeof(*self));

    if (self == NULL)
        return STATUS_NOMEM;
    memset(self, 0, sizeof(*self));
    self->image = image_use(image);
    self->host = (struct mqs_host){
        .image = image->image,
        .image_calls = image->calls,
        .process = process,
        .process_calls = calls,
    };
    self->mpi = (struct mpi){.inf = &self->inf, .layout = &image->layout};
    const enum status status = session_init(self);
    if (status != STATUS_OK) {
        session_destroy(self);
        return status;
    }
    *ret = self;
    return STATUS_OK;
}

void
session_destroy(struct session *session)
{
    if (session == NULL)
        return;
    omp_session_destroy(session->omp);
    found_list_deinit(&session->objects);
    found_list_deinit(&session->members);
    op_table_deinit(&session->ops);
    comm_table_deinit(&session->comms);
    inferior_deinit(&session->inf);
    image_release(session->image);
    host_basic()->mqs_free_fp(session);
}

struct session *
session_of(mqs_process *process)
{
    const mqs_basic_callbacks *basic = host_basic();

    if (basic == NULL || process == NULL)
        return NULL;
    struct session *session = (struct session *) basic->mqs_get_process_info_fp(process);
    return session == NULL || session->image->destroyed ? NULL : session;
}

void
session_note_trail(struct session *session, const char *what, enum status status)
{
    const char *trail = trail_text(&session->inf.trail);
    char line[MESSAGE_TEXT];

    snprintf(line, sizeof(line), "%s: %s", what, trail[0] == '\0' ? status_text(status) : trail);
    if (messages_add(&session->messages, line))
        host_print(line);
}

static void
read_version(struct session *session, const struct adapter *adapter)
{
    if (session->version[0] == '\0' && adapter->version != NULL &&
        adapter->version(&session->inf, session->version, sizeof(session->version)) != STATUS_OK)
        session->version[0] = '\0';
}

enum status
session_attach(struct session *session)
{
    const struct adapter *adapter = session->image->adapter;

    if (adapter == NULL)
        TRY(image_detect(session->image));
    adapter = session->image->adapter;
    if (session->image->ignored)
        return STATUS_ABSENT;
    const enum status status = image_resolve(session->image, &session->inf);
    const struct trail trail = session->inf.trail;
    read_version(session, adapter);
    if (status == STATUS_OK)
        return STATUS_OK;
    session->inf.trail = trail;
    return trail_prepend(&session->inf.trail, status, "%s%s%s", adapter->name,
                         session->version[0] != '\0' ? " " : "", session->version);
}

void
session_refresh(struct session *session)
{
    inferior_refresh(&session->inf);
    messages_clear(&session->messages);
    session->comms_valid = false;
    session->ops_valid = false;
    session->op_iterating = false;
    session->have_op = false;
}

struct comm_collector {
    struct comm_sink sink;
    struct session *session;
};

static enum status
collect_comm(struct comm_sink *sink, const struct comm *comm)
{
    struct session *session = ((struct comm_collector *) sink)->session;

    return comm_table_add(&session->comms, comm);
}

static void
collect_broken_comm(struct comm_sink *sink, enum status status)
{
    session_note_trail(((struct comm_collector *) sink)->session, "communicators", status);
}

// What does the matching may be decided as late as in MPI_Init, so it is asked anew.
enum status
session_read_transport(struct session *session)
{
    const struct adapter *adapter = session->image->adapter;

    session->limit[0] = '\0';
    session->hidden = 0;
    return adapter->transport == NULL
               ? STATUS_OK
               : adapter->transport(&session->mpi, session->transport, sizeof(session->transport),
                                    &session->hidden, session->limit, sizeof(session->limit));
}

// What goes wrong is said by those that ask for the rank. The trail is that of the communicators.
static int64_t
own_rank(struct session *session)
{
    const struct adapter *adapter = session->image->adapter;
    const struct trail trail = session->inf.trail;
    int64_t ret;

    if (adapter->rank == NULL || adapter->rank(&session->mpi, &ret) != STATUS_OK)
        ret = NO_RANK;
    session->inf.trail = trail;
    return ret;
}

static enum status
read_comms(struct session *session)
{
    struct comm_collector collector = {{collect_comm, collect_broken_comm}, session};

    op_table_deinit(&session->ops);
    comm_table_deinit(&session->comms);
    TRY(session_attach(session));
    if (session->image->adapter->comms == NULL)
        return STATUS_UNSUPPORTED;
    session->transport_status = session_read_transport(session);
    if (session->transport_status != STATUS_OK)
        session_note_trail(session, "transport", session->transport_status);
    // A limit that hides no class as a whole is told once, by mqs_process_has_queues().
    if (session->limit[0] != '\0' && session->hidden != 0)
        messages_add(&session->messages, session->limit);
    const enum status status = session->image->adapter->comms(&session->mpi, &collector.sink);
    session->own = own_rank(session);
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    session_note_trail(session, "communicators", status);
    // Before MPI_Init there are none, which is no fault; and a part of them is better than nothing.
    return status == STATUS_ABSENT || session->comms.count > 0 ? STATUS_OK : status;
}

enum status
session_need_comms(struct session *session)
{
    if (session->comms_valid)
        return session->comms_status;
    trail_reset(&session->inf.trail);
    session->comms_status = read_comms(session);
    session->comms_valid = session->comms_status != STATUS_NOMEM;
    if (session->iterating && session->comms_status == STATUS_OK)
        session->current =
            comm_table_find(&session->comms, session->current_addr, session->current_id);
    return session->comms_status;
}

struct op_collector {
    struct op_sink sink;
    struct session *session;
};

static enum status
collect_op(struct op_sink *sink, const struct op_ref *ref)
{
    return op_table_add(&((struct op_collector *) sink)->session->ops, ref);
}

static void
collect_broken(struct op_sink *sink, uint32_t comm, enum op_class class, enum status status)
{
    struct session *session = ((struct op_collector *) sink)->session;
    char what[COMM_NAME + 32];

    session->comms.notes[comm].broken[class] = status;
    // Why something cannot be seen is said once, by transport().
    if (status == STATUS_UNSUPPORTED)
        return;
    snprintf(what, sizeof(what), "communicator %s", session->comms.comms[comm].name);
    session_note_trail(session, what, status);
}

static void
collect_collective(struct op_sink *sink, uint32_t comm, unsigned kind, int64_t peer)
{
    struct comm_note *note = &((struct op_collector *) sink)->session->comms.notes[comm];
    const bool known = peer >= 0 && peer <= INT32_MAX;

    note->collectives |= 1u << kind;
    // One that is not known makes all of them a part only.
    if (!known)
        note->n_awaited = COLLECTIVE_PEERS + 1;
    else if (note->n_awaited < COLLECTIVE_PEERS)
        note->awaited[note->n_awaited] = (struct awaited_peer){(uint8_t) kind, (int32_t) peer};
    if (known && note->n_awaited <= COLLECTIVE_PEERS)
        ++note->n_awaited;
}

static void
collect_nonblocking(struct op_sink *sink, const struct nonblocking *collective)
{
    nonblocking_add(&((struct op_collector *) sink)->session->nonblocking, collective);
}

static void
collect_next(struct op_sink *sink, uint32_t comm, int64_t sequence)
{
    ((struct op_collector *) sink)->session->comms.notes[comm].next_nonblocking = sequence;
}

static enum status
read_ops(struct session *session)
{
    struct op_collector collector = {
        .sink = {collect_op, collect_broken, collect_collective, collect_nonblocking, collect_next,
                 session->comms.comms, session->comms.count},
        .session = session,
    };
    const unsigned all = (1u << OP_CLASSES) - 1;
    struct arena arena;

    op_table_deinit(&session->ops);
    session->nonblocking.count = 0;
    session->nonblocking.is_part = false;
    if (session->image->adapter->ops == NULL || session->image->adapter->describe == NULL)
        return STATUS_UNSUPPORTED;
    if (session->hidden == all || session->comms.count == 0)
        return op_table_sort(&session->ops);
    arena_init(&arena, session->inf.target);
    const enum status status = session->image->adapter->ops(&session->mpi, &arena, &collector.sink);
    arena_deinit(&arena);
    nonblocking_pair(&session->nonblocking);
    if (status != STATUS_OK)
        session_note_trail(session, "queues", status);
    TRY(status);
    return op_table_sort(&session->ops);
}

enum status
session_need_ops(struct session *session)
{
    TRY(session_need_comms(session));
    if (session->ops_valid)
        return session->ops_status;
    trail_reset(&session->inf.trail);
    session->ops_status = read_ops(session);
    session->ops_valid = session->ops_status != STATUS_NOMEM;
    return session->ops_status;
}

void
session_select(struct session *session, uint32_t number)
{
    const struct comm_table *table = &session->comms;

    session->current = number;
    session->current_addr = number < table->count ? table->comms[number].addr : 0;
    session->current_id = number < table->count ? table->comms[number].id : 0;
    session->op_iterating = false;
    session->have_op = false;
}

const struct comm *
session_current(struct session *session)
{
    if (!session->iterating || session_need_comms(session) != STATUS_OK ||
        session->current >= session->comms.count)
        return NULL;
    return &session->comms.comms[session->current];
}

// The rank in a communicator and the members of its group are of two structs, and the rank in
// MPI_COMM_WORLD of a third one: in the group's place of that rank is this process.
static enum status
check_own_place(struct session *session, taddr group, const struct group *members)
{
    const struct comm *comm = session_current(session);

    if (comm == NULL || comm->local_group != group || session->own == NO_RANK || comm->rank < 0 ||
        comm->rank >= (int64_t) members->size || members->ranks[comm->rank] == session->own)
        return STATUS_OK;
    return trail_begin(&session->inf.trail, STATUS_CORRUPT,
                       "member %lld of the group at %#llx is rank %d, and not this process, %lld",
                       (long long) comm->rank, (unsigned long long) group,
                       (int) members->ranks[comm->rank], (long long) session->own);
}

enum status
session_group(struct session *session, taddr group, int64_t size, struct group *ret)
{
    trail_reset(&session->inf.trail);
    enum status status =
        comm_table_group(&session->comms, session->image->adapter, &session->mpi, group, size, ret);
    if (status == STATUS_OK)
        status = check_own_place(session, group, ret);
    // A group with a member that cannot be read is still worth having.
    if (status != STATUS_OK || trail_text(&session->inf.trail)[0] != '\0')
        session_note_trail(session, "group", status);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Windows of module osc/pt2pt, which makes messages of what is done to them. It has a communicator
// of the window's processes, and an object of its own class that synchronises with all of them.
//
// MPI_Win_lock only asks for the lock of another process: it is got when the answer has come. So it
// is with each process that is accessed in an epoch of MPI_Win_lock_all.
#include "mpi-impl-adapters/openmpi/osc.h"

enum { // what it synchronises by
    SYNC_NONE,
    SYNC_LOCK,
    SYNC_FENCE,
    SYNC_PSCW,
    ALL = UINT32_MAX, // key of the object that synchronises with all
    PEER_ANSWERED = 0x2,
    PEER_ASKED = 0x4,
    REQUESTS_MAX = 1 << 20,
};

/** Of the processes of MPI_Win_lock_all, one. */
static enum status
emit_peer(void *context, const struct hash_entry *entry)
{
    struct osc *osc = context;
    const struct mpi *mpi = osc->mpi;
    struct view peer;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_peer_t), entry->value, &peer));
    const uint64_t flags = view_uint(&peer, F(ompi_osc_pt2pt_peer_t, flags));
    if (view_int(&peer, F(ompi_osc_pt2pt_peer_t, rank)) != entry->key)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "process %lu of a window is damaged",
                           (unsigned long) entry->key);
    if (!(flags & PEER_ASKED))
        return STATUS_OK;
    return flags & PEER_ANSWERED ? osc_emit_lock(osc, entry->key, false)
                                 : osc_emit_awaited(osc, entry->key, false);
}

/** The locks of MPI_Win_lock_all. That of the process itself is asked for before the process is
 * known to be locked, and then waited for. */
static enum status
emit_all(struct osc *osc, const struct view *sync)
{
    const struct mpi *mpi = osc->mpi;
    const int32_t at = mpi->layout->fields[F(ompi_osc_pt2pt_module_t, peer_hash)].offset;
    const struct hash_entry none = {0, 0};
    struct hash_entry own = none;
    struct view peer;

    const taddr peers = osc->window->module + (taddr) at;
    if (hash_find(mpi, peers, (uint32_t) osc->window->rank, &own) == STATUS_OK) {
        TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_peer_t), own.value, &peer));
        if (!(view_uint(&peer, F(ompi_osc_pt2pt_peer_t, flags)) & PEER_ASKED) &&
            view_int(sync, F(ompi_osc_pt2pt_sync_t, sync_expected)) > 0)
            TRY(osc_emit_awaited(osc, osc->window->rank, false));
    }
    return hash_each(mpi, peers, emit_peer, osc);
}

/** One lock, or those of MPI_Win_lock_all. */
static enum status
emit_lock(void *context, const struct hash_entry *entry)
{
    struct osc *osc = context;
    const struct mpi *mpi = osc->mpi;
    const struct datamodel *model = &mpi->inf->model;
    struct view sync;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_sync_t), entry->value, &sync));
    const uint8_t *lock = view_bytes(&sync, F(ompi_osc_pt2pt_sync_t, sync_lock));
    if (lock == NULL)
        return STATUS_UNSUPPORTED;
    // The rank, the type of the lock, and what the program asserts.
    const int64_t target = datamodel_int(model, lock, model->int_size);
    const int64_t type = datamodel_int(model, lock + model->int_size, model->int_size);
    const int64_t assertions = datamodel_int(model, lock + 2 * model->int_size, model->int_size);
    const taddr module = entry->key == ALL ? 0 : osc->window->module;
    if (view_uint(&sync, F(ompi_osc_pt2pt_sync_t, module)) != module ||
        view_int(&sync, F(ompi_osc_pt2pt_sync_t, type)) != SYNC_LOCK ||
        (uint32_t) target != entry->key || (type != OSC_LOCK_EXCLUSIVE && type != OSC_LOCK_SHARED))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %ld is damaged",
                           (long) (int32_t) entry->key);
    if (assertions & OSC_MODE_NOCHECK)
        return STATUS_OK;
    if (entry->key == ALL)
        return emit_all(osc, &sync);
    return view_uint(&sync, F(ompi_osc_pt2pt_sync_t, eager_send_active))
               ? osc_emit_lock(osc, target, type == OSC_LOCK_EXCLUSIVE)
               : osc_emit_awaited(osc, target, type == OSC_LOCK_EXCLUSIVE);
}

/** The processes that wait for the lock of this one. */
static enum status
emit_requests(struct osc *osc, taddr list)
{
    const struct mpi *mpi = osc->mpi;
    struct view view;
    struct walk walk;
    enum status status;
    uint64_t length;
    taddr item;

    TRY(openmpi_list_walk(mpi, list, &walk, &length));
    if (length > REQUESTS_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "%llu requests of a lock",
                           (unsigned long long) length);
    while ((status = walk_next(&walk, &item)) == STATUS_OK) {
        TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_pending_lock_t), item, &view));
        TRY(osc_emit_request(osc, view_int(&view, F(ompi_osc_pt2pt_pending_lock_t, peer))));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

/** Loads what the module keeps of the window. @return STATUS_ABSENT when it is another module's */
static enum status
load_module(const struct osc *osc, struct view *ret_module, struct view *ret_sync)
{
    const struct mpi *mpi = osc->mpi;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_module_t), osc->window->module,
                  ret_module));
    const taddr sync = view_addr(ret_module, F(ompi_osc_pt2pt_module_t, all_sync));
    const struct {
        taddr addr;
        const char *class;
    } objects[] = {
        {sync, "ompi_osc_pt2pt_sync_t"},
        {view_addr(ret_module, F(ompi_osc_pt2pt_module_t, peer_hash)), "opal_hash_table_t"},
        {view_addr(ret_module, F(ompi_osc_pt2pt_module_t, outstanding_locks)), "opal_hash_table_t"},
        {view_addr(ret_module, F(ompi_osc_pt2pt_module_t, locks_pending)), "opal_list_t"},
    };
    bool same = true;
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]) && same; ++i)
        TRY(openmpi_object_is(mpi, objects[i].addr, objects[i].class, &same));
    if (!same)
        return STATUS_ABSENT;
    return view_load(mpi->inf, mpi->layout, S(ompi_osc_pt2pt_sync_t), sync, ret_sync);
}

static const char *
epoch_name(int64_t type, bool posted, bool locked)
{
    if (locked)
        return "lock";
    if (type == SYNC_PSCW)
        return posted ? "start and post" : "start";
    return posted ? "post" : type == SYNC_FENCE ? "fence" : "none";
}

/** The group given to MPI_Win_start, and how many posts have come. */
static enum status
emit_access(struct osc *osc, const struct view *sync)
{
    const taddr group = view_uint(sync, F(ompi_osc_pt2pt_sync_t, sync_group));
    int64_t size;

    if (view_int(sync, F(ompi_osc_pt2pt_sync_t, type)) != SYNC_PSCW || group == 0)
        return STATUS_OK;
    TRY(openmpi_group_size(osc->mpi, group, &size));
    return osc_emit_access(osc, group,
                           size - view_int(sync, F(ompi_osc_pt2pt_sync_t, sync_expected)));
}

/** The group given to MPI_Win_post; what it counts goes up to 0. */
static enum status
emit_exposure(struct osc *osc, taddr group, int64_t count)
{
    int64_t size;

    if (group == 0)
        return STATUS_OK;
    TRY(openmpi_group_size(osc->mpi, group, &size));
    return osc_emit_exposure(osc, group, size + count);
}

enum status
osc_pt2pt_members(struct osc *osc)
{
    const struct mpi *mpi = osc->mpi;
    struct view module, sync;

    if (!osc_resolved(mpi, S(ompi_osc_pt2pt_sync_t)) ||
        !osc_resolved(mpi, S(ompi_osc_pt2pt_peer_t)) ||
        !osc_resolved(mpi, S(ompi_osc_pt2pt_pending_lock_t)) ||
        load_module(osc, &module, &sync) != STATUS_OK)
        return STATUS_ABSENT;
    TRY(osc_emit_id(osc, view_uint(&module, F(ompi_osc_pt2pt_module_t, comm))));
    const taddr exposed = view_uint(&module, F(ompi_osc_pt2pt_module_t, pw_group));
    const bool locked =
        view_uint(&module, F(ompi_osc_pt2pt_module_t, passive_target_access_epoch)) > 0;
    const int64_t type = view_int(&sync, F(ompi_osc_pt2pt_sync_t, type));
    TRY(emit_text(osc->sink, MEMBER_epoch, epoch_name(type, exposed != 0, locked)));
    TRY(emit_access(osc, &sync));
    TRY(emit_exposure(osc, exposed,
                      view_int(&module, F(ompi_osc_pt2pt_module_t, num_complete_msgs))));
    TRY(hash_each(mpi, view_addr(&module, F(ompi_osc_pt2pt_module_t, outstanding_locks)), emit_lock,
                  osc));
    TRY(emit_requests(osc, view_addr(&module, F(ompi_osc_pt2pt_module_t, locks_pending))));
    // -1 is an exclusive lock, else it counts shared ones.
    const int64_t lock = view_int(&module, F(ompi_osc_pt2pt_module_t, lock_status));
    TRY(emit_number(osc->sink, MEMBER_exclusive_lock, lock < 0));
    return emit_number(osc->sink, MEMBER_shared_locks, lock > 0 ? lock : 0);
}

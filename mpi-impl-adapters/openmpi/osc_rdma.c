// SPDX-License-Identifier: BSD-3-Clause
// Windows of module osc/rdma: it leads back to the window and to objects of its own classes.
#include "mpi-impl-adapters/openmpi/osc.h"

enum { // what it synchronises by
    SYNC_LOCK = 1,
    SYNC_FENCE,
    SYNC_PSCW,
};

/** One lock of a process, by the object that synchronises with it. */
static enum status
emit_lock(void *context, const struct hash_entry *entry)
{
    struct osc *osc = context;
    const struct mpi *mpi = osc->mpi;
    const struct datamodel *model = &mpi->inf->model;
    struct view sync;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_sync_t), entry->value, &sync));
    const uint8_t *lock = view_bytes(&sync, F(ompi_osc_rdma_sync_t, sync_lock));
    if (lock == NULL)
        return STATUS_UNSUPPORTED;
    // The rank, and two numbers of 16 bits: the type of the lock, and what the program asserts.
    const int64_t target = datamodel_int(model, lock, model->int_size);
    const int64_t type = datamodel_int(model, lock + model->int_size, 2);
    const int64_t assertions = datamodel_int(model, lock + model->int_size + 2, 2);
    if (view_uint(&sync, F(ompi_osc_rdma_sync_t, module)) != osc->window->module ||
        view_int(&sync, F(ompi_osc_rdma_sync_t, type)) != SYNC_LOCK || target != entry->key ||
        (type != OSC_LOCK_EXCLUSIVE && type != OSC_LOCK_SHARED))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lu is damaged",
                           (unsigned long) entry->key);
    return assertions & OSC_MODE_NOCHECK ? STATUS_OK
                                         : osc_emit_lock(osc, target, type == OSC_LOCK_EXCLUSIVE);
}

/** Of few processes the locks are in an array, of many in a hash table. */
static enum status
emit_locks(struct osc *osc, const struct view *module)
{
    const struct mpi *mpi = osc->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    const taddr array = view_uint(module, F(ompi_osc_rdma_module_t, outstanding_lock_array));
    struct hash_entry entry;

    if (array == 0)
        return hash_each(mpi, view_addr(module, F(ompi_osc_rdma_module_t, outstanding_locks)),
                         emit_lock, osc);
    inferior_fetch(mpi->inf, array, (size_t) osc->window->size * width);
    for (int64_t i = 0; i < osc->window->size; ++i) {
        TRY(inferior_read_pointer(mpi->inf, array + (taddr) i * width, &entry.value));
        entry.key = (uint32_t) i;
        if (entry.value != 0)
            TRY(emit_lock(osc, &entry));
    }
    return STATUS_OK;
}

/** Loads what the module keeps of the window. @return STATUS_ABSENT when it is another module's */
static enum status
load_module(const struct osc *osc, struct view *ret)
{
    const struct mpi *mpi = osc->mpi;
    struct view peer;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_module_t), osc->window->module, ret));
    const taddr own = view_uint(ret, F(ompi_osc_rdma_module_t, my_peer));
    const struct {
        taddr addr;
        const char *class;
    } objects[] = {
        {view_addr(ret, F(ompi_osc_rdma_module_t, all_sync)), "ompi_osc_rdma_sync_t"},
        {view_addr(ret, F(ompi_osc_rdma_module_t, outstanding_locks)), "opal_hash_table_t"},
        {own, "ompi_osc_rdma_peer_t"},
    };
    bool same = view_uint(ret, F(ompi_osc_rdma_module_t, win)) == osc->window->addr;
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]) && same; ++i)
        TRY(openmpi_object_is(mpi, objects[i].addr, objects[i].class, &same));
    if (!same)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_peer_t), own, &peer));
    return view_int(&peer, F(ompi_osc_rdma_peer_t, rank)) == osc->window->rank &&
                   view_uint(&peer, F(ompi_osc_rdma_peer_t, state)) ==
                       view_uint(ret, F(ompi_osc_rdma_module_t, state))
               ? STATUS_OK
               : STATUS_ABSENT;
}

static const char *
epoch_name(int64_t type, bool posted, bool locked)
{
    if (locked)
        return type == SYNC_LOCK ? "lock all" : "lock";
    if (type == SYNC_PSCW)
        return posted ? "start and post" : "start";
    return posted ? "post" : type == SYNC_FENCE ? "fence" : "none";
}

enum status
osc_rdma_members(struct osc *osc)
{
    const struct mpi *mpi = osc->mpi;
    struct view module, sync, state;

    if (!osc_resolved(mpi, S(ompi_osc_rdma_sync_t)) ||
        !osc_resolved(mpi, S(ompi_osc_rdma_state_t)) || load_module(osc, &module) != STATUS_OK)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_sync_t),
                  view_addr(&module, F(ompi_osc_rdma_module_t, all_sync)), &sync));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_state_t),
                  view_uint(&module, F(ompi_osc_rdma_module_t, state)), &state));
    TRY(osc_emit_id(osc, view_uint(&module, F(ompi_osc_rdma_module_t, comm))));
    const int64_t type = view_int(&sync, F(ompi_osc_rdma_sync_t, type));
    const taddr exposed = view_uint(&module, F(ompi_osc_rdma_module_t, pw_group));
    const bool locked =
        view_int(&module, F(ompi_osc_rdma_module_t, passive_target_access_epoch)) > 0;
    TRY(emit_text(osc->sink, MEMBER_epoch, epoch_name(type, exposed != 0, locked)));
    TRY(osc_emit_access(
        osc, type == SYNC_PSCW ? view_uint(&sync, F(ompi_osc_rdma_sync_t, sync_group)) : 0,
        view_int(&state, F(ompi_osc_rdma_state_t, num_post_msgs))));
    TRY(osc_emit_exposure(osc, exposed,
                          view_int(&state, F(ompi_osc_rdma_state_t, num_complete_msgs))));
    // The highest bit is an exclusive lock, the others count shared ones.
    const int64_t lock = view_int(&state, F(ompi_osc_rdma_state_t, local_lock));
    TRY(emit_locks(osc, &module));
    TRY(emit_number(osc->sink, MEMBER_exclusive_lock, lock < 0));
    return emit_number(osc->sink, MEMBER_shared_locks, lock & INT64_MAX);
}

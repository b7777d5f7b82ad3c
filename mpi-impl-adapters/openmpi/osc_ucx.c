// SPDX-License-Identifier: BSD-3-Clause
// Windows of module osc/ucx, whose processes change each other's state by atomic operations. It has
// a communicator of the window's processes.
#include "mpi-impl-adapters/openmpi/osc.h"

enum { // epochs, of access and of exposure
    EPOCH_NONE,
    EPOCH_FENCE,
    EPOCH_POST,
    EPOCH_START,
    EPOCH_LOCK,
    EPOCH_LOCK_ALL,
    TYPE_EXCLUSIVE = 0, // of a lock
    TYPE_SHARED,
    SHARED_BITS = 32, // of the lock word: above them is the exclusive lock
};

/** One lock that the process has; it is noted when it is got. */
static enum status
emit_lock(void *context, const struct hash_entry *entry)
{
    struct osc *osc = context;
    const struct mpi *mpi = osc->mpi;
    struct view lock;
    bool same;

    TRY(openmpi_object_is(mpi, entry->value, "ompi_osc_ucx_lock_t", &same));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_ucx_lock_t), entry->value, &lock));
    const int64_t target = view_int(&lock, F(ompi_osc_ucx_lock_t, target_rank));
    const uint64_t type = view_uint(&lock, F(ompi_osc_ucx_lock_t, type));
    if (view_uint(&lock, F(ompi_osc_ucx_lock_t, is_nocheck)))
        return STATUS_OK;
    if (!same || target != entry->key || type > TYPE_SHARED)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lu is damaged",
                           (unsigned long) entry->key);
    return osc_emit_lock(osc, target, type == TYPE_EXCLUSIVE);
}

/** Loads what the module keeps of the window. @return STATUS_ABSENT when it is another module's */
static enum status
load_module(const struct osc *osc, struct view *ret, taddr *ret_comm)
{
    const struct mpi *mpi = osc->mpi;
    const int32_t at = mpi->layout->fields[F(ompi_osc_ucx_module_t, comm)].offset;
    bool same, also;

    if (at < 0)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_ucx_module_t), osc->window->module, ret));
    TRY(inferior_read_pointer(mpi->inf, ret->addr + (taddr) at, ret_comm));
    TRY(openmpi_object_is(mpi, view_addr(ret, F(ompi_osc_ucx_module_t, outstanding_locks)),
                          "opal_hash_table_t", &same));
    TRY(openmpi_object_is(mpi, view_addr(ret, F(ompi_osc_ucx_module_t, pending_posts)),
                          "opal_list_t", &also));
    return same && also ? STATUS_OK : STATUS_ABSENT;
}

/** @param granted whether what MPI_Win_lock_all locks is locked */
static const char *
epoch_name(int64_t access, bool posted, bool granted)
{
    switch (access) {
    case EPOCH_LOCK:
        return "lock";
    case EPOCH_LOCK_ALL:
        return granted ? "lock all" : "lock";
    case EPOCH_START:
        return posted ? "start and post" : "start";
    default:
        return posted ? "post" : access == EPOCH_FENCE ? "fence" : "none";
    }
}

enum status
osc_ucx_members(struct osc *osc)
{
    const struct mpi *mpi = osc->mpi;
    const struct datamodel *model = &mpi->inf->model;
    struct view module, state;
    taddr comm;

    if (!osc_resolved(mpi, S(ompi_osc_ucx_state_t)) || !osc_resolved(mpi, S(ompi_osc_ucx_lock_t)) ||
        load_module(osc, &module, &comm) != STATUS_OK)
        return STATUS_ABSENT;
    const uint8_t *epochs = view_bytes(&module, F(ompi_osc_ucx_module_t, epoch_type));
    const int64_t access = datamodel_int(model, epochs, model->int_size);
    const int64_t exposure = datamodel_int(model, epochs + model->int_size, model->int_size);
    if (access < EPOCH_NONE || access > EPOCH_LOCK_ALL ||
        (exposure != EPOCH_NONE && exposure != EPOCH_POST))
        return STATUS_ABSENT;
    TRY(osc_emit_id(osc, comm));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_ucx_state_t),
                  module.addr + (taddr) mpi->layout->fields[F(ompi_osc_ucx_module_t, state)].offset,
                  &state));
    const bool posted = exposure == EPOCH_POST;
    const bool locks = !view_uint(&module, F(ompi_osc_ucx_module_t, lock_all_is_nocheck));
    TRY(emit_text(osc->sink, MEMBER_epoch, epoch_name(access, posted, locks)));
    // Posts are counted until all have come, and then no more.
    const int64_t posts = view_int(&module, F(ompi_osc_ucx_module_t, post_count));
    if (access == EPOCH_START)
        TRY(osc_emit_access(osc, view_uint(&module, F(ompi_osc_ucx_module_t, start_group)),
                            posts > 0 ? posts : -1));
    if (posted)
        TRY(osc_emit_exposure(osc, view_uint(&module, F(ompi_osc_ucx_module_t, post_group)),
                              view_int(&state, F(ompi_osc_ucx_state_t, complete_count))));
    TRY(hash_each(mpi, view_addr(&module, F(ompi_osc_ucx_module_t, outstanding_locks)), emit_lock,
                  osc));
    // Who tries to get a shared lock counts as one that has it until it sees the exclusive one.
    const uint64_t lock = view_uint(&state, F(ompi_osc_ucx_state_t, lock));
    const bool exclusive = lock >> SHARED_BITS != 0;
    TRY(emit_number(osc->sink, MEMBER_exclusive_lock, exclusive));
    return emit_number(osc->sink, MEMBER_shared_locks, exclusive ? 0 : (uint32_t) lock);
}

// SPDX-License-Identifier: BSD-3-Clause
// Windows of module osc/sm: it has a communicator of the window's processes, and its own part of an
// array that the processes share lies where its rank says.
#include "mpi-impl-adapters/openmpi/osc.h"

enum { // a lock
    SM_LOCK_NONE,
    SM_LOCK_NOCHECK,
    SM_LOCK_EXCLUSIVE,
    SM_LOCK_SHARED,
};

/** All that ask for a lock draw a number; `read` is the next one that may read, `write` the next
 * one that may write, so that what lies between the two is being read. */
static enum status
emit_lock_word(const struct mpi *mpi, struct member_sink *sink, const struct view *state)
{
    struct view lock;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_sm_lock_t),
                  view_addr(state, F(ompi_osc_sm_node_state_t, lock)), &lock));
    const uint32_t drawn = (uint32_t) view_uint(&lock, F(ompi_osc_sm_lock_t, counter));
    const uint32_t read = (uint32_t) view_uint(&lock, F(ompi_osc_sm_lock_t, read));
    const uint32_t write = (uint32_t) view_uint(&lock, F(ompi_osc_sm_lock_t, write));
    TRY(emit_number(sink, MEMBER_exclusive_lock, read == write && read != drawn));
    return emit_number(sink, MEMBER_shared_locks, (uint32_t) (read - write));
}

static enum status
emit_locks(struct osc *osc, taddr array)
{
    const struct mpi *mpi = osc->mpi;
    const size_t width = mpi->inf->model.int_size;
    uint64_t lock;

    inferior_fetch(mpi->inf, array, (size_t) osc->window->size * width);
    for (int64_t i = 0; i < osc->window->size; ++i) {
        TRY(inferior_read_uint(mpi->inf, array + (taddr) i * width, width, &lock));
        if (lock > SM_LOCK_SHARED)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of type %llu",
                               (unsigned long long) lock);
        if (lock > SM_LOCK_NOCHECK)
            TRY(osc_emit_lock(osc, i, lock == SM_LOCK_EXCLUSIVE));
    }
    return STATUS_OK;
}

/** Whether that is osc/sm's; its communicator is checked by osc_emit_id(). */
static bool
is_sm(const struct mpi *mpi, const struct window *window, const struct view *module)
{
    const taddr all = view_uint(module, F(ompi_osc_sm_module_t, node_states));
    const size_t size = mpi->layout->structs[S(ompi_osc_sm_node_state_t)].size;

    return all != 0 && view_uint(module, F(ompi_osc_sm_module_t, outstanding_locks)) != 0 &&
           view_uint(module, F(ompi_osc_sm_module_t, my_node_state)) ==
               all + (taddr) window->rank * size;
}

/** A fence leaves nothing that it could be known by. */
static const char *
epoch_name(bool started, bool posted, bool locked)
{
    return locked              ? "lock"
           : started && posted ? "start and post"
           : started           ? "start"
           : posted            ? "post"
                               : NULL;
}

enum status
osc_sm_members(struct osc *osc)
{
    const struct mpi *mpi = osc->mpi;
    const int32_t at = mpi->layout->fields[F(ompi_osc_sm_module_t, comm)].offset;
    struct view module, state;
    taddr comm;

    if (!osc_resolved(mpi, S(ompi_osc_sm_node_state_t)) ||
        !osc_resolved(mpi, S(ompi_osc_sm_lock_t)) || at < 0 ||
        view_load(mpi->inf, mpi->layout, S(ompi_osc_sm_module_t), osc->window->module, &module) !=
            STATUS_OK ||
        !is_sm(mpi, osc->window, &module))
        return STATUS_ABSENT;
    TRY(inferior_read_pointer(mpi->inf, module.addr + (taddr) at, &comm));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_sm_node_state_t),
                  view_uint(&module, F(ompi_osc_sm_module_t, my_node_state)), &state));
    TRY(osc_emit_id(osc, comm));
    const taddr started = view_uint(&module, F(ompi_osc_sm_module_t, start_group));
    const taddr posted = view_uint(&module, F(ompi_osc_sm_module_t, post_group));
    TRY(emit_locks(osc, view_uint(&module, F(ompi_osc_sm_module_t, outstanding_locks))));
    const char *epoch = epoch_name(started != 0, posted != 0, osc->locks > 0);
    if (epoch != NULL)
        TRY(emit_text(osc->sink, MEMBER_epoch, epoch));
    TRY(osc_emit_access(osc, started, -1));
    TRY(osc_emit_exposure(osc, posted,
                          view_int(&state, F(ompi_osc_sm_node_state_t, complete_count))));
    return emit_lock_word(mpi, osc->sink, &state);
}

// SPDX-License-Identifier: BSD-3-Clause
// Epochs and locks of windows. A window has no sign of its module, so each one looks whether what
// the window leads to is its own.
#include "mpi-impl-adapters/openmpi/osc.h"

bool
osc_resolved(const struct mpi *mpi, unsigned number)
{
    return mpi->layout->structs[number].origin != ORIGIN_NONE;
}

enum status
osc_emit_id(struct osc *osc, taddr comm)
{
    const struct mpi *mpi = osc->mpi;
    struct view view;
    int64_t size;
    bool same;

    TRY(openmpi_object_is(mpi, comm, "ompi_communicator_t", &same));
    if (!same)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), comm, &view));
    TRY(openmpi_group_size(mpi, view_uint(&view, F(ompi_communicator_t, c_local_group)), &size));
    if (size != osc->window->size ||
        view_int(&view, F(ompi_communicator_t, c_my_rank)) != osc->window->rank)
        return STATUS_ABSENT;
    return emit_number(osc->sink, MEMBER_id, (int64_t) openmpi_comm_number(&view));
}

static enum status
load_ranks(struct osc *osc)
{
    const struct mpi *mpi = osc->mpi;
    const size_t size = (size_t) osc->window->size;

    osc->ranks = inferior_alloc(mpi->inf, (size + 1) * sizeof(*osc->ranks));
    return osc->ranks == NULL ? STATUS_NOMEM
                              : openmpi_group(mpi, osc->window->group, (uint32_t) size, osc->ranks);
}

/** Emits a process of the window. */
static enum status
emit_process(struct osc *osc, enum member_id id, uint32_t index, int64_t rank)
{
    if (rank < 0 || rank >= osc->window->size)
        return trail_begin(&osc->mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lld",
                           (long long) rank);
    if (osc->ranks == NULL)
        TRY(load_ranks(osc));
    return emit_indexed(osc->sink, id, index, osc->ranks[rank]);
}

enum status
osc_emit_lock(struct osc *osc, int64_t target, bool exclusive)
{
    TRY(emit_process(osc, MEMBER_locked, osc->locks, target));
    return emit_indexed(osc->sink, MEMBER_locked_exclusively, osc->locks++, exclusive);
}

enum status
osc_emit_awaited(struct osc *osc, int64_t target, bool exclusive)
{
    TRY(emit_process(osc, MEMBER_lock_awaited, osc->awaited, target));
    return emit_indexed(osc->sink, MEMBER_lock_awaited_exclusively, osc->awaited++, exclusive);
}

enum status
osc_emit_request(struct osc *osc, int64_t rank)
{
    return emit_process(osc, MEMBER_lock_request, osc->requests++, rank);
}

static enum status
emit_epoch(struct osc *osc, enum member_id members, taddr group, enum member_id arrivals,
           int64_t arrived)
{
    int64_t size;

    if (group == 0)
        return STATUS_OK;
    TRY(openmpi_group_size(osc->mpi, group, &size));
    if (arrived >= 0 && arrived <= size)
        TRY(emit_number(osc->sink, arrivals, arrived));
    return emit_ranks(osc->mpi, osc->sink, members, group, size);
}

enum status
osc_emit_access(struct osc *osc, taddr group, int64_t posts)
{
    return emit_epoch(osc, MEMBER_access_member, group, MEMBER_posts, posts);
}

enum status
osc_emit_exposure(struct osc *osc, taddr group, int64_t completions)
{
    return emit_epoch(osc, MEMBER_exposure_member, group, MEMBER_completions, completions);
}

enum status
window_epoch(const struct mpi *mpi, const struct window *window, struct member_sink *sink)
{
    static enum status (*const modules[])(struct osc *) = {osc_rdma_members, osc_sm_members,
                                                           osc_pt2pt_members, osc_ucx_members};
    struct osc osc = {.mpi = mpi, .window = window, .sink = sink};
    enum status status = STATUS_ABSENT;

    if (window->module == 0 || window->size <= 0 || window->size > GROUP_MAX || window->rank < 0 ||
        window->rank >= window->size)
        return STATUS_OK;
    const struct trail trail = mpi->inf->trail;
    for (size_t i = 0; i < sizeof(modules) / sizeof(*modules) && status == STATUS_ABSENT; ++i)
        status = modules[i](&osc);
    inferior_free(mpi->inf, osc.ranks);
    // Another module's memory is no damage; the window is worth showing without it.
    if (status == STATUS_NOMEM)
        return status;
    mpi->inf->trail = trail;
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Members of windows; of device ch4 epochs and locks too, which it keeps in the same way for all
// transports.
#include "mpi-impl-adapters/mpich/object.h"

#include "target/walk.h"

/** Of MPICH's, the same in all releases of 4.x. */
enum {
    EPOCH_NONE,
    EPOCH_LOCK,
    EPOCH_START,
    EPOCH_POST,
    EPOCH_FENCE,
    EPOCH_FENCE_BEGUN,
    EPOCH_LOCK_ALL,
    LOCK_EXCLUSIVE = 234,
    LOCK_SHARED = 235,
    ABI_LOCK_EXCLUSIVE = 301, // this and the next ones: of the standard ABI
    ABI_LOCK_SHARED = 302,
    ABI_FLAVOR_NONE = 310,
    ABI_UNIFIED = 321,
    ABI_SEPARATE = 322,
};

/** A window's communicator, and the ranks of its members in MPI_COMM_WORLD. */
struct window {
    const struct describing *it;
    struct comm comm;
    int32_t *ranks;
};

static enum status
say_comm(const struct describing *it, taddr addr)
{
    struct comm comm;

    TRY(say_object(it, MEMBER_communicator, OBJECT_COMMUNICATOR, addr));
    TRY(mpich_comm_load(it->mpi, addr, &comm));
    return say_number(it, MEMBER_rank, 0, comm.rank);
}

// Epochs and locks.

/** A part of an object that lies in it. */
static enum status
load_part(const struct describing *it, const struct view *of, unsigned field, unsigned number,
          struct view *ret)
{
    return view_load(it->mpi->inf, it->mpi->layout, number, view_addr(of, field), ret);
}

/** @param exposed to others */
static const char *
epoch_name(int64_t access, bool exposed)
{
    switch (access) {
    case EPOCH_NONE:
        return exposed ? "post" : "none";
    case EPOCH_START:
        return exposed ? "start and post" : "start";
    case EPOCH_FENCE:
    case EPOCH_FENCE_BEGUN:
        return "fence";
    case EPOCH_LOCK:
        return "lock";
    case EPOCH_LOCK_ALL:
        return "lock all";
    default:
        return NULL;
    }
}

/** What was begun by MPI_Win_start or MPI_Win_post. @param arrived -1: all of the group */
static enum status
say_part(const struct describing *it, taddr group, enum member_id members, enum member_id arrivals,
         int64_t arrived)
{
    int64_t size;

    if (group == 0)
        return STATUS_OK;
    TRY(say_group(it, members, group, &size));
    return arrived <= size ? say_number(it, arrivals, 0, arrived < 0 ? size : arrived) : STATUS_OK;
}

static enum status
say_rank(const struct window *window, enum member_id id, uint32_t index, int64_t rank)
{
    if (rank < 0 || rank >= window->comm.size)
        return trail_begin(&window->it->mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lld",
                           (long long) rank);
    return say_number(window->it, id, index, window->ranks[rank]);
}

/** A list of what has a rank. */
struct ranked {
    unsigned number;                        // of the struct
    taddr first;                            // 0: empty
    uint32_t link;                          // offset of the pointer to the next one
    unsigned rank;                          // field
    bool (*takes)(const struct view *view); // NULL: all
    enum member_id id;
};

static enum status
say_ranked(const struct window *window, const struct ranked *list)
{
    struct inferior *inf = window->it->mpi->inf;
    struct walk walk;
    struct view view;
    uint32_t count = 0;
    enum status status;
    taddr addr;

    walk_terminated(&walk, inf, list->first, list->link, (uint64_t) window->comm.size);
    while ((status = walk_next(&walk, &addr)) == STATUS_OK) {
        TRY(view_load(inf, window->it->mpi->layout, list->number, addr, &view));
        if (list->takes == NULL || list->takes(&view))
            TRY(say_rank(window, list->id, count++, view_int(&view, list->rank)));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

/** Whether a target has granted the lock that was asked for. */
static bool
is_locked(const struct view *target)
{
    const struct layout *layout = target->layout;
    const uint32_t at = (uint32_t) layout->fields[F(MPIDIG_win_target_sync_t, lock)].offset;
    const uint8_t *sync = view_bytes(target, F(MPIDIG_win_target_t, sync));

    return sync != NULL && datamodel_uint(&layout->model, sync + at, 4) == 1;
}

static enum status
say_locks(const struct window *window, const struct view *am, const struct view *recvd)
{
    const struct layout *layout = window->it->mpi->layout;
    const struct ranked targets = {
        .number = S(MPIDIG_win_target_t),
        .first = view_uint(am, F(MPIDIG_win_t, targets)),
        .link = (uint32_t) (layout->fields[F(MPIDIG_win_target_t, hash_handle)].offset +
                            layout->fields[F(UT_hash_handle, next)].offset),
        .rank = F(MPIDIG_win_target_t, rank),
        .takes = is_locked,
        .id = MEMBER_locked,
    };
    const struct ranked waiting = {
        .number = S(MPIDIG_win_lock),
        .first = view_uint(recvd, F(MPIDIG_win_lock_recvd_t, head)),
        .link = (uint32_t) layout->fields[F(MPIDIG_win_lock, next)].offset,
        .rank = F(MPIDIG_win_lock, rank),
        .id = MEMBER_lock_request,
    };
    const int64_t type = view_int(recvd, F(MPIDIG_win_lock_recvd_t, type));
    const int64_t count = view_int(recvd, F(MPIDIG_win_lock_recvd_t, count));

    TRY(say_ranked(window, &targets));
    TRY(say_ranked(window, &waiting));
    const bool exclusive = type == LOCK_EXCLUSIVE || type == ABI_LOCK_EXCLUSIVE;
    const bool shared = type == LOCK_SHARED || type == ABI_LOCK_SHARED;
    TRY(say_number(window->it, MEMBER_exclusive_lock, 0, exclusive && count > 0));
    return say_number(window->it, MEMBER_shared_locks, 0, shared ? count : 0);
}

static enum status
say_epoch(const struct window *window, taddr addr)
{
    const struct describing *it = window->it;
    struct view dev, am, sync, sc, pw, recvd;

    TRY(view_load(it->mpi->inf, it->mpi->layout, S(MPIDI_Devwin_t), addr, &dev));
    TRY(load_part(it, &dev, F(MPIDI_Devwin_t, am), S(MPIDIG_win_t), &am));
    TRY(load_part(it, &am, F(MPIDIG_win_t, sync), S(MPIDIG_win_sync_t), &sync));
    TRY(load_part(it, &sync, F(MPIDIG_win_sync_t, sc), S(MPIDIG_win_sync_pscw_t), &sc));
    TRY(load_part(it, &sync, F(MPIDIG_win_sync_t, pw), S(MPIDIG_win_sync_pscw_t), &pw));
    TRY(load_part(it, &sync, F(MPIDIG_win_sync_t, lock_recvd), S(MPIDIG_win_lock_recvd_t), &recvd));
    TRY(say_number(it, MEMBER_id, 0, view_int(&am, F(MPIDIG_win_t, win_id))));
    const bool exposed = view_int(&sync, F(MPIDIG_win_sync_t, exposure_epoch_type)) == EPOCH_POST;
    const int64_t access = view_int(&sync, F(MPIDIG_win_sync_t, access_epoch_type));
    const char *name = epoch_name(access, exposed);
    if (name == NULL)
        return trail_begin(&it->mpi->inf->trail, STATUS_CORRUPT, "the epoch of a window");
    TRY(say_text(it, MEMBER_epoch, 0, name));
    // What comes from the other side is counted with the other group: posts until MPI_Win_start has
    // taken them, completions.
    const int64_t posts =
        access == EPOCH_START ? -1 : view_int(&pw, F(MPIDIG_win_sync_pscw_t, count));
    TRY(say_part(it, view_uint(&sc, F(MPIDIG_win_sync_pscw_t, group)), MEMBER_access_member,
                 MEMBER_posts, posts));
    TRY(say_part(it, view_uint(&pw, F(MPIDIG_win_sync_pscw_t, group)), MEMBER_exposure_member,
                 MEMBER_completions, view_int(&sc, F(MPIDIG_win_sync_pscw_t, count))));
    return say_locks(window, &am, &recvd);
}

/** @param addr of the device's part of a window */
static enum status
say_synchronization(const struct describing *it, taddr comm, taddr addr)
{
    struct window window = {.it = it};

    TRY(mpich_comm_load(it->mpi, comm, &window.comm));
    const size_t size = (size_t) window.comm.size;
    window.ranks = inferior_alloc(it->mpi->inf, (size + 1) * sizeof(*window.ranks));
    if (window.ranks == NULL)
        return STATUS_NOMEM;
    enum status status =
        mpich_group(it->mpi, window.comm.local_group, (uint32_t) size, window.ranks);
    if (status == STATUS_OK)
        status = say_epoch(&window, addr);
    inferior_free(it->mpi->inf, window.ranks);
    return status;
}

static enum status
say_making(const struct describing *it, const struct view *win)
{
    static const char *const flavors[] = {NULL, "create", "allocate", "dynamic", "shared"};
    static const char *const models[] = {NULL, "separate", "unified"};
    const int64_t flavor = view_int(win, F(MPIR_Win, create_flavor));
    const int64_t model = view_int(win, F(MPIR_Win, model));

    TRY(SAY_NAME(it, MEMBER_flavor, flavors,
                 flavor > ABI_FLAVOR_NONE ? flavor - ABI_FLAVOR_NONE : flavor));
    return SAY_NAME(it, MEMBER_model, models,
                    model == ABI_UNIFIED    ? 2
                    : model == ABI_SEPARATE ? 1
                                            : model);
}

enum status
mpich_window_members(const struct describing *it)
{
    struct view view;

    TRY(view_load_whole(it->mpi->inf, it->mpi->layout, S(MPIR_Win), it->object->addr, &view));
    TRY(say_making(it, &view));
    TRY(say_number(it, MEMBER_base, 0, view_int(&view, F(MPIR_Win, base))));
    TRY(say_number(it, MEMBER_size, 0, view_int(&view, F(MPIR_Win, size))));
    TRY(say_number(it, MEMBER_displacement_unit, 0, view_int(&view, F(MPIR_Win, disp_unit))));
    enum status status = say_errhandler(it, view_uint(&view, F(MPIR_Win, errhandler)));
    if (status != STATUS_NOMEM) {
        const enum status other = say_comm(it, view_uint(&view, F(MPIR_Win, comm_ptr)));
        status = other != STATUS_OK ? other : status;
    }
    if (status == STATUS_NOMEM)
        return status;
    const enum status last =
        say_attributes(it, view_uint(&view, F(MPIR_Win, attributes)), OBJECT_WIN_KEYVAL);
    if (last != STATUS_OK || !view_has(&view, F(MPIR_Win, dev)))
        return last != STATUS_OK ? last : status;
    const enum status sync = say_synchronization(it, view_uint(&view, F(MPIR_Win, comm_ptr)),
                                                 view_addr(&view, F(MPIR_Win, dev)));
    return sync != STATUS_OK ? sync : status;
}

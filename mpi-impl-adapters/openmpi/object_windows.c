// SPDX-License-Identifier: BSD-3-Clause
// Epochs and locks of windows, as the modules osc/rdma and osc/sm keep them.
//
// A window has no sign of its module, so what it leads to is tried: osc/rdma's leads back to the
// window and to objects of its own classes; osc/sm's has a communicator of the window's processes,
// and its own part of an array that the processes share lies where its rank says.
#include "mpi-impl-adapters/openmpi/objects.h"

/** Values of Open MPI's, the same in all releases of 4.x and 5.x. */
enum {
    SYNC_LOCK = 1, // what osc/rdma synchronises by
    SYNC_FENCE,
    SYNC_PSCW,
    SM_LOCK_NONE = 0, // a lock of osc/sm
    SM_LOCK_NOCHECK,
    SM_LOCK_EXCLUSIVE,
    SM_LOCK_SHARED,
    LOCK_EXCLUSIVE = 1, // MPI_LOCK_EXCLUSIVE
    LOCK_SHARED = 2,
    MODE_NOCHECK = 1, // an assertion: nothing was asked for
};

/** The locks of a window. */
struct locks {
    const struct mpi *mpi;
    const struct window *window;
    struct member_sink *sink;
    int32_t *ranks; // in MPI_COMM_WORLD, of the window's processes; NULL: not needed yet
    uint32_t count; // that were emitted
};

static bool
resolved(const struct mpi *mpi, unsigned number)
{
    return mpi->layout->structs[number].origin != ORIGIN_NONE;
}

static enum status
load_ranks(struct locks *locks)
{
    const struct mpi *mpi = locks->mpi;
    const size_t size = (size_t) locks->window->size;

    locks->ranks = inferior_alloc(mpi->inf, (size + 1) * sizeof(*locks->ranks));
    return locks->ranks == NULL
               ? STATUS_NOMEM
               : openmpi_group(mpi, locks->window->group, (uint32_t) size, locks->ranks);
}

static enum status
emit_lock(struct locks *locks, int64_t target, bool exclusive)
{
    if (target < 0 || target >= locks->window->size)
        return trail_begin(&locks->mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lld",
                           (long long) target);
    if (locks->ranks == NULL)
        TRY(load_ranks(locks));
    TRY(emit_indexed(locks->sink, MEMBER_locked, locks->count, locks->ranks[target]));
    return emit_indexed(locks->sink, MEMBER_locked_exclusively, locks->count++, exclusive);
}

/** Emits what was begun by MPI_Win_start and MPI_Win_post, where it was. */
static enum status
emit_epoch(const struct mpi *mpi, struct member_sink *sink, enum member_id members, taddr group,
           enum member_id arrivals, int64_t arrived)
{
    int64_t size;

    if (group == 0)
        return STATUS_OK;
    TRY(openmpi_group_size(mpi, group, &size));
    if (arrived >= 0 && arrived <= size)
        TRY(emit_number(sink, arrivals, arrived));
    return emit_ranks(mpi, sink, members, group, size);
}

static enum status
is_object(const struct mpi *mpi, taddr addr, const char *class, bool *ret)
{
    struct view header;

    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), addr, &header));
    return openmpi_class_is(mpi, view_uint(&header, F(opal_object_t, obj_class)), class, ret);
}

/** What is the same for all processes of a window: the number of its communicator.
 * @return STATUS_ABSENT when it is no communicator of the window's processes */
static enum status
emit_id(const struct mpi *mpi, const struct window *window, taddr comm, struct member_sink *sink)
{
    struct view view;
    int64_t size;
    bool same;

    TRY(is_object(mpi, comm, "ompi_communicator_t", &same));
    if (!same)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), comm, &view));
    TRY(openmpi_group_size(mpi, view_uint(&view, F(ompi_communicator_t, c_local_group)), &size));
    if (size != window->size || view_int(&view, F(ompi_communicator_t, c_my_rank)) != window->rank)
        return STATUS_ABSENT;
    return emit_number(sink, MEMBER_id, (int64_t) openmpi_comm_number(&view));
}

// Module osc/rdma.

/** One lock of a process, by the object that synchronises with it. */
static enum status
emit_rdma_lock(void *context, const struct hash_entry *entry)
{
    struct locks *locks = context;
    const struct mpi *mpi = locks->mpi;
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
    if (view_uint(&sync, F(ompi_osc_rdma_sync_t, module)) != locks->window->module ||
        view_int(&sync, F(ompi_osc_rdma_sync_t, type)) != SYNC_LOCK || target != entry->key ||
        (type != LOCK_EXCLUSIVE && type != LOCK_SHARED))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of rank %lu is damaged",
                           (unsigned long) entry->key);
    return assertions & MODE_NOCHECK ? STATUS_OK : emit_lock(locks, target, type == LOCK_EXCLUSIVE);
}

/** Of few processes the locks are in an array, of many in a hash table. */
static enum status
emit_rdma_locks(struct locks *locks, const struct view *module)
{
    const struct mpi *mpi = locks->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    const taddr array = view_uint(module, F(ompi_osc_rdma_module_t, outstanding_lock_array));
    struct hash_entry entry;

    if (array == 0)
        return hash_each(mpi, view_addr(module, F(ompi_osc_rdma_module_t, outstanding_locks)),
                         emit_rdma_lock, locks);
    inferior_fetch(mpi->inf, array, (size_t) locks->window->size * width);
    for (int64_t i = 0; i < locks->window->size; ++i) {
        TRY(inferior_read_pointer(mpi->inf, array + (taddr) i * width, &entry.value));
        entry.key = (uint32_t) i;
        if (entry.value != 0)
            TRY(emit_rdma_lock(locks, &entry));
    }
    return STATUS_OK;
}

static enum status
is_rdma(const struct mpi *mpi, const struct window *window, const struct view *module, bool *ret)
{
    const taddr own = view_uint(module, F(ompi_osc_rdma_module_t, my_peer));
    const struct {
        taddr addr;
        const char *class;
    } objects[] = {
        {view_addr(module, F(ompi_osc_rdma_module_t, all_sync)), "ompi_osc_rdma_sync_t"},
        {view_addr(module, F(ompi_osc_rdma_module_t, outstanding_locks)), "opal_hash_table_t"},
        {own, "ompi_osc_rdma_peer_t"},
    };
    struct view peer;

    *ret = view_uint(module, F(ompi_osc_rdma_module_t, win)) == window->addr;
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]) && *ret; ++i)
        TRY(is_object(mpi, objects[i].addr, objects[i].class, ret));
    if (!*ret)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_peer_t), own, &peer));
    *ret = view_int(&peer, F(ompi_osc_rdma_peer_t, rank)) == window->rank &&
           view_uint(&peer, F(ompi_osc_rdma_peer_t, state)) ==
               view_uint(module, F(ompi_osc_rdma_module_t, state));
    return STATUS_OK;
}

static const char *
rdma_epoch(int64_t type, bool posted, bool locked)
{
    if (locked)
        return type == SYNC_LOCK ? "lock all" : "lock";
    if (type == SYNC_PSCW)
        return posted ? "start and post" : "start";
    return posted ? "post" : type == SYNC_FENCE ? "fence" : "none";
}

static enum status
rdma_members(struct locks *locks, const struct view *module)
{
    const struct mpi *mpi = locks->mpi;
    struct view sync, state;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_sync_t),
                  view_addr(module, F(ompi_osc_rdma_module_t, all_sync)), &sync));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_state_t),
                  view_uint(module, F(ompi_osc_rdma_module_t, state)), &state));
    TRY(emit_id(mpi, locks->window, view_uint(module, F(ompi_osc_rdma_module_t, comm)),
                locks->sink));
    const int64_t type = view_int(&sync, F(ompi_osc_rdma_sync_t, type));
    const taddr exposed = view_uint(module, F(ompi_osc_rdma_module_t, pw_group));
    const bool locked =
        view_int(module, F(ompi_osc_rdma_module_t, passive_target_access_epoch)) > 0;
    TRY(emit_text(locks->sink, MEMBER_epoch, rdma_epoch(type, exposed != 0, locked)));
    TRY(emit_epoch(mpi, locks->sink, MEMBER_access_member,
                   type == SYNC_PSCW ? view_uint(&sync, F(ompi_osc_rdma_sync_t, sync_group)) : 0,
                   MEMBER_posts, view_int(&state, F(ompi_osc_rdma_state_t, num_post_msgs))));
    TRY(emit_epoch(mpi, locks->sink, MEMBER_exposure_member, exposed, MEMBER_completions,
                   view_int(&state, F(ompi_osc_rdma_state_t, num_complete_msgs))));
    // The highest bit is an exclusive lock, the others count shared ones.
    const int64_t lock = view_int(&state, F(ompi_osc_rdma_state_t, local_lock));
    TRY(emit_rdma_locks(locks, module));
    TRY(emit_number(locks->sink, MEMBER_exclusive_lock, lock < 0));
    return emit_number(locks->sink, MEMBER_shared_locks, lock & INT64_MAX);
}

// Module osc/sm.

/** All that ask for a lock draw a number; `read` is the next one that may read, `write` the next
 * one that may write, so that what lies between the two is being read. */
static enum status
emit_sm_lock_word(const struct mpi *mpi, struct member_sink *sink, const struct view *state)
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
emit_sm_locks(struct locks *locks, taddr array)
{
    const struct mpi *mpi = locks->mpi;
    const size_t width = mpi->inf->model.int_size;
    uint64_t lock;

    inferior_fetch(mpi->inf, array, (size_t) locks->window->size * width);
    for (int64_t i = 0; i < locks->window->size; ++i) {
        TRY(inferior_read_uint(mpi->inf, array + (taddr) i * width, width, &lock));
        if (lock > SM_LOCK_SHARED)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "a lock of type %llu",
                               (unsigned long long) lock);
        if (lock > SM_LOCK_NOCHECK)
            TRY(emit_lock(locks, i, lock == SM_LOCK_EXCLUSIVE));
    }
    return STATUS_OK;
}

/** Whether that is osc/sm's; its communicator is checked by emit_id(). */
static bool
is_sm(const struct mpi *mpi, const struct window *window, const struct view *module)
{
    const taddr all = view_uint(module, F(ompi_osc_sm_module_t, node_states));
    const size_t size = mpi->layout->structs[S(ompi_osc_sm_node_state_t)].size;

    return all != 0 && view_uint(module, F(ompi_osc_sm_module_t, outstanding_locks)) != 0 &&
           view_uint(module, F(ompi_osc_sm_module_t, my_node_state)) ==
               all + (taddr) window->rank * size;
}

/** What a fence leaves cannot be told from nothing. */
static const char *
sm_epoch(bool started, bool posted, bool locked)
{
    return locked              ? "lock"
           : started && posted ? "start and post"
           : started           ? "start"
           : posted            ? "post"
                               : NULL;
}

static enum status
sm_members(struct locks *locks, const struct view *module)
{
    const struct mpi *mpi = locks->mpi;
    const int32_t at = mpi->layout->fields[F(ompi_osc_sm_module_t, comm)].offset;
    struct view state;
    taddr comm;

    TRY(inferior_read_pointer(mpi->inf, module->addr + (taddr) at, &comm));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_osc_sm_node_state_t),
                  view_uint(module, F(ompi_osc_sm_module_t, my_node_state)), &state));
    TRY(emit_id(mpi, locks->window, comm, locks->sink));
    const taddr started = view_uint(module, F(ompi_osc_sm_module_t, start_group));
    const taddr posted = view_uint(module, F(ompi_osc_sm_module_t, post_group));
    TRY(emit_sm_locks(locks, view_uint(module, F(ompi_osc_sm_module_t, outstanding_locks))));
    const char *epoch = sm_epoch(started != 0, posted != 0, locks->count > 0);
    if (epoch != NULL)
        TRY(emit_text(locks->sink, MEMBER_epoch, epoch));
    TRY(emit_epoch(mpi, locks->sink, MEMBER_access_member, started, MEMBER_posts, -1));
    TRY(emit_epoch(mpi, locks->sink, MEMBER_exposure_member, posted, MEMBER_completions,
                   view_int(&state, F(ompi_osc_sm_node_state_t, complete_count))));
    return emit_sm_lock_word(mpi, locks->sink, &state);
}

static enum status
try_modules(struct locks *locks)
{
    const struct mpi *mpi = locks->mpi;
    const struct window *window = locks->window;
    struct view module;
    bool same = false;

    if (resolved(mpi, S(ompi_osc_rdma_module_t)) && resolved(mpi, S(ompi_osc_rdma_sync_t)) &&
        resolved(mpi, S(ompi_osc_rdma_peer_t)) && resolved(mpi, S(ompi_osc_rdma_state_t)) &&
        view_load(mpi->inf, mpi->layout, S(ompi_osc_rdma_module_t), window->module, &module) ==
            STATUS_OK)
        TRY(is_rdma(mpi, window, &module, &same));
    if (same)
        return rdma_members(locks, &module);
    if (resolved(mpi, S(ompi_osc_sm_module_t)) && resolved(mpi, S(ompi_osc_sm_node_state_t)) &&
        resolved(mpi, S(ompi_osc_sm_lock_t)) &&
        mpi->layout->fields[F(ompi_osc_sm_module_t, comm)].offset >= 0 &&
        view_load(mpi->inf, mpi->layout, S(ompi_osc_sm_module_t), window->module, &module) ==
            STATUS_OK &&
        is_sm(mpi, window, &module))
        return sm_members(locks, &module);
    return STATUS_OK;
}

enum status
window_epoch(const struct mpi *mpi, const struct window *window, struct member_sink *sink)
{
    struct locks locks = {mpi, window, sink, NULL, 0};

    if (window->module == 0 || window->size <= 0 || window->size > GROUP_MAX || window->rank < 0 ||
        window->rank >= window->size)
        return STATUS_OK;
    const struct trail trail = mpi->inf->trail;
    const enum status status = try_modules(&locks);
    inferior_free(mpi->inf, locks.ranks);
    // Another module's memory is no damage; the window is worth showing without it.
    if (status == STATUS_NOMEM)
        return status;
    mpi->inf->trail = trail;
    return STATUS_OK;
}

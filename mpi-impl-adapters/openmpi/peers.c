// SPDX-License-Identifier: BSD-3-Clause
// Which member of a group an endpoint leads to: each process has its endpoints behind what all
// processes have, in a place that is a choice of the build.
#include "mpi-impl-adapters/openmpi/handed.h"

#include "mpi-impl-adapters/openmpi/sparse.h"
#include "target/addrs.h"

enum { ENDPOINTS_MAX = 32, MEMBER_CHUNK = 256 };

/** The keys of a group's members. */
struct peer_table {
    bool loaded;
    struct addrs keys;  // in the order of the members
    struct addrs ranks; // of the member, for each key
    uint32_t *order;    // of addrs_order()
};

enum status
peers_init(struct peers *peers, uint32_t n_comms)
{
    peers->tables = arena_alloc(peers->arena, (size_t) n_comms + 1, sizeof(*peers->tables));
    return peers->tables == NULL ? STATUS_NOMEM : STATUS_OK;
}

// Bytes of a process object, as its class says.
static enum status
proc_size(const struct mpi *mpi, taddr proc, uint64_t *ret)
{
    struct view object, class;

    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), proc, &object));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_class_t),
                  view_uint(&object, F(opal_object_t, obj_class)), &class));
    *ret = view_uint(&class, F(opal_class_t, cls_sizeof));
    return STATUS_OK;
}

static enum status
add_member(const struct peers *peers, struct peer_table *table, taddr proc, uint32_t rank)
{
    const struct mpi *mpi = peers->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    const uint32_t start = mpi->layout->structs[S(opal_proc_t)].size;
    uint8_t bytes[ENDPOINTS_MAX * sizeof(taddr)];
    uint64_t size;

    TRY(proc_size(mpi, proc, &size));
    const size_t room = size <= start ? 0 : (size_t) (size - start) / width;
    const size_t count = room < ENDPOINTS_MAX ? room : ENDPOINTS_MAX;
    TRY(inferior_read(mpi->inf, proc + start, count * width, bytes));
    for (size_t i = 0; i < count; ++i) {
        uint64_t key;
        if (peers->key(mpi, datamodel_uint(&mpi->inf->model, bytes + i * width, width), &key) !=
            STATUS_OK)
            continue;
        TRY(addrs_add(peers->arena, &table->keys, key));
        TRY(addrs_add(peers->arena, &table->ranks, rank));
    }
    return STATUS_OK;
}

// A member that is a name only was never sent to.
static enum status
add_members(const struct peers *peers, struct peer_table *table, const struct comm *comm)
{
    const struct mpi *mpi = peers->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    uint8_t bytes[MEMBER_CHUNK * sizeof(taddr)];
    const uint32_t size = (uint32_t) comm->peer_size;
    struct view group;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_t), comm->peer_group, &group));
    if (view_uint(&group, F(ompi_group_t, grp_flags)) & GROUP_FLAG_SPARSE)
        return STATUS_OK;
    const taddr members = view_uint(&group, F(ompi_group_t, grp_proc_pointers));
    for (uint32_t first = 0; first < size; first += MEMBER_CHUNK) {
        const uint32_t count = size - first < MEMBER_CHUNK ? size - first : MEMBER_CHUNK;
        TRY(inferior_read(mpi->inf, members + first * width, count * width, bytes));
        for (uint32_t i = 0; i < count; ++i) {
            const taddr member = datamodel_uint(&mpi->inf->model, bytes + i * width, width);
            if (member != 0 && (member & 1) == 0)
                TRY(add_member(peers, table, member, first + i));
        }
    }
    return STATUS_OK;
}

static bool
load_table(const struct peers *peers, uint32_t comm)
{
    struct peer_table *table = &peers->tables[comm];

    table->loaded = true;
    if (peers->comms[comm].peer_group != 0 &&
        add_members(peers, table, &peers->comms[comm]) == STATUS_OK)
        table->order = addrs_order(peers->arena, &table->keys);
    return table->order != NULL;
}

bool
peers_find(const struct peers *peers, uint32_t comm, uint64_t key, int32_t *ret)
{
    const struct peer_table *table = &peers->tables[comm];

    *ret = NO_RANK;
    if (!table->loaded && !load_table(peers, comm))
        return false;
    if (table->order == NULL)
        return false;
    const uint32_t at = addrs_find_by(&table->keys, table->order, key);
    if (at < table->keys.count)
        *ret = (int32_t) table->ranks.at[at];
    return at < table->keys.count;
}

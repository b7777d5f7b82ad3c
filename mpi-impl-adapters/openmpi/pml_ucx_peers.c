// SPDX-License-Identifier: BSD-3-Clause
// Which member of a group an endpoint of libucp leads to: each process has its endpoints behind
// what all processes have, in a place that is a choice of the build.
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

#include "mpi-impl-adapters/openmpi/sparse.h"
#include "target/sort.h"

enum { ENDPOINTS_MAX = 32, MEMBER_CHUNK = 256 };

/** The endpoints of a group's members. */
struct ucx_peers {
    bool loaded;
    struct addrs endpoints; // in the order of the members
    struct addrs ranks;     // of the member, for each endpoint
    uint32_t *order;        // numbers of the endpoints, sorted
};

enum status
ucx_peers_init(struct ucx_search *search)
{
    search->peers =
        arena_alloc(search->arena, (size_t) search->sink->n_comms + 1, sizeof(*search->peers));
    return search->peers == NULL ? STATUS_NOMEM : STATUS_OK;
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
add_member(struct ucx_search *search, struct ucx_peers *peers, taddr proc, uint32_t rank)
{
    const struct mpi *mpi = search->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    const uint32_t start = mpi->layout->structs[S(opal_proc_t)].size;
    uint8_t bytes[ENDPOINTS_MAX * sizeof(taddr)];
    uint64_t size;

    TRY(proc_size(mpi, proc, &size));
    const size_t room = size <= start ? 0 : (size_t) (size - start) / width;
    const size_t count = room < ENDPOINTS_MAX ? room : ENDPOINTS_MAX;
    TRY(inferior_read(mpi->inf, proc + start, count * width, bytes));
    for (size_t i = 0; i < count; ++i) {
        const taddr endpoint = datamodel_uint(&mpi->inf->model, bytes + i * width, width);
        if (endpoint == 0)
            continue;
        TRY(addrs_add(search->arena, &peers->endpoints, endpoint));
        TRY(addrs_add(search->arena, &peers->ranks, rank));
    }
    return STATUS_OK;
}

// A member that is a name only was never sent to.
static enum status
add_members(struct ucx_search *search, struct ucx_peers *peers, const struct comm *comm)
{
    const struct mpi *mpi = search->mpi;
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
                TRY(add_member(search, peers, member, first + i));
        }
    }
    return STATUS_OK;
}

static int
endpoint_less(void *context, uint32_t a, uint32_t b)
{
    const taddr *at = context;

    return at[a] < at[b];
}

static bool
load_peers(struct ucx_search *search, uint32_t comm)
{
    struct ucx_peers *peers = &search->peers[comm];

    peers->loaded = true;
    if (search->sink->comms[comm].peer_group == 0 ||
        add_members(search, peers, &search->sink->comms[comm]) != STATUS_OK)
        return false;
    const uint32_t count = peers->endpoints.count;
    peers->order = arena_alloc(search->arena, (size_t) count + 1, sizeof(*peers->order));
    if (peers->order == NULL)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        peers->order[i] = i;
    sort_numbers(peers->order, count, endpoint_less, peers->endpoints.at);
    return true;
}

bool
ucx_find_peer(struct ucx_search *search, uint32_t comm, taddr endpoint, int32_t *ret)
{
    const struct ucx_peers *peers = &search->peers[comm];

    *ret = NO_RANK;
    if (!peers->loaded && !load_peers(search, comm))
        return false;
    uint32_t low = 0, high = peers->order == NULL ? 0 : peers->endpoints.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const taddr at = peers->endpoints.at[peers->order[middle]];
        if (at == endpoint) {
            *ret = (int32_t) peers->ranks.at[peers->order[middle]];
            return true;
        }
        if (at < endpoint)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

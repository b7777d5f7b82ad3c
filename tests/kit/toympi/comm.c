// SPDX-License-Identifier: BSD-3-Clause
// Communicators, and the groups that their ranks count in.
#include "tests/kit/toympi/toympi.h"

#include <string.h>

enum {
    LIST_MAX = 1 << 20, // items of a list; more is taken for damaged memory
    MEMBER_CHUNK = 256, // members read at a time
};

// The pool knows how many objects there are, so no list has more.
enum status
toympi_walk(const struct mpi *mpi, const char *list, const char *pool, unsigned link,
            struct walk *ret)
{
    struct inferior *inf = mpi->inf;
    struct view view;
    taddr addr, first;

    TRY(inferior_symbol(inf, pool, &addr));
    TRY(view_load(inf, mpi->layout, S(toy_pool), addr, &view));
    const uint64_t used = view_uint(&view, F(toy_pool, used));
    if (used > LIST_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "%s: %llu in use", pool,
                           (unsigned long long) used);
    TRY(inferior_symbol(inf, list, &addr));
    TRY(inferior_read_pointer(inf, addr, &first));
    walk_terminated(ret, inf, first, (uint32_t) mpi->layout->fields[link].offset, used);
    return STATUS_OK;
}

static enum status
load_group(const struct mpi *mpi, taddr group, struct view *ret)
{
    TRY(view_load(mpi->inf, mpi->layout, S(toy_group), group, ret));
    const int64_t size = view_int(ret, F(toy_group, size));
    if (size < 0 || size > GROUP_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "toy_group at %#llx: %lld members",
                           (unsigned long long) group, (long long) size);
    return STATUS_OK;
}

static enum status
group_size(const struct mpi *mpi, taddr group, int64_t *ret)
{
    struct view view;

    TRY(load_group(mpi, group, &view));
    *ret = view_int(&view, F(toy_group, size));
    return STATUS_OK;
}

static enum status
load_comm(const struct mpi *mpi, taddr addr, struct comm *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_comm), addr, &view));
    const char *name = view_bytes(&view, F(toy_comm, name));
    const taddr remote = view_uint(&view, F(toy_comm, remote_group));
    memset(ret, 0, sizeof(*ret));
    ret->addr = addr;
    ret->id = view_uint(&view, F(toy_comm, context));
    ret->rank = view_int(&view, F(toy_comm, rank));
    ret->local_group = view_uint(&view, F(toy_comm, group));
    ret->inter = remote != 0;
    ret->peer_group = ret->inter ? remote : ret->local_group;
    memcpy(ret->name, name, strnlen(name, COMM_NAME - 1));
    TRY(group_size(mpi, ret->local_group, &ret->size));
    return group_size(mpi, ret->peer_group, &ret->peer_size);
}

enum status
toympi_comms(const struct mpi *mpi, struct comm_sink *sink)
{
    struct inferior *inf = mpi->inf;
    enum status status;
    struct walk walk;
    struct comm comm;
    taddr addr, world;

    TRY(inferior_symbol(inf, "toympi_world", &addr));
    TRY(inferior_read_pointer(inf, addr, &world));
    if (world == 0)
        return trail_begin(&inf->trail, STATUS_ABSENT, "the process has not called MPI_Init yet");
    TRY(toympi_walk(mpi, "toympi_comms", "toympi_comm_pool", F(toy_comm, next), &walk));
    while ((status = walk_next(&walk, &addr)) == STATUS_OK) {
        status = load_comm(mpi, addr, &comm);
        if (status == STATUS_OK)
            status = sink->emit(sink, &comm);
        if (status == STATUS_NOMEM)
            return status;
        if (status != STATUS_OK) // one damaged communicator must not hide the others
            sink->broken(sink, status);
    }
    return status == STATUS_END ? STATUS_OK : status;
}

// Another job's process is -1; what else is no rank is damage, and the trail says so.
static int32_t
checked_rank(struct inferior *inf, uint32_t member, int64_t rank)
{
    if (rank >= 0 && rank < GROUP_MAX)
        return (int32_t) rank;
    if (rank != -1)
        trail_begin(&inf->trail, STATUS_CORRUPT, "member %u: rank %lld", member, (long long) rank);
    return NO_RANK;
}

enum status
toympi_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    const size_t width = model->int_size;
    uint8_t bytes[MEMBER_CHUNK * sizeof(int32_t)];
    struct view view;

    TRY(load_group(mpi, group, &view));
    if (view_int(&view, F(toy_group, size)) != (int64_t) size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "the size of the group changes");
    const taddr ranks = view_uint(&view, F(toy_group, world_ranks));
    for (uint32_t first = 0; first < size; first += MEMBER_CHUNK) {
        const uint32_t count = size - first < MEMBER_CHUNK ? size - first : MEMBER_CHUNK;
        TRY(inferior_read(mpi->inf, ranks + first * width, count * width, bytes));
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t rank = datamodel_int(model, bytes + i * width, width);
            ret[first + i] = checked_rank(mpi->inf, first + i, rank);
        }
    }
    return STATUS_OK;
}

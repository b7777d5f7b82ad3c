// SPDX-License-Identifier: BSD-3-Clause
// Communicators: the table ompi_mpi_communicators, by index.
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "target/sort.h"

#include <string.h>

enum {
    TABLE_MAX = 1 << 20, // slots of the table; more is taken for damaged memory
    TABLE_CHUNK = 128,   // slots read at a time
};

/** The table, and what its slots may hold besides communicators. */
struct table {
    taddr slots;
    uint32_t size;
    taddr null_comm; // MPI_COMM_NULL, 0 when it has no symbol
};

static enum status
load_table(const struct mpi *mpi, struct table *ret)
{
    struct inferior *inf = mpi->inf;
    struct view view;
    taddr addr;

    TRY(inferior_symbol(inf, "ompi_mpi_communicators", &addr));
    TRY(view_load(inf, mpi->layout, S(opal_pointer_array_t), addr, &view));
    const int64_t size = view_int(&view, F(opal_pointer_array_t, size));
    const taddr slots = view_uint(&view, F(opal_pointer_array_t, addr));
    if (slots == 0 || size == 0)
        return trail_begin(&inf->trail, STATUS_ABSENT,
                           "the process has not called MPI_Init yet, or has called MPI_Finalize");
    if (size < 0 || size > TABLE_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "table of communicators: %lld slots",
                           (long long) size);
    *ret = (struct table){.slots = slots, .size = (uint32_t) size};
    if (inferior_symbol(inf, "ompi_mpi_comm_null", &addr) == STATUS_OK)
        ret->null_comm = addr;
    return STATUS_OK;
}

// Up to 4.1 the name is in place, from 5.0 on behind a pointer. Where the array would run into the
// fields behind it, the layout has dropped that reading.
void
openmpi_comm_name(const struct mpi *mpi, const struct view *view, char *ret)
{
    const char *array = view_bytes(view, F(ompi_communicator_t, c_name_array));
    const taddr pointer = view_uint(view, F(ompi_communicator_t, c_name_pointer));

    memset(ret, 0, COMM_NAME);
    if (array != NULL)
        memcpy(ret, array, strnlen(array, COMM_NAME - 1));
    else if (array == NULL && pointer != 0 &&
             inferior_read_string(mpi->inf, pointer, COMM_NAME, ret) != STATUS_OK)
        memset(ret, 0, COMM_NAME);
}

uint64_t
openmpi_comm_number(const struct view *view)
{
    return view_has(view, F(ompi_communicator_t, c_index))
               ? view_uint(view, F(ompi_communicator_t, c_index))
               : view_uint(view, F(ompi_communicator_t, c_contextid));
}

// The number that all members share: the one in the table or, of a communicator that was made of a
// group and no other communicator, the first of the pair. That is the runtime's number of the
// group, which counts down from the top of 32 bits, so it is no number of a table.
static enum status
shared_id(const struct mpi *mpi, const struct view *view, uint64_t *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    const uint8_t *pair = view_bytes(view, F(ompi_communicator_t, c_contextid_extended));
    uint64_t first = 0, second = 0;

    *ret = openmpi_comm_number(view);
    if (!view_has(view, F(ompi_communicator_t, c_index)) ||
        view_uint(view, F(ompi_communicator_t, c_flags)) & COMM_FLAG_GLOBAL_INDEX)
        return STATUS_OK;
    if (pair != NULL) {
        first = datamodel_uint(model, pair, sizeof(first));
        second = datamodel_uint(model, pair + sizeof(first), sizeof(second));
    }
    if (second != 0 || first < TABLE_MAX || first > INT64_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_UNSUPPORTED,
                           "what number it has elsewhere is not known (%#llx, %#llx)",
                           (unsigned long long) first, (unsigned long long) second);
    *ret = first;
    return STATUS_OK;
}

// A communicator has the rank of its group.
static enum status
check_rank(const struct mpi *mpi, const struct comm *comm)
{
    struct view group;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_t), comm->local_group, &group));
    if (!view_has(&group, F(ompi_group_t, grp_my_rank)))
        return STATUS_OK;
    const int64_t rank = view_int(&group, F(ompi_group_t, grp_my_rank));
    return comm->rank == rank
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "this process has rank %lld in it and rank %lld in its group",
                             (long long) comm->rank, (long long) rank);
}

static enum status
describe_comm(const struct mpi *mpi, const struct view *view, struct comm *ret)
{
    const uint64_t flags = view_uint(view, F(ompi_communicator_t, c_flags));

    memset(ret, 0, sizeof(*ret));
    ret->addr = view->addr;
    TRY(shared_id(mpi, view, &ret->id));
    ret->rank = view_int(view, F(ompi_communicator_t, c_my_rank));
    ret->inter = flags & COMM_FLAG_INTER;
    ret->freed = flags & COMM_FLAG_ISFREED;
    ret->local_group = view_uint(view, F(ompi_communicator_t, c_local_group));
    ret->peer_group =
        ret->inter ? view_uint(view, F(ompi_communicator_t, c_remote_group)) : ret->local_group;
    openmpi_comm_name(mpi, view, ret->name);
    TRY(openmpi_group_size(mpi, ret->local_group, &ret->size));
    if (ret->size > 0)
        TRY(check_rank(mpi, ret));
    if (!ret->inter) {
        ret->peer_size = ret->size;
        return STATUS_OK;
    }
    return openmpi_group_size(mpi, ret->peer_group, &ret->peer_size);
}

// A slot may hold an alias (the parent, while a new communicator gets its number) or one that is
// not whole yet; only a communicator that names this very slot counts. One that is made of a group
// is there before it has a number elsewhere.
static bool
belongs_to_slot(const struct view *view, uint32_t index)
{
    const uint64_t flags = view_uint(view, F(ompi_communicator_t, c_flags));

    return openmpi_comm_number(view) == index && !(flags & COMM_FLAG_INVALID) &&
           (!view_has(view, F(ompi_communicator_t, c_index)) ||
            flags & (COMM_FLAG_GLOBAL_INDEX | COMM_FLAG_PML_ADDED));
}

static enum status
emit_slot(const struct mpi *mpi, uint32_t index, taddr addr, struct comm_sink *sink)
{
    struct view view;
    struct comm comm;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), addr, &view));
    if (!belongs_to_slot(&view, index))
        return STATUS_OK;
    TRY(describe_comm(mpi, &view, &comm));
    // What has no members is MPI_COMM_NULL, or a communicator that is still being made.
    return comm.size == 0 ? STATUS_OK : sink->emit(sink, &comm);
}

static enum status
emit_chunk(const struct mpi *mpi, const struct table *table, uint32_t first, uint32_t count,
           struct comm_sink *sink)
{
    const size_t width = mpi->inf->model.pointer_size;
    uint8_t bytes[TABLE_CHUNK * sizeof(taddr)];

    TRY(inferior_read(mpi->inf, table->slots + first * width, count * width, bytes));
    for (uint32_t i = 0; i < count; ++i) {
        const taddr addr = datamodel_uint(&mpi->inf->model, bytes + i * width, width);
        if (addr == 0 || addr == COMM_SENTINEL || addr == table->null_comm)
            continue;
        const enum status status = emit_slot(mpi, first + i, addr, sink);
        if (status == STATUS_NOMEM)
            return status;
        // One damaged communicator must not hide the others.
        if (status != STATUS_OK)
            sink->broken(sink, trail_prepend(&mpi->inf->trail, status, "number %u", first + i));
    }
    return STATUS_OK;
}

// MPI_COMM_SELF, which has number 1, has this process alone.
static enum status
check_self(const struct mpi *mpi, const struct table *table)
{
    struct view view;
    int64_t size;
    taddr addr;

    if (table->size < 2)
        return STATUS_OK;
    TRY(inferior_read_pointer(mpi->inf, table->slots + mpi->inf->model.pointer_size, &addr));
    if (addr == 0 || addr == COMM_SENTINEL)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), addr, &view));
    TRY(openmpi_group_size(mpi, view_uint(&view, F(ompi_communicator_t, c_local_group)), &size));
    return size <= 1 ? STATUS_OK
                     : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                                   "MPI_COMM_SELF has %lld members", (long long) size);
}

enum status
openmpi_comms(const struct mpi *mpi, struct comm_sink *sink)
{
    struct table table;
    enum status worst = STATUS_OK;
    int64_t rank;

    // What has another rank than this process has another layout, and so have all of them.
    if (openmpi_rank(mpi, &rank) == STATUS_CORRUPT)
        return STATUS_CORRUPT;
    TRY(load_table(mpi, &table));
    // Likewise.
    if (check_self(mpi, &table) == STATUS_CORRUPT)
        return STATUS_CORRUPT;
    trail_reset(&mpi->inf->trail);
    for (uint32_t first = 0; first < table.size; first += TABLE_CHUNK) {
        const uint32_t left = table.size - first;
        const enum status status =
            emit_chunk(mpi, &table, first, left < TABLE_CHUNK ? left : TABLE_CHUNK, sink);
        if (status == STATUS_NOMEM)
            return status;
        if (status != STATUS_OK)
            worst = trail_prepend(&mpi->inf->trail, status, "from number %u", first);
    }
    return worst;
}

static int
by_addr_less(void *context, uint32_t a, uint32_t b)
{
    const struct comm *comms = context;

    return comms[a].addr < comms[b].addr;
}

uint32_t *
openmpi_sort_comms(struct arena *arena, const struct op_sink *sink)
{
    uint32_t *ret = arena_alloc(arena, (size_t) sink->n_comms + 1, sizeof(*ret));

    if (ret == NULL)
        return NULL;
    for (uint32_t i = 0; i < sink->n_comms; ++i)
        ret[i] = i;
    sort_numbers(ret, sink->n_comms, by_addr_less, (void *) sink->comms);
    return ret;
}

bool
openmpi_find_comm(const struct op_sink *sink, const uint32_t *by_addr, taddr addr, uint32_t *ret)
{
    uint32_t low = 0, high = sink->n_comms;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const taddr at = sink->comms[by_addr[middle]].addr;
        if (at == addr) {
            *ret = by_addr[middle];
            return true;
        }
        if (at < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

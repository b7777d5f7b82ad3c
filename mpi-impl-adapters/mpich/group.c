// SPDX-License-Identifier: BSD-3-Clause
// Groups: members as ranks in MPI_COMM_WORLD, from what the device keeps of a communicator.
//
// Up to 4.3, ch4 has a map of ranks for the communicator, one of twelve rules for how to get from a
// rank to a process; ch3 has a table of connections. Later the group has it (pmap.c).
#include "mpi-impl-adapters/mpich/mpich.h"

#include <string.h>

enum { MEMBER_CHUNK = 256 }; // members read at a time

/** Rules of a map of ranks; those without avtid are about the processes of MPI_COMM_WORLD. */
enum map_mode {
    MAP_DIRECT,
    MAP_DIRECT_INTRA,
    MAP_OFFSET,
    MAP_OFFSET_INTRA,
    MAP_STRIDE,
    MAP_STRIDE_INTRA,
    MAP_STRIDE_BLOCK,
    MAP_STRIDE_BLOCK_INTRA,
    MAP_LUT,
    MAP_LUT_INTRA,
    MAP_MLUT,
    MAP_NONE
};

struct map {
    enum map_mode mode;
    int64_t avtid; // 0: processes of MPI_COMM_WORLD
    int64_t size;
    int64_t offset; // of the rules that calculate
    int64_t stride;
    int64_t block;
    taddr table; // of the rules that look up
};

static enum status
load_map(const struct mpi *mpi, taddr addr, struct map *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    const size_t width = model->int_size;
    struct view view;
    taddr table;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_rank_map_t), addr, &view));
    const uint8_t *reg = view_bytes(&view, F(MPIDI_rank_map_t, reg));
    // After the pointer to the counted holder comes the one into it.
    TRY(inferior_read_pointer(
        mpi->inf, view_addr(&view, F(MPIDI_rank_map_t, irreg)) + model->pointer_size, &table));
    const uint64_t mode = view_uint(&view, F(MPIDI_rank_map_t, mode));
    if (mode > MAP_NONE)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "map of ranks at %#llx: mode %llu",
                           (unsigned long long) addr, (unsigned long long) mode);
    *ret = (struct map){
        .mode = (enum map_mode) mode,
        .avtid = view_int(&view, F(MPIDI_rank_map_t, avtid)),
        .size = view_int(&view, F(MPIDI_rank_map_t, size)),
        .offset = datamodel_int(model, reg, width),
        .stride = datamodel_int(model, reg + width, width),
        .block = datamodel_int(model, reg + 2 * width, width),
        .table = table,
    };
    const bool modes_of_world = mode % 2 == 1 && mode < MAP_MLUT;
    if (modes_of_world)
        ret->avtid = 0;
    return STATUS_OK;
}

// A process: its place in a table of processes, and above that the number of the table, 0 for those
// of MPI_COMM_WORLD.
static int64_t
process_number(int64_t table, int64_t place)
{
    return table < 0 || place < 0 || place > UINT32_MAX
               ? NO_RANK
               : (int64_t) ((uint64_t) table << 32 | (uint32_t) place);
}

// The rules that calculate.
static int64_t
calculate(const struct map *map, int64_t rank)
{
    switch (map->mode) {
    case MAP_DIRECT:
    case MAP_DIRECT_INTRA:
        return rank;
    case MAP_OFFSET:
    case MAP_OFFSET_INTRA:
        return rank + map->offset;
    case MAP_STRIDE:
    case MAP_STRIDE_INTRA:
        return rank * map->stride + map->offset;
    case MAP_STRIDE_BLOCK:
    case MAP_STRIDE_BLOCK_INTRA:
        return map->block <= 0
                   ? NO_RANK
                   : rank / map->block * (map->stride - map->block) + rank + map->offset;
    case MAP_LUT:
    case MAP_LUT_INTRA:
    case MAP_MLUT:
    case MAP_NONE:
        break;
    }
    return NO_RANK;
}

// The map of MPI_COMM_SELF is that of this process. What it looks up is not read here.
static bool
is_map_of(const struct map *self, int64_t rank)
{
    const bool in_table = self->mode >= MAP_LUT;

    return self->size == 1 && self->avtid == 0 && (in_table || calculate(self, 0) == rank);
}

// Where in the device's part of a communicator its maps are: where MPI_COMM_WORLD has the identity
// of its size and MPI_COMM_SELF has this process. @return STATUS_MISMATCH unless there is one place
static enum status
find_maps(const struct mpi *mpi, uint32_t *ret)
{
    const struct layout *layout = mpi->layout;
    const struct inferior *inf = mpi->inf;
    const uint32_t dev = (uint32_t) layout->fields[F(MPIR_Comm, dev)].offset;
    const uint32_t end = layout->structs[S(MPIDI_Devcomm_t)].size;
    const uint32_t size = layout->structs[S(MPIDI_rank_map_t)].size;
    unsigned found = 0;
    struct view process;
    struct map world, self;

    TRY(mpich_process(mpi, &process));
    const taddr comm_world = view_uint(&process, F(MPIR_Process_t, comm_world));
    const taddr comm_self = view_uint(&process, F(MPIR_Process_t, comm_self));
    for (uint32_t at = 0; at + 2 * size <= end; at += inf->model.pointer_size) {
        if (load_map(mpi, comm_world + dev + at, &world) != STATUS_OK ||
            load_map(mpi, comm_self + dev + at, &self) != STATUS_OK)
            continue;
        if (world.mode > MAP_DIRECT_INTRA || world.avtid != 0 ||
            world.size != view_int(&process, F(MPIR_Process_t, size)) ||
            !is_map_of(&self, view_int(&process, F(MPIR_Process_t, rank))))
            continue;
        *ret = dev + at;
        ++found;
    }
    if (found == 1)
        return STATUS_OK;
    return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                       "%u candidates for the map of ranks in MPI_COMM_WORLD", found);
}

static bool
is_ch3(const struct layout *layout)
{
    return layout->structs[S(MPIDI_CH3I_comm_t)].origin != ORIGIN_NONE;
}

enum status
mpich_groups_of(const struct mpi *mpi, const struct view *comm, taddr *ret_local, taddr *ret_remote)
{
    const bool inter = view_int(comm, F(MPIR_Comm, comm_kind)) == 1;
    struct view dev;
    uint32_t maps = 0;

    if (pmap_readable(mpi->layout)) {
        *ret_local = view_uint(comm, F(MPIR_Comm, local_group));
        *ret_remote = inter ? view_uint(comm, F(MPIR_Comm, remote_group)) : *ret_local;
        return STATUS_OK;
    }
    if (is_ch3(mpi->layout)) {
        TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_CH3I_comm_t),
                      view_addr(comm, F(MPIR_Comm, dev)), &dev));
        *ret_remote = view_uint(&dev, F(MPIDI_CH3I_comm_t, vcrt));
        *ret_local = inter ? view_uint(&dev, F(MPIDI_CH3I_comm_t, local_vcrt)) : *ret_remote;
        return STATUS_OK;
    }
    if (mpi->layout->structs[S(MPIDI_rank_map_t)].origin == ORIGIN_NONE)
        return STATUS_UNSUPPORTED;
    TRY(find_maps(mpi, &maps));
    *ret_remote = comm->addr + maps;
    *ret_local = inter ? *ret_remote + mpi->layout->structs[S(MPIDI_rank_map_t)].size : *ret_remote;
    return STATUS_OK;
}

// The rules that look up: an int for each member, or two with the table of processes first.
static enum status
look_up(const struct mpi *mpi, const struct map *map, uint32_t first, uint32_t count, int64_t *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    const size_t width = model->int_size;
    const size_t stride = map->mode == MAP_MLUT ? 2 * width : width;
    uint8_t bytes[MEMBER_CHUNK * 2 * sizeof(uint64_t)];

    TRY(inferior_read(mpi->inf, map->table + first * stride, count * stride, bytes));
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *entry = bytes + i * stride;
        const int64_t avtid =
            map->mode == MAP_MLUT ? datamodel_int(model, entry, width) : map->avtid;
        const int64_t lpid = datamodel_int(model, entry + stride - width, width);
        ret[i] = process_number(avtid, lpid);
    }
    return STATUS_OK;
}

static enum status
translate_map(const struct mpi *mpi, taddr addr, uint32_t size, int64_t *ret)
{
    struct map map;

    TRY(load_map(mpi, addr, &map));
    if (map.size != size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "map of ranks at %#llx: %lld ranks in a group of %u",
                           (unsigned long long) addr, (long long) map.size, size);
    const bool in_table = map.mode == MAP_LUT || map.mode == MAP_LUT_INTRA || map.mode == MAP_MLUT;
    for (uint32_t first = 0; in_table && first < size; first += MEMBER_CHUNK) {
        const uint32_t left = size - first;
        TRY(look_up(mpi, &map, first, left < MEMBER_CHUNK ? left : MEMBER_CHUNK, ret + first));
    }
    for (uint32_t i = 0; !in_table && i < size; ++i)
        ret[i] = process_number(map.avtid, calculate(&map, i));
    return STATUS_OK;
}

// A member is of MPI_COMM_WORLD when its process group is this process's own.
static enum status
translate_vc(const struct mpi *mpi, taddr vc, taddr my_pg, int64_t *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_VC), vc, &view));
    *ret = view_uint(&view, F(MPIDI_VC, pg)) != my_pg
               ? NO_RANK
               : process_number(0, view_int(&view, F(MPIDI_VC, pg_rank)));
    return STATUS_OK;
}

// The process group of this process: a stripped library has no symbol for the variable, but a
// member of MPI_COMM_WORLD, which is of this group, says it too.
static enum status
find_my_group(const struct mpi *mpi, taddr *ret)
{
    const int32_t dev = mpi->layout->fields[F(MPIR_Comm, dev)].offset;
    struct view process, comm, table, vc;
    taddr symbol, first;

    if (inferior_has_name(mpi->inf, "MPIDI_Process")) {
        TRY(inferior_symbol(mpi->inf, "MPIDI_Process", &symbol));
        TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Process_t), symbol, &process));
        *ret = view_uint(&process, F(MPIDI_Process_t, my_pg));
        return STATUS_OK;
    }
    TRY(mpich_process(mpi, &process));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_CH3I_comm_t),
                  view_uint(&process, F(MPIR_Process_t, comm_world)) + (taddr) dev, &comm));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_VCRT),
                  view_uint(&comm, F(MPIDI_CH3I_comm_t, vcrt)), &table));
    TRY(inferior_read_pointer(mpi->inf, view_addr(&table, F(MPIDI_VCRT, vcr_table)), &first));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_VC), first, &vc));
    *ret = view_uint(&vc, F(MPIDI_VC, pg));
    return STATUS_OK;
}

static enum status
translate_vcrt(const struct mpi *mpi, taddr addr, uint32_t size, int64_t *ret)
{
    const unsigned width = mpi->inf->model.pointer_size;
    struct view table;
    taddr my_pg, vc;

    TRY(find_my_group(mpi, &my_pg));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_VCRT), addr, &table));
    const int64_t have = view_int(&table, F(MPIDI_VCRT, size));
    // A communicator of the first members of another one may share its table.
    if (have < size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPIDI_VCRT at %#llx: %lld connections in a group of %u",
                           (unsigned long long) addr, (long long) have, size);
    const taddr first = view_addr(&table, F(MPIDI_VCRT, vcr_table));
    for (uint32_t i = 0; i < size; ++i) {
        ret[i] = NO_RANK;
        enum status status = inferior_read_pointer(mpi->inf, first + (taddr) i * width, &vc);
        if (status == STATUS_OK)
            status = translate_vc(mpi, vc, my_pg, &ret[i]);
        // One that cannot be read does not hide the others: what is in the trail tells.
        if (status != STATUS_OK)
            trail_prepend(&mpi->inf->trail, status, "member %u", i);
    }
    return STATUS_OK;
}

enum status
mpich_members(const struct mpi *mpi, taddr group, uint32_t size, int64_t *ret)
{
    if (pmap_readable(mpi->layout))
        return pmap_members(mpi, group, size, ret);
    return is_ch3(mpi->layout) ? translate_vcrt(mpi, group, size, ret)
                               : translate_map(mpi, group, size, ret);
}

// The numbers of processes of MPI_COMM_WORLD are their ranks.
enum status
mpich_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret)
{
    struct view process;
    enum status status;

    TRY(mpich_process(mpi, &process));
    const int64_t world_size = view_int(&process, F(MPIR_Process_t, size));
    int64_t *members = inferior_alloc(mpi->inf, ((size_t) size + 1) * sizeof(*members));
    if (members == NULL)
        return STATUS_NOMEM;
    status = mpich_members(mpi, group, size, members);
    for (uint32_t i = 0; status == STATUS_OK && i < size; ++i)
        ret[i] = members[i] >= 0 && members[i] < world_size ? (int32_t) members[i] : NO_RANK;
    inferior_free(mpi->inf, members);
    return status;
}

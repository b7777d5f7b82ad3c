// SPDX-License-Identifier: BSD-3-Clause
// The processes that MPICH exchanges messages with, by how the network's library names them:
// libucp's endpoints, libfabric's addresses.
#include "mpi-impl-adapters/mpich/ch4.h"
#include "mpi-impl-adapters/mpich/ucx.h"

enum {
    TABLES_MAX = 1 << 12, // of processes
    PROCESSES_MAX = 1 << 24,
    ENTRY_MAX = 1 << 16, // bytes of a process's entry
};

// A process's entry begins with a square of endpoints, one for each pair of the two sides' virtual
// interfaces, of which those in use come first.
static uint32_t
interfaces(const struct search *search, uint32_t *ret_side)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t places =
        mpi->layout->structs[S(MPIDI_av_entry_t)].size / mpi->inf->model.pointer_size;
    struct ucx_global global;
    taddr addr;

    for (*ret_side = 1; (*ret_side + 1) * (*ret_side + 1) <= places; ++*ret_side)
        ;
    if (inferior_symbol(mpi->inf, "MPIDI_UCX_global", &addr) != STATUS_OK ||
        ucx_global_load(mpi, addr, &global) != STATUS_OK)
        return 1;
    return global.workers < (int64_t) *ret_side ? (uint32_t) global.workers : *ret_side;
}

static enum status
add_process(struct search *search, taddr entry, int64_t process, uint32_t count, uint32_t side)
{
    const unsigned width = search->mpi->inf->model.pointer_size;
    taddr name;

    for (uint32_t i = 0; i < count * count; ++i) {
        const taddr at = entry + (taddr) (i / count * side + i % count) * width;
        TRY(inferior_read_pointer(search->mpi->inf, at, &name));
        if (name != 0)
            TRY(map_add(search, &search->processes, name, (taddr) process));
    }
    return STATUS_OK;
}

// Up to 4.3 an entry begins with the addresses of the process's virtual interfaces, which are the
// same to all of this one's.
static enum status
add_addresses(struct search *search, taddr entry, int64_t process, uint32_t count)
{
    uint64_t address;

    for (uint32_t i = 0; i < count; ++i) {
        TRY(inferior_read_uint(search->mpi->inf, entry + i * sizeof(address), sizeof(address),
                               &address));
        TRY(map_add(search, &search->processes, address, (taddr) process));
    }
    return STATUS_OK;
}

// From 5.0 on it has the address of the first one, to the first one here; an offset; and where
// those of all are, to the others here: to the first one they are those plus the offset.
static enum status
add_later_addresses(struct search *search, taddr entry, int64_t process, uint32_t count)
{
    struct inferior *inf = search->mpi->inf;
    uint64_t offset, address;
    taddr all;

    TRY(add_addresses(search, entry, process, 1));
    TRY(inferior_read_uint(inf, entry + sizeof(address), sizeof(offset), &offset));
    TRY(inferior_read_pointer(inf, entry + 2 * sizeof(address), &all));
    for (uint32_t i = 0; all != 0 && count > 1 && i < count; ++i) {
        TRY(inferior_read_uint(inf, all + i * sizeof(address), sizeof(address), &address));
        TRY(map_add(search, &search->processes, address | PROCESSES_TO_OTHERS, (taddr) process));
        if (i > 0)
            TRY(map_add(search, &search->processes, address + offset, (taddr) process));
    }
    return STATUS_OK;
}

// Notes the names of the processes of one table.
static enum status
add_table(struct search *search, taddr table, int64_t number)
{
    const struct mpi *mpi = search->mpi;
    const struct layout *layout = mpi->layout;
    const uint32_t stride = layout->structs[S(MPIDI_av_entry_t)].size;
    const taddr first = table + layout->structs[S(MPIDI_av_table_t)].size;
    struct view view;
    uint32_t side = 1, count;

    if (search->device == DEVICE_OFI)
        TRY(ch4_count_vcis(mpi, &count));
    else
        count = interfaces(search, &side);
    TRY(view_load(mpi->inf, layout, S(MPIDI_av_table_t), table, &view));
    const int64_t size = view_int(&view, F(MPIDI_av_table_t, size));
    if (size < 0 || size > PROCESSES_MAX || stride > ENTRY_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "table of %lld processes",
                           (long long) size);
    for (int64_t i = 0; i < size; ++i) {
        const taddr entry = first + (taddr) i * stride;
        const int64_t process = number << 32 | i;
        if (search->device != DEVICE_OFI)
            TRY(add_process(search, entry, process, count, side));
        else if (search->release < RELEASE_5_0)
            TRY(add_addresses(search, entry, process, count));
        else
            TRY(add_later_addresses(search, entry, process, count));
    }
    return STATUS_OK;
}

// Tables of other jobs' processes: places that are not in use hold what was there before.
static enum status
add_more_tables(struct search *search, const struct view *manager)
{
    const struct mpi *mpi = search->mpi;
    const taddr tables = view_uint(manager, F(MPIDIU_avt_manager, av_tables));
    const int64_t room = view_int(manager, F(MPIDIU_avt_manager, max_n_avts));
    int64_t left = view_int(manager, F(MPIDIU_avt_manager, n_avts)) - 1;
    taddr table;

    for (int64_t i = 1; left > 0 && i < room && i < TABLES_MAX; ++i) {
        TRY(inferior_read_pointer(mpi->inf, tables + (taddr) i * mpi->inf->model.pointer_size,
                                  &table));
        const enum status status = table == 0 ? STATUS_ABSENT : add_table(search, table, i);
        if (status == STATUS_NOMEM)
            return status;
        left -= status == STATUS_OK;
    }
    return STATUS_OK;
}

static enum status
load_processes(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    struct view manager;
    taddr addr;

    search->processes_loaded = true;
    TRY(inferior_symbol(mpi->inf, "MPIDI_global", &addr));
    const taddr at = addr + (taddr) mpi->layout->fields[F(MPIDI_CH4_Global_t, avt_mgr)].offset;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIU_avt_manager), at, &manager));
    TRY(add_table(search, view_uint(&manager, F(MPIDIU_avt_manager, av_table0)), 0));
    TRY(add_more_tables(search, &manager));
    return map_seal(search, &search->processes);
}

enum status
processes_find(struct search *search, uint64_t name, int64_t *ret)
{
    taddr process;

    *ret = NO_RANK;
    if (!search->processes_loaded && load_processes(search) == STATUS_NOMEM)
        return STATUS_NOMEM;
    if (map_find(&search->processes, name, &process))
        *ret = (int64_t) process;
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Members of communicators and groups.
#include "mpi-impl-adapters/mpich/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUP_EMPTY = 0x48000000, VERSION_TEXT = 16, DEVICE_SIZE = 32 };

/** Hints by their numbers, as 4.0 with ch4:ucx has them. */
static const struct {
    const char *key;
    bool is_truth;
} hints[] = {
    [1] = {"mpi_assert_no_any_tag", true},
    [2] = {"mpi_assert_no_any_source", true},
    [3] = {"mpi_assert_exact_length", true},
    [4] = {"mpi_assert_allow_overtaking", true},
    [7] = {"enable_multi_nic_striping", true},
    [8] = {"enable_multi_nic_hashing", true},
    [9] = {"multi_nic_pref_nic", false},
    [10] = {"sender_vci", false},
    [11] = {"receiver_vci", false},
    [12] = {"vci", false},
};

// Members of other jobs have no rank in MPI_COMM_WORLD: they are left out.
static enum status
say_ranks(const struct describing *it, enum member_id id, const int32_t *ranks, uint32_t size)
{
    for (uint32_t i = 0; i < size; ++i)
        if (ranks[i] != NO_RANK)
            TRY(say_number(it, id, i, ranks[i]));
    return STATUS_OK;
}

static enum status
say_members(const struct describing *it, enum member_id id, taddr group, int64_t size)
{
    if (group == 0 || size < 0 || size > GROUP_MAX)
        return STATUS_OK;
    int32_t *ranks = inferior_alloc(it->mpi->inf, ((size_t) size + 1) * sizeof(*ranks));
    if (ranks == NULL)
        return STATUS_NOMEM;
    enum status status = mpich_group(it->mpi, group, (uint32_t) size, ranks);
    if (status == STATUS_OK)
        status = say_ranks(it, id, ranks, (uint32_t) size);
    inferior_free(it->mpi->inf, ranks);
    return status;
}

static enum status
say_groups(const struct describing *it, const struct comm *comm)
{
    TRY(say_members(it, MEMBER_member, comm->local_group, comm->size));
    return comm->inter ? say_members(it, MEMBER_remote_member, comm->peer_group, comm->peer_size)
                       : STATUS_OK;
}

// Releases and devices differ in which hints there are, and in their numbers.
static bool
knows_hints(const struct mpi *mpi)
{
    char version[VERSION_TEXT], device[DEVICE_SIZE];

    return mpich_text(mpi->inf, "MPII_Version_string", version, sizeof(version)) == STATUS_OK &&
           layout_is_release(version, "4.0") &&
           mpich_text(mpi->inf, "MPII_Version_device", device, sizeof(device)) == STATUS_OK &&
           strcmp(device, "ch4:ucx") == 0;
}

static enum status
say_hints(const struct describing *it, const struct view *comm)
{
    const size_t width = sizeof(int32_t);
    const char *bytes = view_bytes(comm, F(MPIR_Comm, hints));
    char number[16];
    uint32_t index = 0;

    if (bytes == NULL || !knows_hints(it->mpi))
        return STATUS_OK;
    for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); ++i) {
        if (hints[i].key == NULL)
            continue;
        const int64_t value = datamodel_int(&it->mpi->inf->model, bytes + i * width, width);
        snprintf(number, sizeof(number), "%" PRId64, value);
        TRY(say_text(it, MEMBER_key, index, hints[i].key));
        TRY(say_text(it, MEMBER_value, index++,
                     !hints[i].is_truth ? number
                     : value != 0       ? "true"
                                        : "false"));
    }
    return STATUS_OK;
}

enum status
mpich_comm_members(const struct describing *it)
{
    const struct mpi *mpi = it->mpi;
    struct comm comm;
    struct view view;
    enum status status = STATUS_OK, other;

    TRY(mpich_comm_load(mpi, it->object->addr, &comm));
    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Comm), it->object->addr, &view));
    TRY(say_number(it, MEMBER_size, 0, comm.size));
    TRY(say_number(it, MEMBER_rank, 0, comm.rank));
    TRY(say_number(it, MEMBER_id, 0, (int64_t) comm.id));
    TRY(say_number(it, MEMBER_inter, 0, comm.inter));
    if (comm.inter)
        TRY(say_number(it, MEMBER_remote_size, 0, comm.peer_size));
    if (view_has(&view, F(MPIR_Comm, errhandler)))
        status = say_errhandler(it, view_uint(&view, F(MPIR_Comm, errhandler)));
    TRY(say_hints(it, &view));
    const taddr attributes = view_uint(&view, F(MPIR_Comm, attributes));
    if ((other = mpich_topology_members(it, attributes, comm.rank)) != STATUS_OK)
        status = other;
    if (status != STATUS_NOMEM &&
        (other = say_attributes(it, attributes, OBJECT_COMM_KEYVAL)) != STATUS_OK)
        status = other;
    return status == STATUS_NOMEM || (other = say_groups(it, &comm)) == STATUS_OK ? status : other;
}

// Up to 4.3 a group has for each member the number of its process, which is its rank in
// MPI_COMM_WORLD for those of that. Up to 3.4 it is an int, as is what follows it.
static enum status
say_processes(const struct describing *it, enum member_id id, taddr table, uint32_t size)
{
    const struct mpi *mpi = it->mpi;
    const uint32_t width = mpi->layout->structs[S(MPII_Group_pmap_t)].size;
    const unsigned number =
        width > 2 * mpi->inf->model.int_size ? sizeof(int64_t) : mpi->inf->model.int_size;
    const taddr first = table + (taddr) mpi->layout->fields[F(MPII_Group_pmap_t, lpid)].offset;
    struct view process;
    uint64_t rank;

    TRY(mpich_process(mpi, &process));
    const int64_t world = view_int(&process, F(MPIR_Process_t, size));
    inferior_fetch(mpi->inf, table, (size_t) size * width);
    for (uint32_t i = 0; i < size; ++i) {
        TRY(inferior_read_uint(mpi->inf, first + (taddr) i * width, number, &rank));
        if (world >= 0 && rank < (uint64_t) world)
            TRY(say_number(it, id, i, (int64_t) rank));
    }
    return STATUS_OK;
}

static enum status
load_group(const struct mpi *mpi, taddr addr, struct view *ret, int64_t *ret_size)
{
    TRY(view_load_whole(mpi->inf, mpi->layout, S(MPIR_Group), addr, ret));
    *ret_size = view_int(ret, F(MPIR_Group, size));
    return *ret_size >= 0 && *ret_size <= GROUP_MAX
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "MPIR_Group at %#llx: size %lld",
                             (unsigned long long) addr, (long long) *ret_size);
}

static enum status
say_loaded(const struct describing *it, enum member_id id, const struct view *group, int64_t size)
{
    if (pmap_readable(it->mpi->layout))
        return say_members(it, id, group->addr, size);
    const taddr table = view_uint(group, F(MPIR_Group, lrank_to_lpid));
    return table == 0 ? STATUS_OK : say_processes(it, id, table, (uint32_t) size);
}

enum status
say_group(const struct describing *it, enum member_id id, taddr addr, int64_t *ret_size)
{
    struct view view;

    TRY(load_group(it->mpi, addr, &view, ret_size));
    return say_loaded(it, id, &view, *ret_size);
}

enum status
mpich_group_object_members(const struct describing *it)
{
    struct view view;
    int64_t size;

    if (it->number == GROUP_EMPTY)
        return say_number(it, MEMBER_size, 0, 0);
    TRY(load_group(it->mpi, it->object->addr, &view, &size));
    const int64_t rank = view_int(&view, F(MPIR_Group, rank));
    TRY(say_number(it, MEMBER_size, 0, size));
    if (view_has(&view, F(MPIR_Group, rank)) && rank >= 0 && rank < size)
        TRY(say_number(it, MEMBER_rank, 0, rank));
    return say_loaded(it, MEMBER_member, &view, size);
}

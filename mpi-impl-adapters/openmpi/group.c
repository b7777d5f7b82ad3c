// SPDX-License-Identifier: BSD-3-Clause
// Groups: members as ranks in MPI_COMM_WORLD, by process name.
//
// MPI_COMM_WORLD is built with the process of number vpid at rank vpid, so a member's rank is its
// vpid when its job is this process's own. A member is a pointer to a process object or, when the
// process was never needed, the name itself packed into the pointer with the lowest bit set; the
// same process may be one in one group and the other in another, so pointers say nothing.
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "mpi-impl-adapters/openmpi/sparse.h"

enum {
    PARENT_DEPTH = 16, // sparse groups above one another
    MEMBER_CHUNK = 256 // members read at a time
};

struct process_name {
    uint32_t jobid;
    uint32_t vpid;
};

static enum status
load_name(const struct mpi *mpi, taddr proc, struct process_name *ret)
{
    const struct layout *layout = mpi->layout;
    const taddr name = proc + (taddr) layout->fields[F(ompi_proc_t, super)].offset +
                       (taddr) layout->fields[F(opal_proc_t, proc_name)].offset;
    struct view view;

    TRY(view_load(mpi->inf, layout, S(opal_process_name_t), name, &view));
    ret->jobid = (uint32_t) view_uint(&view, F(opal_process_name_t, jobid));
    ret->vpid = (uint32_t) view_uint(&view, F(opal_process_name_t, vpid));
    return STATUS_OK;
}

// A name packed into a pointer: 64 bits hold job family, local job and vpid; 32 bits the vpid only,
// and then the job is this process's own.
static struct process_name
unpack_name(taddr packed, size_t pointer_size, uint32_t own_job)
{
    if (pointer_size == 4)
        return (struct process_name){own_job, (uint32_t) packed >> 1};
    return (struct process_name){
        .jobid = (uint32_t) (packed & 0xffff0000) | (uint32_t) (packed >> 1 & 0x7fff),
        .vpid = (uint32_t) (packed >> 32),
    };
}

static enum status
own_name(const struct mpi *mpi, struct process_name *ret)
{
    taddr symbol, proc;

    TRY(inferior_symbol(mpi->inf, "ompi_proc_local_proc", &symbol));
    TRY(inferior_read_pointer(mpi->inf, symbol, &proc));
    return load_name(mpi, proc, ret);
}

enum status
openmpi_check_rank(const struct mpi *mpi, int64_t rank)
{
    struct process_name own;

    if (own_name(mpi, &own) != STATUS_OK) {
        trail_reset(&mpi->inf->trail);
        return STATUS_OK;
    }
    return own.vpid == rank
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "this process is number %u, and rank %lld of MPI_COMM_WORLD", own.vpid,
                             (long long) rank);
}

static enum status
load_group(const struct mpi *mpi, taddr group, struct view *ret)
{
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_group_t), group, ret));
    const int64_t count = view_int(ret, F(ompi_group_t, grp_proc_count));
    if (count < 0 || count > GROUP_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "group at %#llx: %lld members",
                           (unsigned long long) group, (long long) count);
    return STATUS_OK;
}

enum status
openmpi_group_size(const struct mpi *mpi, taddr group, int64_t *ret)
{
    struct view view;

    TRY(load_group(mpi, group, &view));
    *ret = view_int(&view, F(ompi_group_t, grp_proc_count));
    return STATUS_OK;
}

// Rank of one member in MPI_COMM_WORLD.
static enum status
member_rank(const struct mpi *mpi, taddr member, uint32_t job, int32_t *ret)
{
    struct process_name name;

    if (member & 1)
        name = unpack_name(member, mpi->inf->model.pointer_size, job);
    else
        TRY(load_name(mpi, member, &name));
    *ret = name.jobid == job && name.vpid < GROUP_MAX ? (int32_t) name.vpid : NO_RANK;
    return STATUS_OK;
}

static enum status
dense_ranks(const struct mpi *mpi, taddr members, uint32_t job, uint32_t size, int32_t *ret)
{
    const size_t width = mpi->inf->model.pointer_size;
    uint8_t bytes[MEMBER_CHUNK * sizeof(taddr)];

    for (uint32_t first = 0; first < size; first += MEMBER_CHUNK) {
        const uint32_t count = size - first < MEMBER_CHUNK ? size - first : MEMBER_CHUNK;
        TRY(inferior_read(mpi->inf, members + first * width, count * width, bytes));
        for (uint32_t i = 0; i < count; ++i) {
            const taddr member = datamodel_uint(&mpi->inf->model, bytes + i * width, width);
            const enum status status = member_rank(mpi, member, job, &ret[first + i]);
            if (status == STATUS_OK)
                continue;
            // One damaged member must not hide the others.
            ret[first + i] = NO_RANK;
            trail_prepend(&mpi->inf->trail, status, "member %u", first + i);
        }
    }
    return STATUS_OK;
}

/** A group and, when it is sparse, the groups that it was made from, up to a dense one. */
struct chain {
    struct view views[PARENT_DEPTH];
    unsigned length;
};

static enum status
load_chain(const struct mpi *mpi, taddr group, struct chain *ret)
{
    for (ret->length = 0; ret->length < PARENT_DEPTH;) {
        struct view *view = &ret->views[ret->length];
        TRY(load_group(mpi, group, view));
        ++ret->length;
        if (!(view_uint(view, F(ompi_group_t, grp_flags)) & GROUP_FLAG_SPARSE))
            return STATUS_OK;
        group = view_uint(view, F(ompi_group_t, grp_parent_group_ptr));
    }
    return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "sparse groups nest without end");
}

// Translates from the dense end of the chain back to the group that was asked for.
static enum status
chain_ranks(const struct mpi *mpi, const struct chain *chain, uint32_t job, int32_t *ret)
{
    struct ranks outer = {0};
    enum status status = STATUS_OK;

    for (unsigned i = chain->length; i > 0 && status == STATUS_OK; --i) {
        const struct view *view = &chain->views[i - 1];
        struct ranks inner = {.size = (uint32_t) view_int(view, F(ompi_group_t, grp_proc_count))};
        inner.at = i == 1 ? ret : inferior_alloc(mpi->inf, (inner.size + 1) * sizeof(*ret));
        if (inner.at == NULL)
            status = STATUS_NOMEM;
        else if (i == chain->length)
            status = dense_ranks(mpi, view_uint(view, F(ompi_group_t, grp_proc_pointers)), job,
                                 inner.size, inner.at);
        else
            status = sparse_ranks(mpi, view, &outer, &inner);
        inferior_free(mpi->inf, outer.at);
        outer = inner;
    }
    if (outer.at != ret)
        inferior_free(mpi->inf, outer.at);
    return status;
}

enum status
openmpi_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret)
{
    struct process_name own;

    // The chain is too big for the stack of a debugger's thread.
    struct chain *chain = inferior_alloc(mpi->inf, sizeof(*chain));
    if (chain == NULL)
        return STATUS_NOMEM;
    enum status status = load_chain(mpi, group, chain);
    if (status == STATUS_OK &&
        view_int(&chain->views[0], F(ompi_group_t, grp_proc_count)) != (int64_t) size)
        status = trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "the size of the group changes");
    if (status == STATUS_OK)
        status = own_name(mpi, &own);
    if (status == STATUS_OK)
        status = chain_ranks(mpi, chain, own.jobid, ret);
    inferior_free(mpi->inf, chain);
    return status == STATUS_OK ? status
                               : trail_prepend(&mpi->inf->trail, status, "group at %#llx",
                                               (unsigned long long) group);
}

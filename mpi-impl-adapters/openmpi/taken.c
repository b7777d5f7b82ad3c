// SPDX-License-Identifier: BSD-3-Clause
// Messages that MPI_Mprobe has taken, and that are not received yet: all of Open MPI's objects for
// those that are not on the stack of free ones.
#include "mpi-impl-adapters/openmpi/handed.h"

#include "target/addrs.h"
#include "target/walk.h"

/** What visits the objects. */
struct taken {
    const struct mpi *mpi;
    struct arena *arena;
    enum status (*visit)(void *context, const struct view *message);
    void *context;
    struct addrs unused;
};

static enum status
visit_used(void *context, taddr item)
{
    struct taken *taken = context;
    struct view view;

    if (addrs_find(&taken->unused, item) < taken->unused.count)
        return STATUS_OK;
    TRY(view_load(taken->mpi->inf, taken->mpi->layout, S(ompi_message_t), item, &view));
    return view_uint(&view, F(ompi_message_t, req_ptr)) == 0 ? STATUS_OK
                                                             : taken->visit(taken->context, &view);
}

// The stack of objects that are not in use.
static enum status
collect_unused(struct taken *taken, taddr list, uint64_t allocated)
{
    const struct mpi *mpi = taken->mpi;
    const struct layout *layout = mpi->layout;
    const size_t width = mpi->inf->model.pointer_size;
    struct view view, lifo;
    enum status status;
    struct walk walk;
    taddr item;

    TRY(view_load(mpi->inf, layout, S(opal_free_list_t), list, &view));
    TRY(view_load(mpi->inf, layout, S(opal_lifo_t), view_addr(&view, F(opal_free_list_t, super)),
                  &lifo));
    const uint8_t *head = view_bytes(&lifo, F(opal_lifo_t, opal_lifo_head));
    const taddr ghost = view_addr(&lifo, F(opal_lifo_t, opal_lifo_ghost));
    const taddr newest = datamodel_uint(&mpi->inf->model, head + width, width);
    walk_terminated(&walk, mpi->inf, newest == ghost ? 0 : newest,
                    (uint32_t) layout->fields[F(opal_list_item_t, opal_list_next)].offset,
                    allocated + 1);
    while ((status = walk_next(&walk, &item)) == STATUS_OK && item != ghost)
        TRY(addrs_add(taken->arena, &taken->unused, item));
    if (status != STATUS_OK && status != STATUS_END)
        return status;
    return addrs_sort(taken->arena, &taken->unused);
}

enum status
handed_each_taken(const struct mpi *mpi, struct arena *arena,
                  enum status (*visit)(void *context, const struct view *message), void *context)
{
    struct taken taken = {.mpi = mpi, .arena = arena, .visit = visit, .context = context};
    struct free_list list;
    taddr addr;

    if (mpi->layout->structs[S(ompi_message_t)].origin == ORIGIN_NONE ||
        mpi->layout->structs[S(opal_lifo_t)].origin == ORIGIN_NONE ||
        mpi->layout->fields[F(opal_free_list_t, super)].offset < 0)
        return STATUS_OK;
    TRY(inferior_symbol(mpi->inf, "ompi_message_free_list", &addr));
    TRY(free_list_load(mpi, addr, &list));
    TRY(collect_unused(&taken, addr, list.allocated));
    return free_list_each(mpi, &list, arena, visit_used, &taken);
}

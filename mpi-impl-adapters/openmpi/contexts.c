// SPDX-License-Identifier: BSD-3-Clause
// Communicators by the numbers that messages carry.
#include "mpi-impl-adapters/openmpi/handed.h"

#include "target/sort.h"

static enum status
read_context(const struct mpi *mpi, const struct comm *comm, uint32_t *ret)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), comm->addr, &view));
    *ret = (uint32_t) (view_has(&view, F(ompi_communicator_t, c_index))
                           ? view_uint(&view, F(ompi_communicator_t, c_index))
                           : view_uint(&view, F(ompi_communicator_t, c_contextid)));
    return STATUS_OK;
}

static int
less(void *context, uint32_t a, uint32_t b)
{
    const uint32_t *of = context;

    return of[a] < of[b];
}

enum status
contexts_load(const struct mpi *mpi, struct arena *arena, struct op_sink *sink, unsigned bits,
              struct contexts *ret)
{
    const uint32_t mask = UINT32_MAX >> (32 - bits);
    const uint32_t n = sink->n_comms;

    ret->of = arena_alloc(arena, n + 1, sizeof(*ret->of));
    ret->sorted = arena_alloc(arena, n + 1, sizeof(*ret->sorted));
    ret->known = arena_alloc(arena, n + 1, sizeof(*ret->known));
    if (ret->of == NULL || ret->sorted == NULL || ret->known == NULL)
        return STATUS_NOMEM;
    ret->count = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const enum status status = read_context(mpi, &sink->comms[i], &ret->of[i]);
        ret->known[i] = status == STATUS_OK;
        for (int class = 0; class < OP_CLASSES && !ret->known[i]; ++class)
            sink->broken(sink, i, (enum op_class) class, status);
        if (!ret->known[i])
            continue;
        ret->of[i] &= mask;
        ret->sorted[ret->count++] = i;
    }
    sort_numbers(ret->sorted, ret->count, less, ret->of);
    return STATUS_OK;
}

bool
contexts_find(const struct contexts *contexts, uint32_t context, uint32_t *ret)
{
    uint32_t low = 0, high = contexts->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (contexts->of[contexts->sorted[middle]] < context)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == contexts->count || contexts->of[contexts->sorted[low]] != context)
        return false;
    *ret = contexts->sorted[low];
    return true;
}

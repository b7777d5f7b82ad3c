// SPDX-License-Identifier: BSD-3-Clause
// Which of a library's handles stand for the same thing: it compares them itself.
#include "ompd-bridge/library/library.h"

static void
release_handle(struct backend_state *state, enum omp_kind kind, void *handle)
{
    if (kind == OMP_THREAD)
        (void) ASK(state, rel_thread_handle, handle);
    else if (kind == OMP_PARALLEL)
        (void) ASK(state, rel_parallel_handle, handle);
    else
        (void) ASK(state, rel_task_handle, handle);
}

static bool
are_same(struct backend_state *state, enum omp_kind kind, void *a, void *b)
{
    int order = 1;
    ompd_rc_t rc = kind == OMP_THREAD     ? ASK(state, thread_handle_compare, a, b, &order)
                   : kind == OMP_PARALLEL ? ASK(state, parallel_handle_compare, a, b, &order)
                                          : ASK(state, task_handle_compare, a, b, &order);
    return rc == ompd_rc_ok && order == 0;
}

// The place of the same thing, or else a free one; LIBRARY_OBJECTS: there is none.
static unsigned
find_place(struct backend_state *state, enum omp_kind kind, void *handle)
{
    unsigned place = state->n_objects;
    for (unsigned i = 0; i < state->n_objects; i++) {
        const struct library_object *object = &state->objects[i];
        if (object->uses == 0)
            place = i < place ? i : place;
        else if (object->kind == kind && are_same(state, kind, object->handle, handle))
            return i;
    }
    return place;
}

ompd_rc_t
library_adopt(struct backend_state *state, enum omp_kind kind, void *handle, struct omp_object *ret)
{
    if (!handle)
        return ompd_rc_error;
    const unsigned place = find_place(state, kind, handle);
    struct library_object *object = &state->objects[place];
    if (place == LIBRARY_OBJECTS || (place < state->n_objects && object->uses > 0))
        release_handle(state, kind, handle);
    else
        *object = (struct library_object){.kind = kind, .handle = handle};
    if (place == LIBRARY_OBJECTS)
        return ompd_rc_nomem;
    if (place == state->n_objects)
        state->n_objects++;
    object->uses++;
    *ret = (struct omp_object){.addr = place + 1};
    return ompd_rc_ok;
}

void *
library_handle(const struct backend_state *state, const struct omp_object *object)
{
    return state->objects[object->addr - 1].handle;
}

void
library_release(struct backend_state *state, enum omp_kind kind, struct omp_object *released)
{
    struct library_object *object = &state->objects[released->addr - 1];
    if (--object->uses == 0)
        release_handle(state, kind, object->handle);
}

void
library_release_all(struct backend_state *state)
{
    for (unsigned i = 0; i < state->n_objects; i++)
        if (state->objects[i].uses > 0)
            release_handle(state, state->objects[i].kind, state->objects[i].handle);
    state->n_objects = 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Tells which of an OMPD library's handles stand for the same thing.
//
// libompd compares addresses by the lower half of their difference: things that are 4 GiB apart are
// the same to it. So the places where it reads what a thing has of its own are compared as well:
// those tell the record of a thread, team or task, and that of a serialised region within it.
#include "ompd-bridge/library.h"

#include <string.h>

static const struct {
    const char *icv; // that is read from the record of such a thing
    ompd_scope_t scope;
} kinds[] = {
    [OMP_THREAD] = {"thread-num-var", ompd_scope_thread},
    [OMP_PARALLEL] = {"levels-var", ompd_scope_parallel},
    [OMP_TASK] = {"implicit-task-var", ompd_scope_task},
};

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

static bool
identify(struct backend_state *state, struct library_object *object)
{
    ompd_word_t value;
    ompd_address_t ptr;
    ompd_scope_t scope = kinds[object->kind].scope;
    object->identity[0] = library_icv_place(state, object->handle, kinds[object->kind].icv);
    (void) ASK(state, get_tool_data, object->handle, scope, &value, &ptr);
    object->identity[1] = state->context.last_read;
    return object->identity[0] != 0 && object->identity[1] != 0;
}

static struct library_object **
bucket_of(struct backend_state *state, const struct library_object *object)
{
    uint64_t mixed = (object->identity[0] ^ object->identity[1] << 17) * 0x9e3779b97f4a7c15U;
    return &state->objects[(mixed >> 32) % LIBRARY_BUCKETS];
}

static struct library_object *
find_same(struct backend_state *state, const struct library_object *wanted)
{
    struct library_object *found = *bucket_of(state, wanted);
    while (found && (found->kind != wanted->kind ||
                     memcmp(found->identity, wanted->identity, sizeof(found->identity)) != 0))
        found = found->next;
    return found;
}

// Finds or adds the object with a fresh handle; `ret` is NULL when the handle is not needed.
static ompd_rc_t
put(struct backend_state *state, struct library_object *fresh, struct library_object **ret)
{
    *ret = find_same(state, fresh);
    if (*ret) {
        bool same = are_same(state, fresh->kind, (*ret)->handle, fresh->handle);
        release_handle(state, fresh->kind, fresh->handle);
        return same ? ompd_rc_ok : ompd_rc_error;
    }
    struct library_object *added = inferior_alloc(state->kmp.inf, sizeof(*added));
    if (!added) {
        release_handle(state, fresh->kind, fresh->handle);
        return ompd_rc_nomem;
    }
    struct library_object **bucket = bucket_of(state, fresh);
    *added = *fresh;
    added->next = *bucket;
    *bucket = added;
    *ret = added;
    return ompd_rc_ok;
}

ompd_rc_t
library_adopt(struct backend_state *state, enum omp_kind kind, void *handle, struct omp_object *ret)
{
    struct library_object fresh = {.kind = kind, .handle = handle}, *object;
    if (!identify(state, &fresh)) {
        release_handle(state, kind, handle);
        return ompd_rc_error;
    }
    ompd_rc_t rc = put(state, &fresh, &object);
    if (rc != ompd_rc_ok)
        return rc;
    object->uses++;
    *ret = (struct omp_object){.addr = (uintptr_t) object};
    return ompd_rc_ok;
}

static struct library_object *
object_of(const struct omp_object *object)
{
    return (struct library_object *) (uintptr_t) object->addr;
}

void *
library_handle(const struct omp_object *object)
{
    return object_of(object)->handle;
}

void
library_release(struct backend_state *state, enum omp_kind kind, struct omp_object *released)
{
    struct library_object *object = object_of(released);
    (void) kind;
    if (!object || --object->uses > 0)
        return;
    struct library_object **link = bucket_of(state, object);
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    release_handle(state, object->kind, object->handle);
    inferior_free(state->kmp.inf, object);
}

void
library_release_all(struct backend_state *state)
{
    for (unsigned i = 0; i < LIBRARY_BUCKETS; i++)
        while (state->objects[i]) {
            struct omp_object object = {.addr = (uintptr_t) state->objects[i]};
            state->objects[i]->uses = 1;
            library_release(state, state->objects[i]->kind, &object);
        }
}

// SPDX-License-Identifier: BSD-3-Clause
// Leads from one handle to another, orders and releases them.
#include "ompd-bridge/proxy.h"

#include <stddef.h>
#include <string.h>

/** Leads from a region to what has a number in it. */
typedef ompd_rc_t member_step(struct backend_state *state, const struct omp_object *parallel,
                              int num, struct omp_object *ret);

// Gives the tool a handle of an object. Those of all kinds are pointers that mean nothing to it.
static ompd_rc_t
give(const struct handle *from, enum omp_kind to, struct omp_object *object, void *ret)
{
    void *found;
    OMPD_TRY(proxy_give(from->process, from->reader, to, object, &found));
    memcpy(ret, &found, sizeof(found));
    return ompd_rc_ok;
}

// Makes a handle for where a step leads to. @param step offset of the reader's function
static ompd_rc_t
walk(const void *opaque, enum omp_kind kind, size_t step, enum omp_kind to, void *ret)
{
    const struct handle *from;
    struct omp_object object;
    omp_step *function;
    OMPD_TRY(proxy_enter(opaque, kind, ret, &from));
    memcpy(&function, (const char *) from->reader->backend + step, sizeof(function));
    if (!function)
        return ompd_rc_unsupported;
    OMPD_TRY(function(from->reader->state, &from->object, &object));
    return give(from, to, &object, ret);
}

#define STEP(name) offsetof(struct backend, name)

EXPORT ompd_rc_t
ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
    return walk(thread, OMP_THREAD, STEP(curr_parallel), OMP_PARALLEL, ret);
}

EXPORT ompd_rc_t
ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel, ompd_parallel_handle_t **ret)
{
    return walk(parallel, OMP_PARALLEL, STEP(enclosing_parallel), OMP_PARALLEL, ret);
}

EXPORT ompd_rc_t
ompd_get_task_parallel_handle(ompd_task_handle_t *task, ompd_parallel_handle_t **ret)
{
    return walk(task, OMP_TASK, STEP(task_parallel), OMP_PARALLEL, ret);
}

EXPORT ompd_rc_t
ompd_get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **ret)
{
    return walk(thread, OMP_THREAD, STEP(curr_task), OMP_TASK, ret);
}

EXPORT ompd_rc_t
ompd_get_generating_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **ret)
{
    return walk(task, OMP_TASK, STEP(generating_task), OMP_TASK, ret);
}

EXPORT ompd_rc_t
ompd_get_scheduling_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **ret)
{
    return walk(task, OMP_TASK, STEP(scheduling_task), OMP_TASK, ret);
}

// As walk(), to what has a number in a region.
static ompd_rc_t
pick(const void *opaque, size_t step, int num, enum omp_kind to, void *ret)
{
    const struct handle *from;
    struct omp_object object;
    member_step *function;
    OMPD_TRY(proxy_enter(opaque, OMP_PARALLEL, ret, &from));
    if (num < 0)
        return ompd_rc_bad_input;
    memcpy(&function, (const char *) from->reader->backend + step, sizeof(function));
    if (!function)
        return ompd_rc_unsupported;
    OMPD_TRY(function(from->reader->state, &from->object, num, &object));
    return give(from, to, &object, ret);
}

EXPORT ompd_rc_t
ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_thread_handle_t **ret)
{
    return pick(parallel, STEP(thread_in_parallel), num, OMP_THREAD, ret);
}

EXPORT ompd_rc_t
ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel, int num, ompd_task_handle_t **ret)
{
    return pick(parallel, STEP(task_in_parallel), num, OMP_TASK, ret);
}

// Reads nothing: it is about what the handles meant when they were made.
static ompd_rc_t
compare(const void *a, const void *b, enum omp_kind kind, int *ret)
{
    struct handle_table *table = &proxy_get()->handles;
    struct handle *one, *other;
    OMPD_TRY(handles_find(table, a, kind, &one));
    OMPD_TRY(handles_find(table, b, kind, &other));
    if (!ret)
        return ompd_rc_bad_input;
    if (!one->reader || !other->reader)
        return ompd_rc_stale_handle;
    *ret = handles_compare(table, one, other);
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
    return compare(a, b, OMP_THREAD, ret);
}

EXPORT ompd_rc_t
ompd_parallel_handle_compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b, int *ret)
{
    return compare(a, b, OMP_PARALLEL, ret);
}

EXPORT ompd_rc_t
ompd_task_handle_compare(ompd_task_handle_t *a, ompd_task_handle_t *b, int *ret)
{
    return compare(a, b, OMP_TASK, ret);
}

static ompd_rc_t
release(const void *opaque, enum omp_kind kind)
{
    struct handle_table *table = &proxy_get()->handles;
    struct handle *handle;
    OMPD_TRY(handles_find(table, opaque, kind, &handle));
    handles_remove(table, opaque);
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_rel_thread_handle(ompd_thread_handle_t *thread)
{
    return release(thread, OMP_THREAD);
}

EXPORT ompd_rc_t
ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel)
{
    return release(parallel, OMP_PARALLEL);
}

EXPORT ompd_rc_t
ompd_rel_task_handle(ompd_task_handle_t *task)
{
    return release(task, OMP_TASK);
}

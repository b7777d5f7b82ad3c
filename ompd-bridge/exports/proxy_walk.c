// SPDX-License-Identifier: BSD-3-Clause
// Leads from one handle to another, orders and releases them; what a task executes, and what an
// OMPT tool has attached.
#include "ompd-bridge/exports/proxy.h"

#include <string.h>

// Gives the tool a handle of an object. Those of all kinds are pointers that mean nothing to it.
static ompd_rc_t
give(const struct handle *from, enum omp_kind to, struct omp_object *object, void *ret)
{
    void *found;
    RC_TRY(proxy_give(from->process, from->reader, to, object, &found));
    memcpy(ret, &found, sizeof(found));
    return ompd_rc_ok;
}

// STEP(question, from, FROM, to, TO): leads from a handle of one kind to one of another.
#define STEP(question, from, FROM, to, TO)                                        \
    EXPORT ompd_rc_t ompd_get_##question##_handle(ompd_##from##_handle_t *opaque, \
                                                  ompd_##to##_handle_t **ret)     \
    {                                                                             \
        const struct handle *handle;                                              \
        struct omp_object object;                                                 \
        RC_TRY(proxy_enter(opaque, FROM, ret, &handle));                          \
        RC_TRY(READER_ASK(handle->reader, question, &handle->object, &object));   \
        return give(handle, TO, &object, ret);                                    \
    }
STEP(curr_parallel, thread, OMP_THREAD, parallel, OMP_PARALLEL)
STEP(enclosing_parallel, parallel, OMP_PARALLEL, parallel, OMP_PARALLEL)
STEP(task_parallel, task, OMP_TASK, parallel, OMP_PARALLEL)
STEP(curr_task, thread, OMP_THREAD, task, OMP_TASK)
STEP(generating_task, task, OMP_TASK, task, OMP_TASK)
STEP(scheduling_task, task, OMP_TASK, task, OMP_TASK)
#undef STEP

// MEMBER(to, TO): leads from a region to what has a number in it.
#define MEMBER(to, TO)                                                                       \
    EXPORT ompd_rc_t ompd_get_##to##_in_parallel(ompd_parallel_handle_t *parallel, int num,  \
                                                 ompd_##to##_handle_t **ret)                 \
    {                                                                                        \
        const struct handle *handle;                                                         \
        struct omp_object object;                                                            \
        RC_TRY(proxy_enter(parallel, OMP_PARALLEL, ret, &handle));                           \
        if (num < 0)                                                                         \
            return ompd_rc_bad_input;                                                        \
        RC_TRY(READER_ASK(handle->reader, to##_in_parallel, &handle->object, num, &object)); \
        return give(handle, TO, &object, ret);                                               \
    }
MEMBER(thread, OMP_THREAD)
MEMBER(task, OMP_TASK)
#undef MEMBER

// Reads nothing: it is about what the handles meant when they were made.
static ompd_rc_t
compare(const void *a, const void *b, enum omp_kind kind, int *ret)
{
    struct handle_table *table = &proxy_get()->handles;
    struct handle *one, *other;
    RC_TRY(handles_find(table, a, kind, &one));
    RC_TRY(handles_find(table, b, kind, &other));
    if (!ret)
        return ompd_rc_bad_input;
    if (!one->reader || !other->reader)
        return ompd_rc_stale_handle;
    *ret = handles_compare(one, other);
    return ompd_rc_ok;
}

static ompd_rc_t
release(const void *opaque, enum omp_kind kind)
{
    struct handle_table *table = &proxy_get()->handles;
    struct handle *handle;
    RC_TRY(handles_find(table, opaque, kind, &handle));
    handles_remove(table, opaque);
    return ompd_rc_ok;
}

// KIND(name, KIND): compares and releases handles of one kind.
#define KIND(name, KIND)                                                               \
    EXPORT ompd_rc_t ompd_##name##_handle_compare(ompd_##name##_handle_t *a,           \
                                                  ompd_##name##_handle_t *b, int *ret) \
    {                                                                                  \
        return compare(a, b, KIND, ret);                                               \
    }                                                                                  \
    EXPORT ompd_rc_t ompd_rel_##name##_handle(ompd_##name##_handle_t *handle)          \
    {                                                                                  \
        return release(handle, KIND);                                                  \
    }
KIND(thread, OMP_THREAD)
KIND(parallel, OMP_PARALLEL)
KIND(task, OMP_TASK)
#undef KIND

EXPORT ompd_rc_t
ompd_get_task_function(ompd_task_handle_t *task, ompd_address_t *ret)
{
    const struct handle *handle;
    taddr function;
    RC_TRY(proxy_enter(task, OMP_TASK, ret, &handle));
    RC_TRY(READER_ASK(handle->reader, task_function, &handle->object, &function));
    *ret = (ompd_address_t){.address = function};
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_task_frame(ompd_task_handle_t *task, ompd_frame_info_t *ret_exit,
                    ompd_frame_info_t *ret_enter)
{
    const struct handle *handle;
    ompd_frame_info_t exit_frame = {.frame_flag = 0}, enter_frame = {.frame_flag = 0};
    RC_TRY(proxy_enter(task, OMP_TASK, ret_enter ? ret_exit : NULL, &handle));
    RC_TRY(READER_ASK(handle->reader, task_frame, &handle->object, &exit_frame, &enter_frame));
    *ret_exit = exit_frame;
    *ret_enter = enter_frame;
    return ompd_rc_ok;
}

// Tools attach data to threads, regions and tasks.
static ompd_rc_t
kind_of(ompd_scope_t scope, enum omp_kind *ret)
{
    RC_TRY(proxy_kind_of(scope, ret));
    return *ret == OMP_SPACE ? ompd_rc_bad_input : ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_tool_data(void *opaque, ompd_scope_t scope, ompd_word_t *ret_value,
                   ompd_address_t *ret_ptr)
{
    const struct handle *handle;
    enum omp_kind kind;
    ompd_word_t value;
    taddr ptr;
    if (!opaque)
        return ompd_rc_stale_handle;
    RC_TRY(kind_of(scope, &kind));
    RC_TRY(proxy_enter(opaque, kind, ret_ptr ? ret_value : NULL, &handle));
    RC_TRY(READER_ASK(handle->reader, tool_data, kind, &handle->object, &value, &ptr));
    *ret_value = value;
    *ret_ptr = (ompd_address_t){.address = ptr};
    return ompd_rc_ok;
}

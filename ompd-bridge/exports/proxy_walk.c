// SPDX-License-Identifier: BSD-3-Clause
// Leads from one handle to another, and from native threads to them, orders and releases them; what
// threads and tasks do, and what an OMPT tool has attached.
#include "ompd-bridge/exports/proxy.h"

#include <string.h>

// Gives the tool a handle of an object; releases the object when that fails. Handles of all kinds
// are pointers that mean nothing to it.
static ompd_rc_t
give(struct proxy_process *process, const struct reader *reader, enum omp_kind kind,
     struct omp_object *object, void *ret)
{
    void *handle = handles_add(&proxy_get()->handles, kind, process, reader, object);
    if (!handle) {
        reader_release(reader, kind, object);
        return ompd_rc_nomem;
    }
    memcpy(ret, &handle, sizeof(handle));
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
        return give(handle->process, handle->reader, TO, &object, ret);           \
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
        return give(handle->process, handle->reader, TO, &object, ret);                      \
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

// Whether a native thread id can have this many bytes: pthread_t is of the size of a pointer, and
// tools pass both kinds as 64 bits.
static ompd_rc_t
check_kind(const struct proxy_process *process, ompd_thread_id_t kind, ompd_size_t size)
{
    if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
        return ompd_rc_unsupported;
    const ompd_size_t other = kind == OMPD_THREAD_ID_LWP ? 4 : process->inf.model.pointer_size;
    return size == 8 || size == other ? ompd_rc_ok : ompd_rc_bad_input;
}

// Ids are in the tool's own byte order.
static uint64_t
take_id(ompd_size_t size, const void *id)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (size == sizeof(wide)) {
        memcpy(&wide, id, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, id, sizeof(narrow));
    return narrow;
}

static void
put_id(uint64_t id, ompd_size_t size, void *ret)
{
    uint32_t narrow = (uint32_t) id;
    if (size == sizeof(id))
        memcpy(ret, &id, sizeof(id));
    else
        memcpy(ret, &narrow, sizeof(narrow));
}

static uint64_t
id_of(const struct omp_thread_id *id, ompd_thread_id_t kind)
{
    return kind == OMPD_THREAD_ID_LWP ? (uint64_t) id->tid : id->pthread;
}

// A variable of the thread's own leads to its record. Whether the tool has given that of this
// thread is seen where the record has an id already.
static ompd_rc_t
find_by_variable(struct proxy_process *process, ompd_thread_id_t kind, ompd_size_t size,
                 const void *id, struct omp_object *ret)
{
    const struct reader *reader = &process->active.reader;
    const char *name =
        reader->backend->own_variable ? reader->backend->own_variable(reader->state) : NULL;
    struct omp_thread_id seen;
    taddr variable;
    if (!name || !ompd_host_thread_variable(&process->host, kind, size, id, name, &variable))
        return ompd_rc_unsupported;
    RC_TRY(READER_ASK(reader, thread_of_variable, variable, ret));
    RC_TRY(READER_ASK(reader, thread_id, ret, &seen));
    const uint64_t number = id_of(&seen, kind);
    return number == 0 || number == take_id(size, id) ? ompd_rc_ok : ompd_rc_unavailable;
}

// The record of a thread that has only just begun has no id: the thread that made it writes it
// there.
static ompd_rc_t
find_thread(struct proxy_process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
            struct omp_object *ret)
{
    const struct reader *reader = &process->active.reader;
    ompd_rc_t rc = READER_ASK(reader, find_thread, kind, take_id(size, id), ret);
    return rc == ompd_rc_unavailable && find_by_variable(process, kind, size, id, ret) == ompd_rc_ok
               ? ompd_rc_ok
               : rc;
}

EXPORT ompd_rc_t
ompd_get_thread_handle(ompd_address_space_handle_t *space, ompd_thread_id_t kind, ompd_size_t size,
                       const void *id, ompd_thread_handle_t **ret)
{
    struct proxy_process *process;
    struct omp_object object;
    RC_TRY(proxy_enter_space(space, id ? ret : NULL, &process));
    const struct reader *reader = &process->active.reader;
    RC_TRY(check_kind(process, kind, size));
    if (take_id(size, id) == 0)
        return ompd_rc_unavailable;
    RC_TRY(find_thread(process, kind, size, id, &object));
    return give(process, reader, OMP_THREAD, &object, ret);
}

EXPORT ompd_rc_t
ompd_get_thread_id(ompd_thread_handle_t *thread, ompd_thread_id_t kind, ompd_size_t size, void *ret)
{
    const struct handle *handle;
    struct omp_thread_id id;
    RC_TRY(proxy_enter(thread, OMP_THREAD, ret, &handle));
    RC_TRY(check_kind(handle->process, kind, size));
    RC_TRY(READER_ASK(handle->reader, thread_id, &handle->object, &id));
    if (id_of(&id, kind) == 0)
        return ompd_rc_unavailable;
    put_id(id_of(&id, kind), size, ret);
    return ompd_rc_ok;
}

// The wait id may be left out, as tools do that want to know the state only.
EXPORT ompd_rc_t
ompd_get_state(ompd_thread_handle_t *thread, ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    const struct handle *handle;
    ompd_word_t state;
    ompd_wait_id_t wait_id = 0;
    RC_TRY(proxy_enter(thread, OMP_THREAD, ret_state, &handle));
    RC_TRY(READER_ASK(handle->reader, thread_state, &handle->object, &state, &wait_id));
    *ret_state = state;
    if (ret_wait_id)
        *ret_wait_id = wait_id;
    return ompd_rc_ok;
}

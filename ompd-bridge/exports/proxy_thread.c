// SPDX-License-Identifier: BSD-3-Clause
// Native threads: whose OpenMP thread they are, and what it does.
#include "ompd-bridge/exports/proxy.h"

#include <string.h>

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

EXPORT ompd_rc_t
ompd_get_thread_handle(ompd_address_space_handle_t *space, ompd_thread_id_t kind, ompd_size_t size,
                       const void *id, ompd_thread_handle_t **ret)
{
    struct proxy_process *process;
    const struct reader *reader;
    struct omp_object object;
    void *found;
    RC_TRY(proxy_enter_space(space, id ? ret : NULL, &process, &reader));
    RC_TRY(check_kind(process, kind, size));
    const uint64_t wanted = take_id(size, id);
    if (wanted == 0)
        return ompd_rc_unavailable;
    RC_TRY(READER_ASK(reader, find_thread, kind, wanted, &object));
    RC_TRY(proxy_give(process, reader, OMP_THREAD, &object, &found));
    *ret = found;
    return ompd_rc_ok;
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

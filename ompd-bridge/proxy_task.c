// SPDX-License-Identifier: BSD-3-Clause
// What a task executes and where its frames are; what an OMPT tool has attached.
#include "ompd-bridge/proxy.h"

EXPORT ompd_rc_t
ompd_get_task_function(ompd_task_handle_t *task, ompd_address_t *ret)
{
    const struct handle *handle;
    taddr function;
    OMPD_TRY(proxy_enter(task, OMP_TASK, ret, &handle));
    const struct reader *reader = handle->reader;
    if (!reader->backend->task_function)
        return ompd_rc_unsupported;
    OMPD_TRY(reader->backend->task_function(reader->state, &handle->object, &function));
    *ret = (ompd_address_t){.address = function};
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_task_frame(ompd_task_handle_t *task, ompd_frame_info_t *ret_exit,
                    ompd_frame_info_t *ret_enter)
{
    const struct handle *handle;
    ompd_frame_info_t exit_frame = {.frame_flag = 0}, enter_frame = {.frame_flag = 0};
    OMPD_TRY(proxy_enter(task, OMP_TASK, ret_enter ? ret_exit : NULL, &handle));
    const struct reader *reader = handle->reader;
    if (!reader->backend->task_frame)
        return ompd_rc_unsupported;
    OMPD_TRY(
        reader->backend->task_frame(reader->state, &handle->object, &exit_frame, &enter_frame));
    *ret_exit = exit_frame;
    *ret_enter = enter_frame;
    return ompd_rc_ok;
}

// Tools attach data to threads, regions and tasks.
static ompd_rc_t
kind_of(ompd_scope_t scope, enum omp_kind *ret)
{
    OMPD_TRY(proxy_kind_of(scope, ret));
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
    OMPD_TRY(kind_of(scope, &kind));
    OMPD_TRY(proxy_enter(opaque, kind, ret_ptr ? ret_value : NULL, &handle));
    const struct reader *reader = handle->reader;
    if (!reader->backend->tool_data)
        return ompd_rc_unsupported;
    OMPD_TRY(reader->backend->tool_data(reader->state, kind, &handle->object, &value, &ptr));
    *ret_value = value;
    *ret_ptr = (ompd_address_t){.address = ptr};
    return ompd_rc_ok;
}

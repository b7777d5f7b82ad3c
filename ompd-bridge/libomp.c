// SPDX-License-Identifier: BSD-3-Clause
// The native reader of LLVM's OpenMP runtime: answers from the runtime's memory alone.
#include "ompd-bridge/libomp.h"

#include "ompd-bridge/kmp_settings.h"

#include <stdio.h>
#include <string.h>

static enum status
libomp_refresh(struct backend_state *state)
{
    state->knows_tracking = false;
    return kmp_refresh(&state->kmp);
}

static enum status
libomp_open(struct inferior *inf, struct notes *notes, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    memset(state, 0, sizeof(*state));
    state->notes = notes;
    enum status status = kmp_find(inf, &state->kmp);
    if (status != STATUS_OK) {
        inferior_free(inf, state);
        return status;
    }
    *ret = state;
    return STATUS_OK;
}

static void
libomp_close(struct backend_state *state)
{
    if (state)
        inferior_free(state->kmp.inf, state);
}

enum { USUAL_VERSION = 201611 }; // that all known releases name, yyyymm

static int64_t
find_version(const struct kmp *kmp)
{
    taddr addr;
    uint64_t version;
    if (inferior_symbol(kmp->inf, "__kmp_openmp_version", &addr) == STATUS_OK)
        return inferior_read_uint(kmp->inf, addr, 4, &version) == STATUS_OK ? (int64_t) version : 0;
    return kmp->release[0] != '\0' ? USUAL_VERSION : 0;
}

static enum status
libomp_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "LLVM OpenMP");
    snprintf(ret->release, sizeof(ret->release), "%s", state->kmp.release);
    snprintf(ret->backend, sizeof(ret->backend), "libomp table");
    ret->tracking = libomp_tracks(state);
    ret->version = find_version(&state->kmp);
    return STATUS_OK;
}

static enum status
libomp_threads(struct backend_state *state, struct object_sink *sink)
{
    for (uint32_t i = 0; i < state->kmp.capacity; i++) {
        struct kmp_thread thread;
        enum status status = kmp_read_thread(&state->kmp, i, &thread);
        if (status == STATUS_OK) {
            struct omp_object object = {thread.addr, i};
            TRY(sink->emit(sink, &object));
        } else if (status != STATUS_ABSENT) {
            notes_add(state->notes, "%s", trail_text(&state->kmp.inf->trail));
            sink->broken(sink, status);
        }
    }
    return STATUS_OK;
}

static ompd_rc_t
libomp_control_vars(struct backend_state *state, struct text_sink *sink)
{
    enum status status = kmp_control_vars(&state->kmp, sink);
    return status == STATUS_UNSUPPORTED ? ompd_rc_unavailable : code_of(status);
}

const struct backend backend_libomp = {
    .name = "libomp table",
    .detect = kmp_detect,
    .open = libomp_open,
    .close = libomp_close,
    .refresh = libomp_refresh,
    .info = libomp_info,
    .threads = libomp_threads,
    .find_thread = libomp_find_thread,
    .thread_id = libomp_thread_id,
    .curr_parallel = libomp_curr_parallel,
    .enclosing_parallel = libomp_enclosing_parallel,
    .task_parallel = libomp_task_parallel,
    .curr_task = libomp_curr_task,
    .generating_task = libomp_generating_task,
    .scheduling_task = libomp_scheduling_task,
    .thread_in_parallel = libomp_thread_in_parallel,
    .task_in_parallel = libomp_task_in_parallel,
    .task_function = libomp_task_function,
    .task_frame = libomp_task_frame,
    .thread_state = libomp_thread_state,
    .icv = libomp_icv,
    .icv_value = libomp_icv_value,
    .icv_text = libomp_icv_text,
    .control_vars = libomp_control_vars,
    .tool_data = libomp_tool_data,
    .task_flags = libomp_task_flags,
};

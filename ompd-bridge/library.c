// SPDX-License-Identifier: BSD-3-Clause
// The backend that asks the OMPD library of LLVM's runtime.
#include "ompd-bridge/library.h"

#include <stdio.h>
#include <string.h>

enum status
library_failed(struct backend_state *state, const char *function, ompd_rc_t rc)
{
    return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED, "%s: ompd_%s says %d",
                       state->library.path, function, (int) rc);
}

#define TRY_ASK(state, function, ...)                      \
    do {                                                   \
        ompd_rc_t rc_ = ASK(state, function, __VA_ARGS__); \
        if (rc_ != ompd_rc_ok)                             \
            return library_failed(state, #function, rc_);  \
    } while (0)

// libompd holds one global for what differs between processes: whether states are tracked, which it
// reads here. It is told that they always are; who asks for what needs it is told the truth by us.
static enum status
start_process(struct backend_state *state)
{
    state->context.always_tracks = true;
    ompd_rc_t rc =
        ASK(state, process_initialize, ompd_context_handle(&state->context), &state->space);
    state->context.always_tracks = false;
    if (rc == ompd_rc_ok)
        return STATUS_OK;
    state->space = NULL;
    return library_failed(state, "process_initialize", rc);
}

static enum status
start_library(struct backend_state *state)
{
    ompd_word_t version = 0;
    ompd_context_init(&state->context, &state->kmp);
    TRY_ASK(state, get_api_version, &version);
    if (version != OMPD_API_VERSION)
        return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED,
                           "%s has version %lld of the interface", state->library.path,
                           (long long) version);
    TRY_ASK(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
    TRY(start_process(state));
    if (ASK(state, get_omp_version, state->space, &state->version) != ompd_rc_ok ||
        state->version < 0)
        state->version = 0;
    return library_learn_icvs(state);
}

// The library's reading of sizes and numbers is only known to be right for processes like itself.
static bool
is_like_ourselves(const struct datamodel *model)
{
    const uint16_t probe = 1;
    bool big_endian = *(const uint8_t *) &probe == 0;
    return model->big_endian == big_endian && model->pointer_size == sizeof(void *) &&
           model->long_size == sizeof(long) && model->int_size == sizeof(int);
}

static void
library_close(struct backend_state *state)
{
    if (!state)
        return;
    library_release_all(state);
    if (state->space)
        (void) ASK(state, rel_address_space_handle, state->space);
    ompd_context_deinit(&state->context);
    ompd_library_close(&state->library);
    inferior_free(state->kmp.inf, state);
}

static enum status
open_all(struct inferior *inf, struct backend_state *state)
{
    TRY(kmp_find(inf, &state->kmp));
    if (!is_like_ourselves(&inf->model))
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "OMPD libraries read processes of their own kind only");
    TRY(ompd_library_open(&state->kmp, state->notes, &state->library));
    return start_library(state);
}

static enum status
library_open(struct inferior *inf, struct notes *notes, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    memset(state, 0, sizeof(*state));
    state->kmp.inf = inf;
    state->notes = notes;
    enum status status = open_all(inf, state);
    if (status != STATUS_OK) {
        library_close(state);
        return status;
    }
    *ret = state;
    return STATUS_OK;
}

// Another user of the same library may have set other callbacks since.
static enum status
library_refresh(struct backend_state *state)
{
    TRY(kmp_refresh(&state->kmp));
    TRY_ASK(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
    state->knows_tracking = false;
    return STATUS_OK;
}

static enum status
library_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "LLVM OpenMP");
    snprintf(ret->release, sizeof(ret->release), "%s", state->kmp.release);
    snprintf(ret->backend, sizeof(ret->backend), "libompd %.240s", state->library.path);
    ret->tracking = library_is_tracking(state);
    ret->version = state->version;
    return STATUS_OK;
}

const struct backend backend_library = {
    .name = "libompd",
    .detect = kmp_detect,
    .open = library_open,
    .close = library_close,
    .refresh = library_refresh,
    .info = library_info,
    .threads = library_threads,
    .find_thread = library_find_thread,
    .thread_id = library_thread_id,
    .curr_parallel = library_curr_parallel,
    .enclosing_parallel = library_enclosing_parallel,
    .task_parallel = library_task_parallel,
    .curr_task = library_curr_task,
    .generating_task = library_generating_task,
    .scheduling_task = library_scheduling_task,
    .thread_in_parallel = library_thread_in_parallel,
    .task_in_parallel = library_task_in_parallel,
    .task_function = library_task_function,
    .task_frame = library_task_frame,
    .thread_state = library_thread_state,
    .icv = library_icv,
    .icv_value = library_icv_value,
    .icv_text = library_icv_text,
    .control_vars = library_control_vars,
    .tool_data = library_tool_data,
    .release = library_release,
};

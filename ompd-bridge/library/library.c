// SPDX-License-Identifier: BSD-3-Clause
// The reader that asks a runtime's own OMPD library: opening it, and its answers.
#include "ompd-bridge/library/library.h"

#include "ompd-bridge/rc.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

static enum status
library_failed(struct backend_state *state, const char *function, ompd_rc_t rc)
{
    return trail_begin(&state->inf->trail, STATUS_UNSUPPORTED, "%s: ompd_%s returns %d",
                       state->library.path, function, (int) rc);
}

#define TRY_ASK(state, function, ...)                      \
    do {                                                   \
        ompd_rc_t rc_ = ASK(state, function, __VA_ARGS__); \
        if (rc_ != ompd_rc_ok)                             \
            return library_failed(state, #function, rc_);  \
    } while (0)

// Whether the runtime keeps states: libraries hold this for all processes in one variable.
static bool
is_tracking(struct inferior *inf)
{
    taddr addr;
    uint64_t value;
    return inferior_symbol(inf, "ompd_state", &addr) != STATUS_OK ||
           (inferior_read_uint(inf, addr, 8, &value) == STATUS_OK && value != 0);
}

// Another user of the same library may have set other callbacks since.
static enum status
library_refresh(struct backend_state *state)
{
    TRY_ASK(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
    state->tracking = is_tracking(state->inf);
    return STATUS_OK;
}

static enum status
start_library(struct backend_state *state)
{
    ompd_word_t version = 0;
    TRY(ompd_context_init(&state->context, state->inf));
    TRY_ASK(state, get_api_version, &version);
    if (version != OMPD_API_VERSION)
        return trail_begin(&state->inf->trail, STATUS_UNSUPPORTED,
                           "%s has version %lld of the interface", state->library.path,
                           (long long) version);
    TRY(library_refresh(state));
    ompd_rc_t rc =
        ASK(state, process_initialize, ompd_context_handle(&state->context), &state->space);
    if (rc != ompd_rc_ok) {
        state->space = NULL;
        return library_failed(state, "process_initialize", rc);
    }
    library_learn_icvs(state);
    return STATUS_OK;
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

static enum status
library_detect(struct inferior *inf)
{
    taddr locations;
    return inferior_symbol(inf, "ompd_dll_locations", &locations);
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
    inferior_free(state->inf, state);
}

static enum status
open_all(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state *state)
{
    if (!is_like_ourselves(&inf->model))
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "OMPD libraries read processes of their own kind only");
    TRY(ompd_library_open(inf, diagnostics, &state->library));
    return start_library(state);
}

static enum status
library_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    memset(state, 0, sizeof(*state));
    state->inf = inf;
    enum status status = open_all(inf, diagnostics, state);
    if (status != STATUS_OK) {
        library_close(state);
        return status;
    }
    *ret = state;
    return STATUS_OK;
}

static enum status
library_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "unknown OpenMP runtime");
    snprintf(ret->backend, sizeof(ret->backend), "OMPD library %.240s", state->library.path);
    ret->tracking = state->tracking;
    if (ASK(state, get_omp_version, state->space, &ret->version) != ompd_rc_ok || ret->version < 0)
        ret->version = 0;
    return STATUS_OK;
}

// Libraries return this when they find a NULL pointer where the next thing would be.
static ompd_rc_t
adopt_answer(struct backend_state *state, ompd_rc_t rc, enum omp_kind kind, void *handle,
             struct omp_object *ret)
{
    if (rc == ompd_rc_ok)
        return library_adopt(state, kind, handle, ret);
    return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

// STEP(name, handle, kind): the question ompd_get_NAME_handle, which leads to such a handle.
#define STEP(name, to, kind)                                                                    \
    static ompd_rc_t library_##name(struct backend_state *state, const struct omp_object *from, \
                                    struct omp_object *ret)                                     \
    {                                                                                           \
        ompd_##to##_handle_t *handle = NULL;                                                    \
        ompd_rc_t rc = ASK(state, get_##name##_handle, library_handle(state, from), &handle);   \
        return adopt_answer(state, rc, kind, handle, ret);                                      \
    }
STEP(curr_parallel, parallel, OMP_PARALLEL)
STEP(enclosing_parallel, parallel, OMP_PARALLEL)
STEP(task_parallel, parallel, OMP_PARALLEL)
STEP(curr_task, task, OMP_TASK)
STEP(generating_task, task, OMP_TASK)
STEP(scheduling_task, task, OMP_TASK)
#undef STEP

// Without states, nobody writes it.
static ompd_rc_t
scheduling_task(struct backend_state *state, const struct omp_object *task, struct omp_object *ret)
{
    return state->tracking ? library_scheduling_task(state, task, ret)
                           : ompd_rc_needs_state_tracking;
}

static ompd_rc_t
library_thread_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                           struct omp_object *ret)
{
    ompd_thread_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_thread_in_parallel, library_handle(state, region), num, &handle);
    return adopt_answer(state, rc, OMP_THREAD, handle, ret);
}

static ompd_rc_t
library_task_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                         struct omp_object *ret)
{
    ompd_task_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_task_in_parallel, library_handle(state, region), num, &handle);
    return adopt_answer(state, rc, OMP_TASK, handle, ret);
}

static ompd_rc_t
thread_of(struct backend_state *state, taddr pthread, struct omp_object *ret)
{
    ompd_thread_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_thread_handle, state->space, OMPD_THREAD_ID_PTHREAD,
                       sizeof(pthread), &pthread, &handle);
    return rc == ompd_rc_ok ? library_adopt(state, OMP_THREAD, handle, ret) : rc;
}

/** The C library's threads, of which some are the runtime's. */
struct thread_visit {
    struct backend_state *state;
    struct object_sink *sink; // takes them; NULL: the one with this id is searched for
    int64_t tid;
    taddr found; // its pthread_t
};

static enum status
emit_thread(void *closure, taddr pthread)
{
    const struct thread_visit *visit = closure;
    struct omp_object object;
    ompd_rc_t rc = thread_of(visit->state, pthread, &object);
    if (rc == ompd_rc_ok)
        return visit->sink->emit(visit->sink, &object);
    if (rc == ompd_rc_nomem)
        return trail_begin(&visit->state->inf->trail, STATUS_NOMEM, "%s",
                           status_text(STATUS_NOMEM));
    if (rc != ompd_rc_unavailable)
        visit->sink->broken(visit->sink, library_failed(visit->state, "get_thread_handle", rc));
    return STATUS_OK;
}

static enum status
match_thread(void *closure, taddr pthread)
{
    struct thread_visit *visit = closure;
    struct ompd_context *context = &visit->state->context;
    int64_t tid;
    if (nptl_tid(&context->nptl, context->inf, pthread, &tid) == STATUS_OK && tid == visit->tid)
        visit->found = pthread;
    return STATUS_OK;
}

static enum status
walk(struct thread_visit *visit, nptl_visit *function)
{
    const struct ompd_context *context = &visit->state->context;
    return nptl_walk(&context->nptl, &context->heads, context->inf, function, visit);
}

static enum status
library_threads(struct backend_state *state, struct object_sink *sink)
{
    struct thread_visit visit = {.state = state, .sink = sink};
    enum status status = walk(&visit, emit_thread);
    if (status != STATUS_CORRUPT && status != STATUS_UNREADABLE)
        return status;
    sink->broken(sink, status);
    return STATUS_OK;
}

static ompd_rc_t
library_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                    struct omp_object *ret)
{
    struct thread_visit visit = {.state = state, .tid = (int64_t) id};
    if (kind == OMPD_THREAD_ID_PTHREAD)
        return thread_of(state, id, ret);
    if (kind != OMPD_THREAD_ID_LWP)
        return ompd_rc_unsupported;
    enum status status = walk(&visit, match_thread);
    if (visit.found == 0)
        return status == STATUS_OK ? ompd_rc_unavailable : rc_of(status);
    return thread_of(state, visit.found, ret);
}

static ompd_rc_t
library_thread_id(struct backend_state *state, const struct omp_object *thread,
                  struct omp_thread_id *ret)
{
    uint64_t pthread = 0;
    int64_t tid = 0;
    RC_TRY(ASK(state, get_thread_id, library_handle(state, thread), OMPD_THREAD_ID_PTHREAD,
               sizeof(pthread), &pthread));
    if (pthread == 0 || nptl_tid(&state->context.nptl, state->inf, pthread, &tid) != STATUS_OK)
        tid = 0;
    *ret = (struct omp_thread_id){pthread, tid};
    return ompd_rc_ok;
}

static ompd_rc_t
library_thread_state(struct backend_state *state, const struct omp_object *thread,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    ompd_word_t number = 0;
    ompd_wait_id_t wait_id = 0;
    if (!state->tracking)
        return ompd_rc_needs_state_tracking;
    ompd_rc_t rc = ASK(state, get_state, library_handle(state, thread), &number, &wait_id);
    if (rc == ompd_rc_ok && !omp_state_valid(number))
        rc = ompd_rc_error;
    if (rc != ompd_rc_ok)
        return rc;
    *ret_state = number;
    *ret_wait_id = wait_id;
    return ompd_rc_ok;
}

static ompd_rc_t
library_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    ompd_address_t function = {0};
    ompd_rc_t rc = ASK(state, get_task_function, library_handle(state, task), &function);
    if (rc == ompd_rc_bad_input || (rc == ompd_rc_ok && function.address == 0))
        return ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        *ret = function.address;
    return rc;
}

static ompd_rc_t
library_task_frame(struct backend_state *state, const struct omp_object *task,
                   ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    ompd_frame_info_t exit_frame = {.frame_flag = 0}, enter_frame = exit_frame;
    if (!state->tracking)
        return ompd_rc_needs_state_tracking;
    RC_TRY(ASK(state, get_task_frame, library_handle(state, task), &exit_frame, &enter_frame));
    *ret_exit = exit_frame;
    *ret_enter = enter_frame;
    return ompd_rc_ok;
}

static ompd_rc_t
library_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr)
{
    static const ompd_scope_t scopes[] = {[OMP_THREAD] = ompd_scope_thread,
                                          [OMP_PARALLEL] = ompd_scope_parallel,
                                          [OMP_TASK] = ompd_scope_task};
    ompd_word_t value = 0;
    ompd_address_t ptr = {0};
    if (!state->tracking)
        return ompd_rc_unavailable;
    RC_TRY(ASK(state, get_tool_data, library_handle(state, object), scopes[kind], &value, &ptr));
    *ret_value = value;
    *ret_ptr = ptr.address;
    return ompd_rc_ok;
}

const struct backend backend_library = {
    .name = "OMPD library",
    .detect = library_detect,
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
    .scheduling_task = scheduling_task,
    .thread_in_parallel = library_thread_in_parallel,
    .task_in_parallel = library_task_in_parallel,
    .task_function = library_task_function,
    .task_frame = library_task_frame,
    .thread_state = library_thread_state,
    .icv = library_icv,
    .icv_value = library_icv_value,
    .icv_text = library_icv_text,
    .tool_data = library_tool_data,
    .release = library_release,
};

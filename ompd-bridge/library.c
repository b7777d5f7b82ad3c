// SPDX-License-Identifier: BSD-3-Clause
// The backend that asks the OMPD library of LLVM's runtime.
#include "ompd-bridge/library.h"

#include "ompd-bridge/kmp_record.h"

#include <stdio.h>
#include <string.h>

enum { ICVS_MAX = 256 }; // that a library may enumerate

static const char *const icv_names[ICVS] = {"thread-num-var", "team-size-var", "levels-var",
                                            "active-levels-var"};

enum status
library_failed(struct backend_state *state, const char *function, ompd_rc_t rc)
{
    return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED, "ompd_%s says %d", function,
                       (int) rc);
}

static void
take_icv(struct backend_state *state, const char *name, ompd_icv_id_t id, unsigned *found)
{
    for (unsigned i = 0; i < ICVS; i++)
        if (strcmp(name, icv_names[i]) == 0) {
            state->icvs[i] = id;
            *found |= 1U << i;
        }
}

static enum status
find_icvs(struct backend_state *state, ompd_address_space_handle_t *space)
{
    ompd_icv_id_t id = 0;
    unsigned found = 0;
    int more = 1;
    for (unsigned i = 0; more && i < ICVS_MAX; i++) {
        const char *name;
        ompd_scope_t scope;
        CALL_LIBRARY(state, enumerate_icvs, space, id, &id, &name, &scope, &more);
        take_icv(state, name, id, &found);
        inferior_free(state->kmp.inf, (void *) name);
    }
    if (found != (1U << ICVS) - 1)
        return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED, "%s lacks control variables",
                           state->library.path);
    return STATUS_OK;
}

// libompd holds one global for what differs between processes: whether states are tracked. It is
// read when a process is initialised, so that happens for each listing.
static enum status
with_process(struct backend_state *state,
             enum status (*run)(struct backend_state *, ompd_address_space_handle_t *, void *),
             void *argument)
{
    ompd_address_space_handle_t *space;
    ompd_context_enter(&state->context);
    ompd_rc_t rc =
        state->library.call.process_initialize(ompd_context_handle(&state->context), &space);
    enum status status = library_failed(state, "process_initialize", rc);
    if (rc == ompd_rc_ok) {
        status = run(state, space, argument);
        state->library.call.rel_address_space_handle(space);
    }
    ompd_context_leave();
    return status;
}

static enum status
learn(struct backend_state *state, ompd_address_space_handle_t *space, void *unused)
{
    (void) unused;
    if (state->library.call.get_omp_version(space, &state->version) != ompd_rc_ok)
        state->version = 0;
    return find_icvs(state, space);
}

static enum status
start_library(struct backend_state *state)
{
    ompd_word_t version;
    CALL_LIBRARY(state, get_api_version, &version);
    if (version != OMPD_API_VERSION)
        return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED,
                           "%s has version %lld of the interface", state->library.path,
                           (long long) version);
    CALL_LIBRARY(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
    ompd_context_init(&state->context, &state->kmp);
    return with_process(state, learn, NULL);
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

static enum status
library_refresh(struct backend_state *state)
{
    return kmp_refresh(&state->kmp);
}

static enum status
library_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "LLVM OpenMP");
    snprintf(ret->backend, sizeof(ret->backend), "libompd %.240s", state->library.path);
    ret->tracking = state->kmp.tracking;
    ret->version = state->version;
    return STATUS_OK;
}

static enum status
list(struct backend_state *state, ompd_address_space_handle_t *space, void *argument)
{
    struct thread_sink *sink = argument;
    for (uint32_t i = 0; i < state->kmp.capacity; i++) {
        struct kmp_thread thread;
        struct omp_thread out;
        if (kmp_read_thread(&state->kmp, i, &thread) != STATUS_OK)
            continue;
        kmp_start_record(&state->kmp, thread.pthread, &out);
        if (thread.team == 0)
            kmp_record_idle(&out);
        else
            TRY(library_ask_thread(state, space, &thread, &out));
        TRY(sink->emit(sink, &out));
    }
    return STATUS_OK;
}

static enum status
library_threads(struct backend_state *state, struct thread_sink *sink)
{
    return with_process(state, list, sink);
}

const struct backend backend_library = {
    .name = "libompd",
    .detect = kmp_detect,
    .open = library_open,
    .close = library_close,
    .refresh = library_refresh,
    .info = library_info,
    .threads = library_threads,
};

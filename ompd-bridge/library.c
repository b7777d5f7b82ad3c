// SPDX-License-Identifier: BSD-3-Clause
// The backend that asks the OMPD library of LLVM's runtime.
#include "ompd-bridge/backend.h"
#include "ompd-bridge/callbacks.h"
#include "ompd-bridge/kmp_record.h"
#include "ompd-bridge/library_load.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

enum { ICVS_MAX = 256 }; // that a library may enumerate

/** The internal control variables that are asked for. */
enum icv { ICV_THREAD_NUM, ICV_TEAM_SIZE, ICV_LEVELS, ICV_ACTIVE_LEVELS, ICVS };

static const char *const icv_names[ICVS] = {"thread-num-var", "team-size-var", "levels-var",
                                            "active-levels-var"};

struct backend_state {
    struct kmp kmp;
    struct notes *notes;
    struct ompd_library library;
    struct ompd_context context;
    ompd_icv_id_t icvs[ICVS];
    ompd_word_t version; // of OpenMP
};

static enum status
failed(struct backend_state *state, const char *function, ompd_rc_t rc)
{
    return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED, "ompd_%s says %d", function,
                       (int) rc);
}

// Leaves the calling function when a function of the library does not say ok.
#define CALL(state, function, ...)                                   \
    do {                                                             \
        ompd_rc_t rc_ = (state)->library.call.function(__VA_ARGS__); \
        if (rc_ != ompd_rc_ok)                                       \
            return failed(state, #function, rc_);                    \
    } while (0)

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
        CALL(state, enumerate_icvs, space, id, &id, &name, &scope, &more);
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
    enum status status = failed(state, "process_initialize", rc);
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
    CALL(state, get_api_version, &version);
    if (version != OMPD_API_VERSION)
        return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED,
                           "%s has version %lld of the interface", state->library.path,
                           (long long) version);
    CALL(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
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
ask_icv(struct backend_state *state, void *handle, ompd_scope_t scope, enum icv icv, int64_t *ret)
{
    CALL(state, get_icv_from_scope, handle, scope, state->icvs[icv], ret);
    return STATUS_OK;
}

// What libraries say when they are asked for the region around the outermost one.
static bool
is_outermost(ompd_rc_t rc)
{
    return rc == ompd_rc_unavailable || rc == ompd_rc_unsupported;
}

// Whether the region `wanted` is the region of a thread or one that encloses it. Takes over
// `region`.
static enum status
encloses(struct backend_state *state, ompd_parallel_handle_t *wanted,
         ompd_parallel_handle_t *region, bool *ret)
{
    const struct ompd_functions *call = &state->library.call;
    for (unsigned level = 0; level <= KMP_LEVELS_MAX; level++) {
        int order = 1;
        ompd_parallel_handle_t *outer;
        ompd_rc_t rc = call->parallel_handle_compare(wanted, region, &order);
        *ret = rc == ompd_rc_ok && order == 0;
        if (rc == ompd_rc_ok && !*ret)
            rc = call->get_enclosing_parallel_handle(region, &outer);
        call->rel_parallel_handle(region);
        if (*ret || is_outermost(rc))
            return STATUS_OK;
        if (rc != ompd_rc_ok)
            return failed(state, "get_enclosing_parallel_handle", rc);
        region = outer;
    }
    call->rel_parallel_handle(region);
    return failed(state, "get_enclosing_parallel_handle", ompd_rc_error);
}

// As kmp_in_team(): a region is over for a thread when the region's master has left it.
static enum status
is_in_region(struct backend_state *state, ompd_parallel_handle_t *region, bool *ret)
{
    const struct ompd_functions *call = &state->library.call;
    ompd_thread_handle_t *master;
    ompd_parallel_handle_t *masters_region;
    CALL(state, get_thread_in_parallel, region, 0, &master);
    ompd_rc_t rc = call->get_curr_parallel_handle(master, &masters_region);
    call->rel_thread_handle(master);
    if (rc != ompd_rc_ok)
        return failed(state, "get_curr_parallel_handle", rc);
    return encloses(state, region, masters_region, ret);
}

static enum status
ask_region(struct backend_state *state, ompd_thread_handle_t *thread,
           ompd_parallel_handle_t *region, struct omp_thread *out)
{
    bool in_region = false;
    TRY(is_in_region(state, region, &in_region));
    if (!in_region) {
        kmp_record_idle(out);
        return STATUS_OK;
    }
    TRY(ask_icv(state, thread, ompd_scope_thread, ICV_THREAD_NUM, &out->num));
    TRY(ask_icv(state, region, ompd_scope_parallel, ICV_TEAM_SIZE, &out->team_size));
    TRY(ask_icv(state, region, ompd_scope_parallel, ICV_LEVELS, &out->level));
    TRY(ask_icv(state, region, ompd_scope_parallel, ICV_ACTIVE_LEVELS, &out->active_level));
    out->known |= OMP_KNOWS_TEAM;
    return STATUS_OK;
}

static void
ask_state(struct backend_state *state, ompd_thread_handle_t *thread, struct omp_thread *out)
{
    ompd_word_t number;
    ompd_wait_id_t wait_id;
    ompd_rc_t rc = state->library.call.get_state(thread, &number, &wait_id);
    if (rc == ompd_rc_ok && omp_state_valid(number)) {
        out->state = number;
        out->wait_id = wait_id;
        out->known |= OMP_KNOWS_STATE | OMP_KNOWS_WAIT_ID;
    } else {
        out->note =
            rc == ompd_rc_needs_state_tracking ? kmp_note_tracking : "its state makes no sense";
    }
}

static enum status
ask_thread(struct backend_state *state, ompd_thread_handle_t *thread, struct omp_thread *out)
{
    ompd_parallel_handle_t *region;
    CALL(state, get_curr_parallel_handle, thread, &region);
    enum status status = ask_region(state, thread, region, out);
    state->library.call.rel_parallel_handle(region);
    if (status == STATUS_OK && (out->known & OMP_KNOWS_TEAM))
        ask_state(state, thread, out);
    return status;
}

// Asks for the thread by its pthread_t, and believes the pthread_t that the library answers.
static enum status
describe(struct backend_state *state, ompd_address_space_handle_t *space,
         const struct kmp_thread *thread, struct omp_thread *out)
{
    const struct ompd_functions *call = &state->library.call;
    ompd_thread_handle_t *handle;
    uint64_t pthread = thread->pthread;
    CALL(state, get_thread_handle, space, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread,
         &handle);
    ompd_rc_t rc = call->get_thread_id(handle, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread);
    enum status status = failed(state, "get_thread_id", rc);
    if (rc == ompd_rc_ok) {
        kmp_start_record(&state->kmp, pthread, out);
        status = ask_thread(state, handle, out);
    }
    call->rel_thread_handle(handle);
    return status;
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
            TRY(describe(state, space, &thread, &out));
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

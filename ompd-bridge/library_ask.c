// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library about one thread.
#include "ompd-bridge/library.h"

#include "ompd-bridge/kmp_record.h"
#include "ompd-bridge/states.h"

static enum status
ask_icv(struct backend_state *state, void *handle, ompd_scope_t scope, enum icv icv, int64_t *ret)
{
    CALL_LIBRARY(state, get_icv_from_scope, handle, scope, state->icvs[icv], ret);
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
            return library_failed(state, "get_enclosing_parallel_handle", rc);
        region = outer;
    }
    call->rel_parallel_handle(region);
    return library_failed(state, "get_enclosing_parallel_handle", ompd_rc_error);
}

// As kmp_in_team(): a region is over for a thread when the region's master has left it.
static enum status
is_in_region(struct backend_state *state, ompd_parallel_handle_t *region, bool *ret)
{
    const struct ompd_functions *call = &state->library.call;
    ompd_thread_handle_t *master;
    ompd_parallel_handle_t *masters_region;
    CALL_LIBRARY(state, get_thread_in_parallel, region, 0, &master);
    ompd_rc_t rc = call->get_curr_parallel_handle(master, &masters_region);
    call->rel_thread_handle(master);
    if (rc != ompd_rc_ok)
        return library_failed(state, "get_curr_parallel_handle", rc);
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
    CALL_LIBRARY(state, get_curr_parallel_handle, thread, &region);
    enum status status = ask_region(state, thread, region, out);
    state->library.call.rel_parallel_handle(region);
    if (status == STATUS_OK && (out->known & OMP_KNOWS_TEAM))
        ask_state(state, thread, out);
    return status;
}

// Asks for the thread by its pthread_t, and believes the pthread_t that the library answers.
enum status
library_ask_thread(struct backend_state *state, ompd_address_space_handle_t *space,
                   const struct kmp_thread *thread, struct omp_thread *out)
{
    const struct ompd_functions *call = &state->library.call;
    ompd_thread_handle_t *handle;
    uint64_t pthread = thread->pthread;
    CALL_LIBRARY(state, get_thread_handle, space, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread,
                 &handle);
    ompd_rc_t rc = call->get_thread_id(handle, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread);
    enum status status = library_failed(state, "get_thread_id", rc);
    if (rc == ompd_rc_ok) {
        kmp_start_record(&state->kmp, pthread, out);
        status = ask_thread(state, handle, out);
    }
    call->rel_thread_handle(handle);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library for threads, who they are and what they do.
#include "ompd-bridge/library.h"

#include "ompd-bridge/states.h"

static ompd_rc_t
ask_state(struct backend_state *state, ompd_thread_handle_t *thread, ompd_word_t *ret_state,
          ompd_wait_id_t *ret_wait_id)
{
    ompd_word_t number;
    ompd_wait_id_t wait_id;
    ompd_rc_t rc = ASK(state, get_state, thread, &number, &wait_id);
    if (rc != ompd_rc_ok)
        return rc;
    if (!omp_state_valid(number))
        return ompd_rc_error;
    *ret_state = number;
    *ret_wait_id = wait_id;
    return ompd_rc_ok;
}

static ompd_rc_t
ask_handle(struct backend_state *state, uint32_t place, taddr pthread, ompd_thread_handle_t **ret)
{
    *ret = NULL;
    state->context.last_found = place;
    return ASK(state, get_thread_handle, state->space, OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
               &pthread, ret);
}

// States are kept for an OMPT tool too. Then some thread is in one that is not set otherwise.
static bool
shows_tracking(struct backend_state *state)
{
    bool shows = false;
    for (uint32_t i = 0; i < state->kmp.capacity && !shows; i++) {
        struct kmp_thread thread;
        ompd_thread_handle_t *handle;
        ompd_word_t number;
        ompd_wait_id_t wait_id;
        if (kmp_read_thread(&state->kmp, i, &thread) != STATUS_OK ||
            ask_handle(state, i, thread.pthread, &handle) != ompd_rc_ok)
            continue;
        shows = ask_state(state, handle, &number, &wait_id) == ompd_rc_ok &&
                number >= OMP_STATE_wait_barrier;
        (void) ASK(state, rel_thread_handle, handle);
    }
    return shows;
}

bool
library_is_tracking(struct backend_state *state)
{
    if (!state->knows_tracking)
        state->tracking = kmp_is_tracking(&state->kmp) || shows_tracking(state);
    state->knows_tracking = true;
    return state->tracking;
}

static enum status
emit_thread(struct backend_state *state, uint32_t place, taddr pthread, struct object_sink *sink)
{
    struct omp_object object;
    ompd_thread_handle_t *handle;
    ompd_rc_t rc = ask_handle(state, place, pthread, &handle);
    if (rc == ompd_rc_ok)
        rc = library_adopt(state, OMP_THREAD, handle, &object);
    if (rc == ompd_rc_ok)
        return sink->emit(sink, &object);
    if (rc == ompd_rc_nomem)
        return trail_begin(&state->kmp.inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    sink->broken(sink, library_failed(state, "get_thread_handle", rc));
    return STATUS_OK;
}

enum status
library_threads(struct backend_state *state, struct object_sink *sink)
{
    for (uint32_t i = 0; i < state->kmp.capacity; i++) {
        struct kmp_thread thread;
        enum status status = kmp_read_thread(&state->kmp, i, &thread);
        if (status == STATUS_OK)
            TRY(emit_thread(state, i, thread.pthread, sink));
        else if (status != STATUS_ABSENT)
            sink->broken(sink, status);
    }
    return STATUS_OK;
}

ompd_rc_t
library_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                    struct omp_object *ret)
{
    ompd_thread_handle_t *handle = NULL;
    if (id == 0)
        return ompd_rc_unavailable;
    ompd_rc_t rc = ASK(state, get_thread_handle, state->space, kind, sizeof(id), &id, &handle);
    return rc == ompd_rc_ok ? library_adopt(state, OMP_THREAD, handle, ret) : rc;
}

ompd_rc_t
library_thread_id(struct backend_state *state, const struct omp_object *thread,
                  struct omp_thread_id *ret)
{
    struct kmp *kmp = &state->kmp;
    uint64_t pthread = 0;
    int64_t tid = 0;
    ompd_rc_t rc = ASK(state, get_thread_id, library_handle(thread), OMPD_THREAD_ID_PTHREAD,
                       sizeof(pthread), &pthread);
    if (rc != ompd_rc_ok)
        return rc;
    if (pthread != 0 && kmp->has_nptl && nptl_tid(&kmp->nptl, kmp->inf, pthread, &tid) != STATUS_OK)
        tid = 0;
    *ret = (struct omp_thread_id){pthread, tid};
    return ompd_rc_ok;
}

ompd_rc_t
library_thread_state(struct backend_state *state, const struct omp_object *thread,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    return library_is_tracking(state)
               ? ask_state(state, library_handle(thread), ret_state, ret_wait_id)
               : ompd_rc_needs_state_tracking;
}

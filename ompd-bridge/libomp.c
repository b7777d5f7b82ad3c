// SPDX-License-Identifier: BSD-3-Clause
// The native reader of LLVM's OpenMP runtime: answers from the runtime's memory alone.
#include "ompd-bridge/backend.h"
#include "ompd-bridge/kmp_record.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

struct backend_state {
    struct kmp kmp;
    struct notes *notes;
    bool tracking; // states are kept up to date
};

// What the record of a thread says of its state, whether it is kept up to date or not.
static enum status
read_state(const struct kmp *kmp, taddr thread, uint64_t *ret_state, uint64_t *ret_wait_id)
{
    const struct published *t = &kmp->table;
    taddr base = published_addr(t, thread, OFFSET_kmp_info_t__th);
    base = published_addr(t, base, OFFSET_kmp_base_info_t__ompt_thread_info);
    TRY(published_read(t, kmp->inf, base, OFFSET_ompt_thread_info_t__state, ret_state));
    return published_read(t, kmp->inf, base, OFFSET_ompt_thread_info_t__wait_id, ret_wait_id);
}

// Without OMP_DEBUG the runtime keeps states when a tool is loaded in it. Nothing readable says so,
// but then some thread is in a state that the runtime does not set otherwise.
static bool
shows_tracking(const struct kmp *kmp)
{
    for (uint32_t i = 0; i < kmp->capacity; i++) {
        struct kmp_thread thread;
        uint64_t state, wait_id;
        if (kmp_read_thread(kmp, i, &thread) == STATUS_OK &&
            read_state(kmp, thread.addr, &state, &wait_id) == STATUS_OK &&
            state >= OMP_STATE_wait_barrier && omp_state_valid((int64_t) state))
            return true;
    }
    return false;
}

static enum status
libomp_refresh(struct backend_state *state)
{
    TRY(kmp_refresh(&state->kmp));
    state->tracking = state->kmp.tracking || shows_tracking(&state->kmp);
    return STATUS_OK;
}

static enum status
libomp_open(struct inferior *inf, struct notes *notes, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    state->notes = notes;
    enum status status = kmp_find(inf, &state->kmp);
    if (status == STATUS_OK)
        status = libomp_refresh(state);
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

static enum status
libomp_info(struct backend_state *state, struct omp_info *ret)
{
    taddr addr;
    uint64_t version = 0;
    struct inferior *inf = state->kmp.inf;
    if (inferior_symbol(inf, "__kmp_openmp_version", &addr) == STATUS_OK &&
        inferior_read_uint(inf, addr, 4, &version) != STATUS_OK)
        version = 0;
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "LLVM OpenMP");
    snprintf(ret->backend, sizeof(ret->backend), "libomp table");
    ret->tracking = state->tracking;
    ret->version = (int64_t) version;
    return STATUS_OK;
}

static void
fill_state(const struct backend_state *state, taddr thread, struct omp_thread *out)
{
    uint64_t number, wait_id;
    if (!state->tracking) {
        out->note = kmp_note_tracking;
        return;
    }
    if (read_state(&state->kmp, thread, &number, &wait_id) != STATUS_OK ||
        !omp_state_valid((int64_t) number)) {
        out->note = "its state makes no sense";
        return;
    }
    out->state = (int64_t) number;
    out->wait_id = wait_id;
    out->known |= OMP_KNOWS_STATE | OMP_KNOWS_WAIT_ID;
}

static void
fill_team(const struct kmp_thread *thread, const struct kmp_team *team, struct omp_thread *out)
{
    out->num = thread->num;
    out->team_size = team->size;
    out->level = team->level;
    out->active_level = team->active_level;
    out->known |= OMP_KNOWS_TEAM;
}

static void
describe(const struct backend_state *state, const struct kmp_thread *thread, struct omp_thread *out)
{
    const struct kmp *kmp = &state->kmp;
    struct kmp_team team;
    bool in_team;
    kmp_start_record(kmp, thread->pthread, out);
    if (thread->team == 0) {
        kmp_record_idle(out);
        return;
    }
    if (kmp_read_team(kmp, thread->team, &team) != STATUS_OK ||
        kmp_in_team(kmp, thread, &team, &in_team) != STATUS_OK) {
        fill_state(state, thread->addr, out);
        out->note = "its team makes no sense";
    } else if (in_team) {
        fill_team(thread, &team, out);
        fill_state(state, thread->addr, out);
    } else {
        kmp_record_idle(out);
    }
}

static enum status
libomp_threads(struct backend_state *state, struct thread_sink *sink)
{
    for (uint32_t i = 0; i < state->kmp.capacity; i++) {
        struct kmp_thread thread;
        struct omp_thread out;
        enum status status = kmp_read_thread(&state->kmp, i, &thread);
        if (status == STATUS_OK) {
            describe(state, &thread, &out);
            TRY(sink->emit(sink, &out));
        } else if (status != STATUS_ABSENT) {
            notes_add(state->notes, "%s", trail_text(&state->kmp.inf->trail));
            sink->broken(sink, status);
        }
    }
    return STATUS_OK;
}

const struct backend backend_libomp = {
    .name = "libomp table",
    .detect = kmp_detect,
    .open = libomp_open,
    .close = libomp_close,
    .refresh = libomp_refresh,
    .info = libomp_info,
    .threads = libomp_threads,
};

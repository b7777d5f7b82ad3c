// SPDX-License-Identifier: BSD-3-Clause
// What the native reader of LLVM's runtime says of threads.
#include "ompd-bridge/libomp.h"
#include "ompd-bridge/states.h"

// What the record of a thread says of its state, whether it is kept up to date or not.
static enum status
read_state(const struct kmp *kmp, taddr thread, uint64_t *ret_state, uint64_t *ret_wait_id)
{
    const struct published *t = &kmp->table;
    taddr info = kmp_thread_field(kmp, thread, OFFSET_kmp_base_info_t__ompt_thread_info);
    TRY(published_read(t, kmp->inf, info, OFFSET_ompt_thread_info_t__state, ret_state));
    return published_read(t, kmp->inf, info, OFFSET_ompt_thread_info_t__wait_id, ret_wait_id);
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

bool
libomp_tracks(struct backend_state *state)
{
    if (!state->knows_tracking)
        state->tracking = kmp_is_tracking(&state->kmp) || shows_tracking(&state->kmp);
    state->knows_tracking = true;
    return state->tracking;
}

static struct omp_thread_id
id_of(const struct kmp *kmp, const struct kmp_thread *thread)
{
    struct omp_thread_id id = {.pthread = thread->pthread};
    if (thread->pthread != 0 && kmp->has_nptl &&
        nptl_tid(&kmp->nptl, kmp->inf, thread->pthread, &id.tid) != STATUS_OK)
        id.tid = 0;
    return id;
}

static bool
has_id(const struct kmp *kmp, const struct kmp_thread *thread, ompd_thread_id_t kind, uint64_t id)
{
    if (kind == OMPD_THREAD_ID_PTHREAD)
        return thread->pthread == id;
    return (uint64_t) id_of(kmp, thread).tid == id;
}

// Debuggers ask for one thread after the other, so the search begins where the last one ended.
ompd_rc_t
libomp_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                   struct omp_object *ret)
{
    const struct kmp *kmp = &state->kmp;
    if ((kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP) ||
        (kind == OMPD_THREAD_ID_LWP && !kmp->has_nptl))
        return ompd_rc_unsupported;
    for (uint32_t i = 0; i < kmp->capacity && id != 0; i++) {
        uint32_t place = (state->found + i) % kmp->capacity;
        struct kmp_thread thread;
        if (kmp_read_thread(kmp, place, &thread) == STATUS_OK && has_id(kmp, &thread, kind, id)) {
            *ret = (struct omp_object){thread.addr, place};
            state->found = place;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

ompd_rc_t
libomp_thread_id(struct backend_state *state, const struct omp_object *object,
                 struct omp_thread_id *ret)
{
    struct kmp_thread thread;
    ompd_rc_t rc = libomp_read_thread(state, object, &thread);
    if (rc == ompd_rc_ok)
        *ret = id_of(&state->kmp, &thread);
    return rc;
}

ompd_rc_t
libomp_thread_state(struct backend_state *state, const struct omp_object *object,
                    ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    struct kmp_thread thread;
    uint64_t number, wait_id;
    ompd_rc_t rc = libomp_read_thread(state, object, &thread);
    if (rc != ompd_rc_ok)
        return rc;
    if (!libomp_tracks(state))
        return ompd_rc_needs_state_tracking;
    enum status status = read_state(&state->kmp, object->addr, &number, &wait_id);
    if (status != STATUS_OK || !omp_state_valid((int64_t) number))
        return code_of(status == STATUS_OK ? STATUS_CORRUPT : status);
    *ret_state = (ompd_word_t) number;
    *ret_wait_id = wait_id;
    return ompd_rc_ok;
}

// The thread and the team whose region it executes.
static ompd_rc_t
read_working(struct backend_state *state, const struct omp_object *object, taddr *ret_team)
{
    struct kmp_thread thread;
    struct kmp_team team;
    bool in_team;
    ompd_rc_t rc = libomp_read_thread(state, object, &thread);
    if (rc != ompd_rc_ok)
        return rc;
    if (thread.team == 0)
        return ompd_rc_unavailable;
    enum status status = kmp_read_team(&state->kmp, thread.team, &team);
    if (status == STATUS_OK)
        status = kmp_in_team(&state->kmp, &thread, &team, &in_team);
    if (status != STATUS_OK)
        return code_of(status);
    *ret_team = team.addr;
    return in_team ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t
libomp_curr_parallel(struct backend_state *state, const struct omp_object *object,
                     struct omp_object *ret)
{
    taddr team = 0;
    ompd_rc_t rc = read_working(state, object, &team);
    if (rc == ompd_rc_ok)
        *ret = (struct omp_object){.addr = team};
    return rc;
}

ompd_rc_t
libomp_curr_task(struct backend_state *state, const struct omp_object *object,
                 struct omp_object *ret)
{
    const struct kmp *kmp = &state->kmp;
    taddr team = 0, task;
    ompd_rc_t rc = read_working(state, object, &team);
    if (rc != ompd_rc_ok)
        return rc;
    enum status status = published_read(
        &kmp->table, kmp->inf, published_addr(&kmp->table, object->addr, OFFSET_kmp_info_t__th),
        OFFSET_kmp_base_info_t__th_current_task, &task);
    return status == STATUS_OK ? libomp_task_object(state, task, 0, ret) : code_of(status);
}

// SPDX-License-Identifier: BSD-3-Clause
// The native reader of GNU's OpenMP runtime: control variables of threads, regions and tasks.
#include "ompd-bridge/libgomp.h"

const struct omp_icv *
libgomp_icv(struct backend_state *state, unsigned number)
{
    const struct gomp_icv *icv = gomp_icv(number);
    (void) state;
    return icv ? &icv->icv : NULL;
}

static ompd_rc_t
place_value(struct backend_state *state, const struct gomp_icv *icv,
            const struct omp_object *object, ompd_word_t *ret)
{
    const struct gomp_thread *thread = NULL;
    struct gomp_team team = {.addr = 0};
    ompd_rc_t rc = icv->number == PART_NUM ? libgomp_thread(state, object, &thread)
                                           : libgomp_team(state, object, &team);
    if (rc != ompd_rc_ok)
        return rc;
    if (thread && thread->idle)
        return ompd_rc_unavailable;
    const ompd_word_t values[] = {
        [PART_NUM] = thread ? thread->place.num : 0,
        [PART_SIZE] = team.size,
        [PART_LEVEL] = team.level,
        [PART_ACTIVE_LEVEL] = team.active_level,
    };
    *ret = values[icv->number];
    return ompd_rc_ok;
}

// The task whose copy of the variables is asked for: a thread's current one, or the object itself.
static ompd_rc_t
task_of(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
        struct omp_object *ret)
{
    struct omp_object region;
    if (icv->icv.scope == ompd_scope_thread)
        return libgomp_curr_task(state, object, ret);
    *ret = *object;
    return libgomp_task_parallel(state, object, &region);
}

static ompd_rc_t
copy_value(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
           ompd_word_t *ret)
{
    struct omp_object task;
    int64_t value = 0;
    ompd_rc_t rc = task_of(state, icv, object, &task);
    if (rc == ompd_rc_ok)
        rc = libgomp_rc(gomp_icv_read(&state->gomp, task.addr, icv->number, &value));
    if (rc == ompd_rc_ok && icv->is_text)
        rc = ompd_rc_incompatible;
    if (rc == ompd_rc_ok)
        *ret = value;
    return rc;
}

static ompd_rc_t
task_value(struct backend_state *state, const struct gomp_icv *icv, const struct omp_object *object,
           ompd_word_t *ret)
{
    unsigned flag = icv->number == PART_FINAL ? OMP_TASK_FINAL : OMP_TASK_IMPLICIT;
    struct omp_task_flags flags = {0, 0};
    ompd_rc_t rc = libgomp_task_flags(state, object, &flags);
    if (rc == ompd_rc_ok && !(flags.known & flag))
        rc = ompd_rc_unsupported;
    if (rc == ompd_rc_ok)
        *ret = (flags.set & flag) != 0;
    return rc;
}

ompd_rc_t
libgomp_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                  ompd_word_t *ret)
{
    const struct gomp_icv *icv = gomp_icv(number);
    if (!icv)
        return ompd_rc_bad_input;
    switch (icv->source) {
    case GOMP_PLACE:
        return place_value(state, icv, object, ret);
    case GOMP_ICV:
        return copy_value(state, icv, object, ret);
    case GOMP_TASK:
        return task_value(state, icv, object, ret);
    case GOMP_VARIABLE:
        return libgomp_rc(gomp_icv_read_variable(&state->gomp, (enum gomp_fact) icv->number, ret));
    }
    return ompd_rc_error;
}

ompd_rc_t
libgomp_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                 size_t size, char *ret)
{
    const struct gomp_icv *icv = gomp_icv(number);
    struct omp_object task;
    if (!icv)
        return ompd_rc_bad_input;
    if (!icv->is_text)
        return ompd_rc_incompatible;
    ompd_rc_t rc = task_of(state, icv, object, &task);
    if (rc == ompd_rc_ok)
        rc = libgomp_rc(gomp_icv_schedule(&state->gomp, task.addr, size, ret));
    return rc;
}

// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library for control variables, under their names in OpenMP 5.2.
#include "ompd-bridge/code.h"
#include "ompd-bridge/kmp_settings.h"
#include "ompd-bridge/library.h"

#include <stdio.h>
#include <string.h>

enum { ENUMERATED_MAX = 256, OLDER_NAMES = 2 };

struct icv_kind {
    struct omp_icv icv;
    const char *older[OLDER_NAMES];
    ompd_word_t least, most; // values; both 0: it is a text
};

static const struct icv_kind kinds[] = {
    {{"dyn-var", ompd_scope_thread}, {0}, 0, 1},
    {{"nthreads-var", ompd_scope_thread}, {0}, 1, INT32_MAX},
    {{"default-device-var", ompd_scope_thread}, {0}, INT32_MIN, INT32_MAX},
    {{"thread-num-var", ompd_scope_thread}, {"ompd-thread-num-var"}, 0, KMP_THREADS_MAX - 1},
    {{"levels-var", ompd_scope_parallel}, {0}, 0, KMP_LEVELS_MAX},
    {{"active-levels-var", ompd_scope_parallel}, {0}, 0, KMP_LEVELS_MAX},
    {{"team-size-var", ompd_scope_parallel}, {"ompd-team-size-var"}, 1, KMP_THREADS_MAX},
    {{"run-sched-var", ompd_scope_task}, {0}, 0, 0},
    {{"thread-limit-var", ompd_scope_task}, {0}, 1, INT32_MAX},
    {{"max-active-levels-var", ompd_scope_task}, {0}, 0, INT32_MAX},
    {{"bind-var", ompd_scope_task}, {0}, 0, INT32_MAX},
    {{"final-task-var", ompd_scope_task}, {"ompd-final-task-var", "ompd-final-var"}, 0, 1},
    {{"implicit-task-var", ompd_scope_task}, {"ompd-implicit-task-var", "ompd-implicit-var"}, 0, 1},
    {{"stacksize-var", ompd_scope_address_space}, {0}, 0, INT64_MAX},
    {{"cancel-var", ompd_scope_address_space}, {0}, 0, 1},
    {{"max-task-priority-var", ompd_scope_address_space}, {0}, 0, INT32_MAX},
    {{"debug-var", ompd_scope_address_space}, {0}, 0, 1},
    {{"display-affinity-var", ompd_scope_address_space}, {0}, 0, 1},
    {{"affinity-format-var", ompd_scope_address_space}, {0}, 0, 0},
    {{"tool-var", ompd_scope_address_space}, {0}, 0, 1},
    {{"tool-libraries-var", ompd_scope_address_space}, {0}, 0, 0},
    {{"tool-verbose-init-var", ompd_scope_address_space}, {0}, 0, 0},
    {{"num-procs-var", ompd_scope_address_space}, {"ompd-num-procs-var"}, 1, INT32_MAX},
};

static const unsigned n_kinds = sizeof(kinds) / sizeof(kinds[0]);
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) <= LIBRARY_ICVS,
               "struct backend_state has too little room");

static bool
is_named(const struct icv_kind *kind, const char *name)
{
    bool same = strcmp(kind->icv.name, name) == 0;
    for (unsigned i = 0; i < OLDER_NAMES && kind->older[i]; i++)
        same = same || strcmp(kind->older[i], name) == 0;
    return same;
}

// The first of several names for one variable is enough.
static void
take(ompd_icv_id_t *ids, const char *name, ompd_scope_t scope, ompd_icv_id_t id)
{
    for (unsigned i = 0; i < n_kinds; i++)
        if (ids[i] == 0 && kinds[i].icv.scope == scope && is_named(&kinds[i], name))
            ids[i] = id;
}

// In the order of the table, whatever the library's is.
static void
keep(struct backend_state *state, const ompd_icv_id_t *ids)
{
    for (unsigned i = 0; i < n_kinds; i++)
        if (ids[i] != 0)
            state->icvs[state->n_icvs++] = (struct library_icv){&kinds[i], ids[i]};
}

static const struct library_icv *
find(const struct backend_state *state, const char *name)
{
    for (unsigned i = 0; i < state->n_icvs; i++)
        if (strcmp(state->icvs[i].kind->icv.name, name) == 0)
            return &state->icvs[i];
    return NULL;
}

static bool
has_all_needed(const struct backend_state *state)
{
    static const char *const needed[] = {"thread-num-var", "team-size-var", "levels-var",
                                         "active-levels-var", "implicit-task-var"};
    for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!find(state, needed[i]))
            return false;
    return true;
}

enum status
library_learn_icvs(struct backend_state *state)
{
    ompd_icv_id_t ids[LIBRARY_ICVS] = {0}, id = 0;
    int more = 1;
    for (unsigned i = 0; more && i < ENUMERATED_MAX; i++) {
        const char *name = NULL;
        ompd_scope_t scope = ompd_scope_global;
        if (ASK(state, enumerate_icvs, state->space, id, &id, &name, &scope, &more) != ompd_rc_ok ||
            !name)
            break;
        take(ids, name, scope, id);
        ompd_context_drop(&state->context);
    }
    keep(state, ids);
    if (!has_all_needed(state))
        return trail_begin(&state->kmp.inf->trail, STATUS_UNSUPPORTED, "%s lacks control variables",
                           state->library.path);
    return STATUS_OK;
}

const struct omp_icv *
library_icv(struct backend_state *state, unsigned number)
{
    return number < state->n_icvs ? &state->icvs[number].kind->icv : NULL;
}

static void *
handle_of(struct backend_state *state, ompd_scope_t scope, const struct omp_object *object)
{
    return scope == ompd_scope_address_space ? state->space : library_handle(object);
}

static ompd_rc_t
ask_text(struct backend_state *state, const struct library_icv *icv,
         const struct omp_object *object, const char **ret)
{
    ompd_scope_t scope = icv->kind->icv.scope;
    *ret = NULL;
    ompd_rc_t rc =
        ASK(state, get_icv_string_from_scope, handle_of(state, scope, object), scope, icv->id, ret);
    return rc == ompd_rc_ok && !*ret ? ompd_rc_error : rc;
}

// libompd also calls a variable a list when no list was ever given.
static bool
is_list(struct backend_state *state, const struct library_icv *icv, const struct omp_object *object)
{
    const char *text;
    ompd_rc_t rc = ask_text(state, icv, object, &text);
    bool list = rc != ompd_rc_ok || strchr(text, ',');
    ompd_context_drop(&state->context);
    return list;
}

static ompd_rc_t
ask_value(struct backend_state *state, const struct library_icv *icv,
          const struct omp_object *object, ompd_word_t *ret)
{
    const struct icv_kind *kind = icv->kind;
    ompd_word_t value = 0;
    ompd_rc_t rc = ASK(state, get_icv_from_scope, handle_of(state, kind->icv.scope, object),
                       kind->icv.scope, icv->id, &value);
    if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
        return rc;
    if (value < kind->least || value > kind->most)
        return ompd_rc_error;
    if (rc == ompd_rc_incomplete && !is_list(state, icv, object))
        rc = ompd_rc_ok;
    *ret = value;
    return rc;
}

// Variables of a thread are those of what it executes: none has one that waits between regions.
static ompd_rc_t
check_icv(struct backend_state *state, const struct omp_object *object, unsigned number)
{
    struct omp_object region;
    if (number >= state->n_icvs)
        return ompd_rc_bad_input;
    if (state->icvs[number].kind->icv.scope != ompd_scope_thread)
        return ompd_rc_ok;
    ompd_rc_t rc = library_curr_parallel(state, object, &region);
    if (rc == ompd_rc_ok)
        library_release(state, OMP_PARALLEL, &region);
    return rc;
}

ompd_rc_t
library_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                  ompd_word_t *ret)
{
    ompd_rc_t rc = check_icv(state, object, number);
    return rc == ompd_rc_ok ? ask_value(state, &state->icvs[number], object, ret) : rc;
}

ompd_rc_t
library_icv_named(struct backend_state *state, const struct omp_object *object, const char *name,
                  ompd_word_t *ret)
{
    const struct library_icv *icv = find(state, name);
    return icv ? ask_value(state, icv, object, ret) : ompd_rc_unsupported;
}

taddr
library_icv_place(struct backend_state *state, void *handle, const char *name)
{
    const struct library_icv *icv = find(state, name);
    ompd_word_t unused;
    if (!icv)
        return 0;
    (void) ASK(state, get_icv_from_scope, handle, icv->kind->icv.scope, icv->id, &unused);
    return state->context.last_read;
}

ompd_rc_t
library_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                 size_t size, char *ret)
{
    const char *text;
    ompd_rc_t rc = check_icv(state, object, number);
    if (rc == ompd_rc_bad_input)
        return rc;
    ompd_rc_t answer = ask_text(state, &state->icvs[number], object, &text);
    if (rc == ompd_rc_ok && answer == ompd_rc_ok)
        snprintf(ret, size, "%s", text);
    ompd_context_drop(&state->context);
    if (answer == ompd_rc_unsupported)
        return ompd_rc_incompatible;
    return rc == ompd_rc_ok ? answer : rc;
}

// Not asked of the library, whose list has the values from before the runtime looked at the
// environment.
ompd_rc_t
library_control_vars(struct backend_state *state, struct text_sink *sink)
{
    enum status status = kmp_control_vars(&state->kmp, sink);
    return status == STATUS_UNSUPPORTED ? ompd_rc_unavailable : code_of(status);
}

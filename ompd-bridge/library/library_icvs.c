// SPDX-License-Identifier: BSD-3-Clause
// Asks an OMPD library for control variables, under their names in OpenMP 5.2.
#include "ompd-bridge/icv_names.h"
#include "ompd-bridge/library/library.h"

#include <stdio.h>
#include <string.h>

enum { ENUMERATED_MAX = 256 };

static bool
is_known(const struct backend_state *state, const char *name, ompd_scope_t scope)
{
    for (unsigned i = 0; i < state->n_icvs; i++)
        if (state->icvs[i].icv.scope == scope && strcmp(state->icvs[i].name, name) == 0)
            return true;
    return false;
}

// The first of several names for one variable is enough.
static void
take(struct backend_state *state, const char *listed, ompd_scope_t scope, ompd_icv_id_t id)
{
    const char *name = icv_name(listed);
    bool fits = strnlen(name, LIBRARY_ICV_NAME) < LIBRARY_ICV_NAME &&
                scope >= ompd_scope_address_space && scope <= ompd_scope_task;
    if (!fits || state->n_icvs == LIBRARY_ICVS || is_known(state, name, scope))
        return;
    struct library_icv *icv = &state->icvs[state->n_icvs++];
    snprintf(icv->name, sizeof(icv->name), "%s", name);
    text_make_harmless(icv->name);
    icv->icv = (struct omp_icv){icv->name, scope};
    icv->id = id;
}

void
library_learn_icvs(struct backend_state *state)
{
    ompd_icv_id_t id = 0;
    int more = 1;
    for (unsigned i = 0; more && i < ENUMERATED_MAX; i++) {
        const char *name = NULL;
        ompd_scope_t scope = ompd_scope_global;
        if (ASK(state, enumerate_icvs, state->space, id, &id, &name, &scope, &more) != ompd_rc_ok ||
            !name)
            return;
        take(state, name, scope, id);
        ompd_context_drop(&state->context);
    }
}

const struct omp_icv *
library_icv(struct backend_state *state, unsigned number)
{
    return number < state->n_icvs ? &state->icvs[number].icv : NULL;
}

static void *
handle_of(const struct backend_state *state, ompd_scope_t scope, const struct omp_object *object)
{
    return scope == ompd_scope_address_space ? state->space : library_handle(state, object);
}

ompd_rc_t
library_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                  ompd_word_t *ret)
{
    if (number >= state->n_icvs)
        return ompd_rc_bad_input;
    const struct library_icv *icv = &state->icvs[number];
    ompd_word_t value = 0;
    ompd_rc_t rc = ASK(state, get_icv_from_scope, handle_of(state, icv->icv.scope, object),
                       icv->icv.scope, icv->id, &value);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        *ret = value;
    return rc;
}

// For a number, which has no text, libompd returns "unsupported".
ompd_rc_t
library_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                 size_t size, char *ret)
{
    if (number >= state->n_icvs)
        return ompd_rc_bad_input;
    const struct library_icv *icv = &state->icvs[number];
    const char *text = NULL;
    ompd_rc_t rc = ASK(state, get_icv_string_from_scope, handle_of(state, icv->icv.scope, object),
                       icv->icv.scope, icv->id, &text);
    if (rc == ompd_rc_ok && !text)
        rc = ompd_rc_error;
    if (rc == ompd_rc_ok)
        snprintf(ret, size, "%s", text);
    ompd_context_drop(&state->context);
    return rc == ompd_rc_unsupported ? ompd_rc_incompatible : rc;
}

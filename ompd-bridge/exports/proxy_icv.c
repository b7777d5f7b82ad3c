// SPDX-License-Identifier: BSD-3-Clause
// Internal control variables, under their names of OpenMP 5.2 and of 5.0.
//
// A variable's id is its number with its reader + 1; those of old names stand above all others.
#include "ompd-bridge/exports/proxy.h"

#include "ompd-bridge/icv_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIAS_BASE = 1 << 16 }; // id of the first old name

/** What an id stands for. */
struct variable {
    const char *name;
    unsigned number; // with its reader
    ompd_scope_t scope;
};

ompd_rc_t
proxy_kind_of(ompd_scope_t scope, enum omp_kind *ret)
{
    switch (scope) {
    case ompd_scope_global:
    case ompd_scope_address_space:
        *ret = OMP_SPACE;
        return ompd_rc_ok;
    case ompd_scope_thread:
        *ret = OMP_THREAD;
        return ompd_rc_ok;
    case ompd_scope_parallel:
        *ret = OMP_PARALLEL;
        return ompd_rc_ok;
    case ompd_scope_implicit_task:
    case ompd_scope_task:
        *ret = OMP_TASK;
        return ompd_rc_ok;
    default:
        return ompd_rc_bad_input;
    }
}

static const struct omp_icv *
icv_at(const struct reader *reader, uint64_t number)
{
    if (!reader->backend->icv || number >= ALIAS_BASE - 1)
        return NULL;
    return reader->backend->icv(reader->state, (unsigned) number);
}

static bool
find_alias(const struct reader *reader, uint64_t alias, struct variable *ret)
{
    const struct omp_icv *icv;
    if (alias >= OLD_ICV_NAMES)
        return false;
    for (unsigned i = 0; (icv = icv_at(reader, i)); i++)
        if (strcmp(icv->name, old_icv_names[alias].name) == 0) {
            *ret = (struct variable){old_icv_names[alias].old, i, icv->scope};
            return true;
        }
    return false;
}

static bool
find_variable(const struct reader *reader, ompd_icv_id_t id, struct variable *ret)
{
    if (id >= ALIAS_BASE)
        return find_alias(reader, id - ALIAS_BASE, ret);
    const struct omp_icv *icv = id == 0 ? NULL : icv_at(reader, id - 1);
    if (icv)
        *ret = (struct variable){icv->name, (unsigned) (id - 1), icv->scope};
    return icv != NULL;
}

// The id after this one, and what it stands for; 0 after the last.
static ompd_icv_id_t
next_id(const struct reader *reader, ompd_icv_id_t id, struct variable *ret)
{
    if (id < ALIAS_BASE && find_variable(reader, ++id, ret))
        return id;
    for (id = id < ALIAS_BASE ? ALIAS_BASE : id + 1; id < ALIAS_BASE + OLD_ICV_NAMES; id++)
        if (find_variable(reader, id, ret))
            return id;
    return 0;
}

EXPORT ompd_rc_t
ompd_enumerate_icvs(ompd_address_space_handle_t *space, ompd_icv_id_t current,
                    ompd_icv_id_t *ret_id, const char **ret_name, ompd_scope_t *ret_scope,
                    int *ret_more)
{
    const struct reader *reader;
    struct variable variable, unused;
    const void *complete = ret_id && ret_name && ret_scope ? ret_more : NULL;
    RC_TRY(proxy_find_space(space, complete, &reader));
    if (!reader->backend->icv)
        return ompd_rc_unsupported;
    if (current != 0 && !find_variable(reader, current, &unused))
        return ompd_rc_bad_input;
    ompd_icv_id_t id = next_id(reader, current, &variable);
    if (id == 0)
        return ompd_rc_bad_input;
    RC_TRY(proxy_copy(variable.name, ret_name));
    *ret_id = id;
    *ret_scope = variable.scope;
    *ret_more = next_id(reader, id, &unused) != 0;
    return ompd_rc_ok;
}

/** A question about a variable. */
struct inquiry {
    const struct reader *reader;
    const struct omp_object *object; // NULL: of the address space
    unsigned number;
};

// The handle and the reader that a scope's variables are asked of.
static ompd_rc_t
enter_scope(const void *opaque, ompd_scope_t scope, const void *ret, struct inquiry *ret_inquiry)
{
    enum omp_kind kind;
    struct proxy_process *process;
    const struct handle *handle;
    if (!opaque)
        return ompd_rc_stale_handle;
    RC_TRY(proxy_kind_of(scope, &kind));
    if (kind == OMP_SPACE) {
        ret_inquiry->object = NULL;
        return proxy_enter_space(opaque, ret, &process, &ret_inquiry->reader);
    }
    RC_TRY(proxy_enter(opaque, kind, ret, &handle));
    ret_inquiry->reader = handle->reader;
    ret_inquiry->object = &handle->object;
    return ompd_rc_ok;
}

// A scope other than the variable's own is refused.
static ompd_rc_t
inquire(const void *opaque, ompd_scope_t scope, ompd_icv_id_t id, const void *ret,
        struct inquiry *ret_inquiry)
{
    struct variable variable;
    RC_TRY(enter_scope(opaque, scope, ret, ret_inquiry));
    if (!ret_inquiry->reader->backend->icv)
        return ompd_rc_unsupported;
    if (!find_variable(ret_inquiry->reader, id, &variable) || variable.scope != scope)
        return ompd_rc_bad_input;
    ret_inquiry->number = variable.number;
    return ompd_rc_ok;
}

static ompd_rc_t
ask_value(const struct inquiry *inquiry, ompd_word_t *ret)
{
    return READER_ASK(inquiry->reader, icv_value, inquiry->object, inquiry->number, ret);
}

// A list gives its first element and the code for more.
EXPORT ompd_rc_t
ompd_get_icv_from_scope(void *opaque, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *ret)
{
    struct inquiry inquiry;
    ompd_word_t value;
    RC_TRY(inquire(opaque, scope, id, ret, &inquiry));
    ompd_rc_t rc = ask_value(&inquiry, &value);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        *ret = value;
    return rc;
}

// Every variable has a text; that of a number is the number.
static ompd_rc_t
ask_text(const struct inquiry *inquiry, size_t size, char *ret)
{
    ompd_word_t value;
    ompd_rc_t rc =
        READER_ASK(inquiry->reader, icv_text, inquiry->object, inquiry->number, size, ret);
    if (rc != ompd_rc_incompatible && rc != ompd_rc_unsupported)
        return rc;
    RC_TRY(ask_value(inquiry, &value));
    snprintf(ret, size, "%" PRId64, value);
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_icv_string_from_scope(void *opaque, ompd_scope_t scope, ompd_icv_id_t id, const char **ret)
{
    struct inquiry inquiry;
    char text[4096] = "";
    RC_TRY(inquire(opaque, scope, id, ret, &inquiry));
    RC_TRY(ask_text(&inquiry, sizeof(text), text));
    return proxy_copy(text, ret);
}

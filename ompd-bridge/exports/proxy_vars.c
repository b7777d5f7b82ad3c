// SPDX-License-Identifier: BSD-3-Clause
// What a tool lists by name: internal control variables, under their names of OpenMP 5.2 and
// of 5.0, states, and the variables that a runtime was started with.
//
// A control variable's id is its place in the list, from 1 on. Its old names follow it there, with
// ids of their own.
#include "ompd-bridge/exports/proxy.h"

#include "ompd-bridge/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** What an id stands for. */
struct variable {
    const char *name;
    const struct omp_icv *icv;
};

ompd_rc_t
proxy_kind_of(ompd_scope_t scope, enum omp_kind *ret)
{
    static const enum omp_kind kinds[] = {
        [ompd_scope_global] = OMP_SPACE,       [ompd_scope_address_space] = OMP_SPACE,
        [ompd_scope_thread] = OMP_THREAD,      [ompd_scope_parallel] = OMP_PARALLEL,
        [ompd_scope_implicit_task] = OMP_TASK, [ompd_scope_task] = OMP_TASK,
    };
    if (scope < ompd_scope_global || scope > ompd_scope_task)
        return ompd_rc_bad_input;
    *ret = kinds[scope];
    return ompd_rc_ok;
}

static bool
find_variable(const struct reader *reader, ompd_icv_id_t id, struct variable *ret)
{
    ompd_icv_id_t count = 0;
    for (unsigned i = 0; (ret->icv = reader_icv_at(reader, i)); i++) {
        ret->name = ret->icv->name;
        if (++count == id)
            return true;
        for (size_t old = 0; old < OLD_ICV_NAMES; old++)
            if (strcmp(ret->icv->name, old_icv_names[old].name) == 0 && ++count == id) {
                ret->name = old_icv_names[old].old;
                return true;
            }
    }
    return false;
}

EXPORT ompd_rc_t
ompd_enumerate_icvs(ompd_address_space_handle_t *space, ompd_icv_id_t current,
                    ompd_icv_id_t *ret_id, const char **ret_name, ompd_scope_t *ret_scope,
                    int *ret_more)
{
    struct proxy_process *process;
    struct variable variable, unused;
    const void *complete = ret_id && ret_name && ret_scope ? ret_more : NULL;
    RC_TRY(proxy_find_space(space, complete, &process));
    const struct reader *reader = &process->active.reader;
    if (!reader->backend->icv)
        return ompd_rc_unsupported;
    if (!find_variable(reader, current + 1, &variable))
        return ompd_rc_bad_input;
    RC_TRY(proxy_copy(variable.name, ret_name));
    *ret_id = current + 1;
    *ret_scope = variable.icv->scope;
    *ret_more = find_variable(reader, current + 2, &unused);
    return ompd_rc_ok;
}

/** A question about a variable. */
struct inquiry {
    const struct reader *reader;
    const struct omp_object *object; // NULL: of the address space
    const struct omp_icv *icv;
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
        RC_TRY(proxy_enter_space(opaque, ret, &process));
        ret_inquiry->reader = &process->active.reader;
        ret_inquiry->object = NULL;
        return ompd_rc_ok;
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
    if (!find_variable(ret_inquiry->reader, id, &variable) || variable.icv->scope != scope)
        return ompd_rc_bad_input;
    ret_inquiry->icv = variable.icv;
    return ompd_rc_ok;
}

static ompd_rc_t
ask_value(const struct inquiry *inquiry, ompd_word_t *ret)
{
    return ICV_ASK(inquiry->reader, inquiry->icv, number, inquiry->object, ret);
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
    ompd_rc_t rc = ICV_ASK(inquiry->reader, inquiry->icv, text, inquiry->object, size, ret);
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

// The place of the state after this one, in the order in which they are listed. The last one is
// also where the tool begins.
static bool
find_next(ompd_word_t current, unsigned *ret)
{
    int64_t state;
    const char *name;
    *ret = 0;
    if (current == OMP_STATE_undefined)
        return true;
    while (omp_state_at((*ret)++, &state, &name))
        if (state == current)
            return true;
    return false;
}

EXPORT ompd_rc_t
ompd_enumerate_states(ompd_address_space_handle_t *space, ompd_word_t current,
                      ompd_word_t *ret_state, const char **ret_name, ompd_word_t *ret_more)
{
    struct handle *handle;
    unsigned place;
    char name[64];
    const char *own;
    int64_t state;
    RC_TRY(handles_find(&proxy_get()->handles, space, OMP_SPACE, &handle));
    if (!ret_state || !ret_name || !ret_more || !find_next(current, &place) ||
        !omp_state_at(place, &state, &own))
        return ompd_rc_bad_input;
    snprintf(name, sizeof(name), "ompt_state_%s", own);
    RC_TRY(proxy_copy(name, ret_name));
    *ret_state = state;
    *ret_more = state != OMP_STATE_undefined;
    return ompd_rc_ok;
}

/** Counts texts, and copies them into a block when there is one. */
struct collector {
    struct text_sink sink;
    size_t count, size;      // of the texts so far; bytes with their NULs
    size_t room_count, room; // of the block
    const char **vector;     // NULL: only counts
    char *texts;
};

static enum status
collect(struct text_sink *sink, const char *text)
{
    struct collector *collector = (struct collector *) sink;
    size_t size = strlen(text) + 1;
    if (collector->vector) {
        if (collector->count == collector->room_count || size > collector->room - collector->size)
            return STATUS_NOMEM;
        memcpy(collector->texts + collector->size, text, size);
        collector->vector[collector->count] = collector->texts + collector->size;
    }
    collector->count++;
    collector->size += size;
    return STATUS_OK;
}

// A vector that ends with NULL, and behind it the texts.
static bool
make_room(struct collector *collector)
{
    size_t vector_size = (collector->count + 1) * sizeof(*collector->vector);
    struct proxy_text *block = proxy_text_add(&proxy_get()->vectors, vector_size + collector->size);
    if (!block)
        return false;
    memset(block->bytes, 0, vector_size);
    *collector = (struct collector){.sink = collector->sink,
                                    .room_count = collector->count,
                                    .room = collector->size,
                                    .vector = (const char **) (void *) block->bytes,
                                    .texts = block->bytes + vector_size};
    return true;
}

EXPORT ompd_rc_t
ompd_get_display_control_vars(ompd_address_space_handle_t *space, const char *const **ret)
{
    struct collector collector = {.sink = {collect}};
    struct proxy_process *process;
    RC_TRY(proxy_enter_space(space, ret, &process));
    const struct reader *reader = &process->active.reader;
    RC_TRY(READER_ASK(reader, control_vars, &collector.sink));
    if (!make_room(&collector))
        return ompd_rc_nomem;
    ompd_rc_t rc = READER_ASK(reader, control_vars, &collector.sink);
    if (rc == ompd_rc_ok)
        *ret = collector.vector;
    else
        proxy_text_remove(&proxy_get()->vectors, collector.vector);
    return rc;
}

// Takes the vector, or the place where the tool keeps it: the documents leave open which.
EXPORT ompd_rc_t
ompd_rel_display_control_vars(const char *const **vector)
{
    struct proxy *proxy = proxy_get();
    if (!vector)
        return ompd_rc_bad_input;
    return proxy_text_remove(&proxy->vectors, vector) || proxy_text_remove(&proxy->vectors, *vector)
               ? ompd_rc_ok
               : ompd_rc_bad_input;
}

// SPDX-License-Identifier: BSD-3-Clause
// Asks each function of the OMPD interface in one way.
#include "tests/omp/proxy_rows.h"
#include "tests/omp/ompd_tool.h"

#include <check.h>
#include <stdlib.h>

struct ompd_functions api;

// What results hold before a question.
static char untouched[] = "untouched";

#define OUT(n, variable) (null == (n) ? NULL : &(variable))

#define WALK(name, from_kind, to_type, release, ...)             \
    static ompd_rc_t ask_##name(void *handle, unsigned null)     \
    {                                                            \
        to_type *to = (void *) untouched;                        \
        ompd_rc_t rc = api.name(handle, __VA_ARGS__ OUT(1, to)); \
        if (rc == ompd_rc_ok)                                    \
            ck_assert_int_eq(api.release(to), ompd_rc_ok);       \
        else                                                     \
            ck_assert_ptr_eq(to, untouched);                     \
        return rc;                                               \
    }
#define COMMA ,

WALK(get_curr_parallel_handle, OMP_THREAD, ompd_parallel_handle_t, rel_parallel_handle, )
WALK(get_enclosing_parallel_handle, OMP_PARALLEL, ompd_parallel_handle_t, rel_parallel_handle, )
WALK(get_task_parallel_handle, OMP_TASK, ompd_parallel_handle_t, rel_parallel_handle, )
WALK(get_curr_task_handle, OMP_THREAD, ompd_task_handle_t, rel_task_handle, )
WALK(get_generating_task_handle, OMP_TASK, ompd_task_handle_t, rel_task_handle, )
WALK(get_scheduling_task_handle, OMP_TASK, ompd_task_handle_t, rel_task_handle, )
WALK(get_thread_in_parallel, OMP_PARALLEL, ompd_thread_handle_t, rel_thread_handle, 0 COMMA)
WALK(get_task_in_parallel, OMP_PARALLEL, ompd_task_handle_t, rel_task_handle, 0 COMMA)

#define COMPARE(name)                                           \
    static ompd_rc_t ask_##name(void *handle, unsigned null)    \
    {                                                           \
        int order = 99;                                         \
        ompd_rc_t rc = api.name(handle, handle, OUT(1, order)); \
        ck_assert_int_eq(order, rc == ompd_rc_ok ? 0 : 99);     \
        return rc;                                              \
    }

COMPARE(thread_handle_compare)
COMPARE(parallel_handle_compare)
COMPARE(task_handle_compare)

static ompd_rc_t
ask_get_omp_version(void *handle, unsigned null)
{
    ompd_word_t version = -99;
    ompd_rc_t rc = api.get_omp_version(handle, OUT(1, version));
    ck_assert((rc == ompd_rc_ok) == (version != -99));
    return rc;
}

// A text that the tool owns afterwards.
static void
check_text(ompd_rc_t rc, const char *text)
{
    if (rc != ompd_rc_ok) {
        ck_assert_ptr_eq(text, untouched);
        return;
    }
    ck_assert_ptr_ne(text, untouched);
    tool_free(text);
}

static ompd_rc_t
ask_get_omp_version_string(void *handle, unsigned null)
{
    const char *text = untouched;
    ompd_rc_t rc = api.get_omp_version_string(handle, OUT(1, text));
    check_text(rc, text);
    return rc;
}

// No thread has this id, so that the answer is at best that it is none of OpenMP's.
static ompd_rc_t
ask_get_thread_handle(void *handle, unsigned null)
{
    ompd_thread_handle_t *thread = (void *) untouched;
    const uint64_t id = 0x7fffffff;
    ompd_rc_t rc = api.get_thread_handle(handle, OMPD_THREAD_ID_LWP, sizeof(id),
                                         null == 2 ? NULL : &id, OUT(1, thread));
    ck_assert_ptr_eq(thread, untouched);
    return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

static ompd_rc_t
ask_get_thread_id(void *handle, unsigned null)
{
    uint64_t id = 99;
    ompd_rc_t rc = api.get_thread_id(handle, OMPD_THREAD_ID_PTHREAD, sizeof(id), OUT(1, id));
    ck_assert((rc == ompd_rc_ok) == (id != 99));
    return rc;
}

static ompd_rc_t
ask_get_state(void *handle, unsigned null)
{
    ompd_word_t state = -99;
    ompd_wait_id_t wait_id;
    ompd_rc_t rc = api.get_state(handle, OUT(1, state), &wait_id);
    ck_assert((rc == ompd_rc_ok) == (state != -99));
    return rc == ompd_rc_needs_state_tracking ? ompd_rc_ok : rc;
}

static ompd_rc_t
ask_get_task_function(void *handle, unsigned null)
{
    ompd_address_t address = {99, 99};
    ompd_rc_t rc = api.get_task_function(handle, OUT(1, address));
    ck_assert((rc == ompd_rc_ok) == (address.segment == 0));
    return rc;
}

static ompd_rc_t
ask_get_task_frame(void *handle, unsigned null)
{
    ompd_frame_info_t out = {{99, 99}, 99}, in = {{99, 99}, 99};
    ompd_rc_t rc = api.get_task_frame(handle, OUT(1, out), OUT(2, in));
    ck_assert((rc == ompd_rc_ok) == (out.frame_address.segment == 0));
    ck_assert((rc == ompd_rc_ok) == (in.frame_address.segment == 0));
    return rc == ompd_rc_needs_state_tracking ? ompd_rc_ok : rc;
}

static ompd_rc_t
ask_enumerate_states(void *handle, unsigned null)
{
    ompd_word_t state = -99, more = -99;
    const char *name = untouched;
    ompd_rc_t rc = api.enumerate_states(handle, 0x102, OUT(1, state), OUT(2, name), OUT(3, more));
    check_text(rc, name);
    ck_assert((rc == ompd_rc_ok) == (state != -99) && (rc == ompd_rc_ok) == (more != -99));
    return rc;
}

static ompd_rc_t
ask_get_display_control_vars(void *handle, unsigned null)
{
    const char *const *vector = (void *) untouched;
    ompd_rc_t rc = api.get_display_control_vars(handle, OUT(1, vector));
    if (rc == ompd_rc_ok)
        ck_assert_int_eq(api.rel_display_control_vars(&vector), ompd_rc_ok);
    else
        ck_assert_ptr_eq(vector, untouched);
    return rc;
}

static ompd_rc_t
ask_enumerate_icvs(void *handle, unsigned null)
{
    ompd_icv_id_t id = 99;
    const char *name = untouched;
    ompd_scope_t scope = 0;
    int more = -99;
    ompd_rc_t rc =
        api.enumerate_icvs(handle, 0, OUT(1, id), OUT(2, name), OUT(3, scope), OUT(4, more));
    check_text(rc, name);
    ck_assert((rc == ompd_rc_ok) == (id != 99) && (rc == ompd_rc_ok) == (more != -99));
    return rc;
}

ompd_address_space_handle_t *asked_space;

static ompd_icv_id_t
first_of(ompd_scope_t wanted)
{
    ompd_icv_id_t id = 0;
    ompd_scope_t scope = 0;
    int more = 1;
    while (more && scope != wanted) {
        const char *name;
        if (api.enumerate_icvs(asked_space, id, &id, &name, &scope, &more) != ompd_rc_ok)
            return 1;
        tool_free(name);
    }
    return id;
}

static ompd_rc_t
ask_value(void *handle, ompd_scope_t scope, unsigned null)
{
    ompd_word_t value = -99;
    ompd_rc_t rc = api.get_icv_from_scope(handle, scope, first_of(scope), OUT(1, value));
    ck_assert((rc == ompd_rc_ok || rc == ompd_rc_incomplete) == (value != -99));
    return rc == ompd_rc_incomplete || rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
}

static ompd_rc_t
ask_get_icv_from_scope(void *handle, unsigned null)
{
    return ask_value(handle, ompd_scope_address_space, null);
}

static ompd_rc_t
ask_get_icv_from_thread(void *handle, unsigned null)
{
    return ask_value(handle, ompd_scope_thread, null);
}

static ompd_rc_t
ask_get_icv_from_parallel(void *handle, unsigned null)
{
    return ask_value(handle, ompd_scope_parallel, null);
}

static ompd_rc_t
ask_get_icv_from_task(void *handle, unsigned null)
{
    return ask_value(handle, ompd_scope_task, null);
}

static ompd_rc_t
ask_get_icv_string_from_scope(void *handle, unsigned null)
{
    const char *text = untouched;
    ompd_rc_t rc = api.get_icv_string_from_scope(handle, ompd_scope_parallel,
                                                 first_of(ompd_scope_parallel), OUT(1, text));
    check_text(rc, text);
    return rc;
}

static ompd_rc_t
ask_get_tool_data(void *handle, unsigned null)
{
    ompd_word_t value = -99;
    ompd_address_t ptr = {99, 99};
    ompd_rc_t rc = api.get_tool_data(handle, ompd_scope_task, OUT(1, value), OUT(2, ptr));
    ck_assert((rc == ompd_rc_ok) == (ptr.segment == 0));
    return rc;
}

#define ROW(kind, n_outs, name)         \
    {                                   \
#name, kind, n_outs, ask_##name \
    }

const struct proxy_row proxy_rows[PROXY_ROWS] = {
    ROW(OMP_SPACE, 1, get_omp_version),
    ROW(OMP_SPACE, 1, get_omp_version_string),
    ROW(OMP_SPACE, 2, get_thread_handle),
    ROW(OMP_SPACE, 3, enumerate_states),
    ROW(OMP_SPACE, 1, get_display_control_vars),
    ROW(OMP_SPACE, 4, enumerate_icvs),
    ROW(OMP_SPACE, 1, get_icv_from_scope),
    ROW(OMP_THREAD, 1, get_curr_parallel_handle),
    ROW(OMP_THREAD, 1, get_curr_task_handle),
    ROW(OMP_THREAD, 1, thread_handle_compare),
    ROW(OMP_THREAD, 1, get_thread_id),
    ROW(OMP_THREAD, 1, get_state),
    ROW(OMP_THREAD, 1, get_icv_from_thread),
    ROW(OMP_PARALLEL, 1, get_enclosing_parallel_handle),
    ROW(OMP_PARALLEL, 1, get_thread_in_parallel),
    ROW(OMP_PARALLEL, 1, get_task_in_parallel),
    ROW(OMP_PARALLEL, 1, parallel_handle_compare),
    ROW(OMP_PARALLEL, 1, get_icv_from_parallel),
    ROW(OMP_PARALLEL, 1, get_icv_string_from_scope),
    ROW(OMP_TASK, 1, get_task_parallel_handle),
    ROW(OMP_TASK, 1, get_generating_task_handle),
    ROW(OMP_TASK, 1, get_scheduling_task_handle),
    ROW(OMP_TASK, 1, task_handle_compare),
    ROW(OMP_TASK, 1, get_icv_from_task),
    ROW(OMP_TASK, 1, get_task_function),
    ROW(OMP_TASK, 2, get_task_frame),
    ROW(OMP_TASK, 2, get_tool_data),
};

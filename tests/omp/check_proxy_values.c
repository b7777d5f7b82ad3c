// SPDX-License-Identifier: BSD-3-Clause
// What the library says of threads, states, variables and texts.
#include "tests/omp/check_proxy.h"

#include <string.h>

START_TEST(thread_ids)
{
    static const struct {
        ompd_thread_id_t kind;
        ompd_size_t size;
        ompd_rc_t rc;
    } cases[] = {
        {OMPD_THREAD_ID_PTHREAD, 8, ompd_rc_ok},
        {OMPD_THREAD_ID_PTHREAD, 4, ompd_rc_bad_input},
        {OMPD_THREAD_ID_PTHREAD, 7, ompd_rc_bad_input},
        {OMPD_THREAD_ID_PTHREAD, 0, ompd_rc_bad_input},
        {OMPD_THREAD_ID_PTHREAD, UINT64_MAX, ompd_rc_bad_input},
        {OMPD_THREAD_ID_LWP, 8, ompd_rc_ok},
        {OMPD_THREAD_ID_LWP, 4, ompd_rc_ok},
        {OMPD_THREAD_ID_LWP, 16, ompd_rc_bad_input},
        {2, 8, ompd_rc_unsupported},
        {4, 8, ompd_rc_unsupported},
        {4, 7, ompd_rc_unsupported},
        {UINT64_MAX, 8, ompd_rc_unsupported},
    };
    ompd_thread_handle_t *thread;
    uint64_t id = 0;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_int_eq(
            api.get_thread_id(handles.of[OMP_THREAD], cases[i].kind, cases[i].size, &id),
            cases[i].rc);
        ck_assert_int_eq(api.get_thread_handle(handles.of[OMP_SPACE], cases[i].kind, cases[i].size,
                                               &id, &thread),
                         cases[i].rc);
        if (cases[i].rc == ompd_rc_ok)
            ck_assert_int_eq(api.rel_thread_handle(thread), ompd_rc_ok);
        id = cases[i].rc == ompd_rc_ok ? 0 : id;
    }
    ck_assert_int_eq(
        api.get_thread_handle(handles.of[OMP_SPACE], OMPD_THREAD_ID_LWP, 8, &id, &thread),
        ompd_rc_unavailable);
    id = 12345;
    ck_assert_int_eq(
        api.get_thread_handle(handles.of[OMP_SPACE], OMPD_THREAD_ID_LWP, 8, &id, &thread),
        ompd_rc_unavailable);
}
END_TEST

START_TEST(numbers_out_of_range)
{
    static const int bad[] = {-1, -5, MADE_UP_TEAM, 199, INT32_MAX, INT32_MIN};
    ompd_thread_handle_t *thread;
    ompd_task_handle_t *task;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(api.get_thread_in_parallel(handles.of[OMP_PARALLEL], bad[i], &thread),
                         ompd_rc_bad_input);
        ck_assert_int_eq(api.get_task_in_parallel(handles.of[OMP_PARALLEL], bad[i], &task),
                         ompd_rc_bad_input);
    }
}
END_TEST

// Every state once, as with LLVM's library; the last one is where the tool began.
START_TEST(states)
{
    ompd_word_t state = 0x102, more = 1;
    const char *name;
    unsigned count = 0;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    while (more) {
        ck_assert_int_eq(api.enumerate_states(handles.of[OMP_SPACE], state, &state, &name, &more),
                         ompd_rc_ok);
        ck_assert_int_eq(strncmp(name, "ompt_state_", 11), 0);
        tool_free(name);
        count++;
    }
    ck_assert_uint_eq(count, 23);
    ck_assert_int_eq(state, 0x102);
    ck_assert_int_eq(api.enumerate_states(handles.of[OMP_SPACE], 3, &state, &name, &more),
                     ompd_rc_bad_input);
}
END_TEST

struct listed_icv {
    ompd_icv_id_t id;
    char name[32];
    ompd_scope_t scope;
};

static unsigned
list_icvs(ompd_address_space_handle_t *space, struct listed_icv *ret)
{
    ompd_icv_id_t id = 0;
    unsigned count = 0;
    for (int more = 1; more; count++) {
        const char *name;
        ck_assert_int_eq(
            api.enumerate_icvs(space, id, &ret[count].id, &name, &ret[count].scope, &more),
            ompd_rc_ok);
        id = ret[count].id;
        ck_assert_uint_ne(id, 0);
        ck_assert_uint_lt(strlen(name), sizeof(ret->name));
        memcpy(ret[count].name, name, strlen(name) + 1);
        tool_free(name);
    }
    return count;
}

static const struct listed_icv *
listed(const struct listed_icv *icvs, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(icvs[i].name, name) == 0)
            return &icvs[i];
    ck_abort_msg("%s is missing", name);
    return NULL;
}

// Nine, and seven old names.
START_TEST(variables)
{
    static const char *const pairs[][2] = {
        {"ompd-thread-num-var", "thread-num-var"},      {"ompd-team-size-var", "team-size-var"},
        {"ompd-num-procs-var", "num-procs-var"},        {"ompd-final-var", "final-task-var"},
        {"ompd-final-task-var", "final-task-var"},      {"ompd-implicit-var", "implicit-task-var"},
        {"ompd-implicit-task-var", "implicit-task-var"}};
    struct listed_icv icvs[64];
    const char *name;
    int more;
    ompd_scope_t scope;
    ompd_icv_id_t next;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    unsigned count = list_icvs(handles.of[OMP_SPACE], icvs);
    ck_assert_uint_eq(count, 16);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct listed_icv *old = listed(icvs, count, pairs[i][0]),
                                *now = listed(icvs, count, pairs[i][1]);
        ompd_word_t a = -1, b = -2;
        const enum omp_kind kind = now->scope == ompd_scope_address_space ? OMP_SPACE
                                   : now->scope == ompd_scope_thread      ? OMP_THREAD
                                   : now->scope == ompd_scope_parallel    ? OMP_PARALLEL
                                                                          : OMP_TASK;
        ck_assert_int_eq(old->scope, now->scope);
        ck_assert_uint_ne(old->id, now->id);
        ck_assert_int_eq(api.get_icv_from_scope(handles.of[kind], old->scope, old->id, &a),
                         ompd_rc_ok);
        ck_assert_int_eq(api.get_icv_from_scope(handles.of[kind], now->scope, now->id, &b),
                         ompd_rc_ok);
        ck_assert_int_eq(a, b);
    }
    ck_assert_int_eq(api.enumerate_icvs(handles.of[OMP_SPACE], 99, &next, &name, &scope, &more),
                     ompd_rc_bad_input);
    ck_assert_int_eq(
        api.enumerate_icvs(handles.of[OMP_SPACE], UINT64_MAX, &next, &name, &scope, &more),
        ompd_rc_bad_input);
    ck_assert_int_eq(
        api.enumerate_icvs(handles.of[OMP_SPACE], icvs[count - 1].id, &next, &name, &scope, &more),
        ompd_rc_bad_input);
}
END_TEST

START_TEST(values_and_texts)
{
    struct listed_icv icvs[64];
    ompd_word_t value = -1;
    const char *text;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    unsigned count = list_icvs(handles.of[OMP_SPACE], icvs);
    void *const task = handles.of[OMP_TASK];
    ompd_icv_id_t id = listed(icvs, count, "run-sched-var")->id;
    ck_assert_int_eq(api.get_icv_from_scope(task, ompd_scope_task, id, &value),
                     ompd_rc_incompatible);
    ck_assert_int_eq(value, -1);
    ck_assert_int_eq(api.get_icv_string_from_scope(task, ompd_scope_task, id, &text), ompd_rc_ok);
    ck_assert_str_eq(text, "text of run-sched-var");
    tool_free(text);
    id = listed(icvs, count, "bind-var")->id;
    ck_assert_int_eq(api.get_icv_from_scope(task, ompd_scope_task, id, &value), ompd_rc_incomplete);
    ck_assert_int_eq(value, 5);
    id = listed(icvs, count, "final-task-var")->id;
    ck_assert_int_eq(api.get_icv_string_from_scope(task, ompd_scope_task, id, &text), ompd_rc_ok);
    ck_assert_str_eq(text, "7");
    tool_free(text);
    // Of another scope than the variable, or of none.
    for (int scope = -1; scope < 9; scope++)
        if (scope != ompd_scope_task)
            ck_assert_int_eq(api.get_icv_from_scope(task, (ompd_scope_t) scope, id, &value),
                             ompd_rc_bad_input);
    ck_assert_int_eq(api.get_icv_from_scope(task, ompd_scope_task, 0, &value), ompd_rc_bad_input);
    ck_assert_int_eq(api.get_icv_from_scope(task, ompd_scope_task, 99, &value), ompd_rc_bad_input);
    ck_assert_int_eq(api.get_icv_from_scope(handles.of[OMP_THREAD], ompd_scope_task, id, &value),
                     ompd_rc_bad_input);
}
END_TEST

START_TEST(tool_data)
{
    ompd_word_t value;
    ompd_address_t ptr;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.get_tool_data(handles.of[OMP_THREAD], ompd_scope_thread, &value, &ptr),
                     ompd_rc_ok);
    ck_assert_int_eq(value, OMP_THREAD);
    ck_assert_int_eq(
        api.get_tool_data(handles.of[OMP_TASK], ompd_scope_implicit_task, &value, &ptr),
        ompd_rc_ok);
    ck_assert_int_eq(
        api.get_tool_data(handles.of[OMP_SPACE], ompd_scope_address_space, &value, &ptr),
        ompd_rc_bad_input);
    ck_assert_int_eq(api.get_tool_data(handles.of[OMP_TASK], (ompd_scope_t) 7, &value, &ptr),
                     ompd_rc_bad_input);
}
END_TEST

START_TEST(control_variables)
{
    const char *const *first, *const *second;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.get_display_control_vars(handles.of[OMP_SPACE], &first), ompd_rc_ok);
    ck_assert_int_eq(api.get_display_control_vars(handles.of[OMP_SPACE], &second), ompd_rc_ok);
    ck_assert_str_eq(first[0], "A=1");
    ck_assert_str_eq(first[1], "B=");
    ck_assert_ptr_null(first[2]);
    ck_assert_int_eq(api.rel_display_control_vars(&first), ompd_rc_ok);
    ck_assert_int_eq(api.rel_display_control_vars(&first), ompd_rc_bad_input);
    // Some tools give the vector itself.
    ck_assert_int_eq(api.rel_display_control_vars((const char *const **) second), ompd_rc_ok);
    ck_assert_int_eq(api.get_display_control_vars(handles.of[OMP_SPACE], &first), ompd_rc_ok);
}
END_TEST

TCase *
proxy_value_tests(void)
{
    TCase *cases = proxy_case("values");
    tcase_add_test(cases, thread_ids);
    tcase_add_test(cases, numbers_out_of_range);
    tcase_add_test(cases, states);
    tcase_add_test(cases, variables);
    tcase_add_test(cases, values_and_texts);
    tcase_add_test(cases, tool_data);
    tcase_add_test(cases, control_variables);
    return cases;
}

// SPDX-License-Identifier: BSD-3-Clause
// The library, processes and runtimes come and go, and callbacks fail.
#include "tests/omp/check_proxy.h"

#include <string.h>

START_TEST(before_initialize)
{
    const struct proxy_handles none = {{NULL}};
    ompd_address_space_handle_t *space;
    const char *text;
    ompd_word_t version;
    proxy_ask_wrongly(&none);
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_error);
    ck_assert_int_eq(api.finalize(), ompd_rc_unsupported);
    ck_assert_int_eq(api.rel_address_space_handle(NULL), ompd_rc_stale_handle);
    ck_assert_int_eq(api.rel_display_control_vars(NULL), ompd_rc_bad_input);
    ck_assert_int_eq(api.get_version_string(&text), ompd_rc_ok);
    ck_assert_int_eq(api.get_version_string(NULL), ompd_rc_bad_input);
    ck_assert_int_eq(api.get_api_version(&version), ompd_rc_ok);
    ck_assert_int_eq(api.get_api_version(NULL), ompd_rc_bad_input);
    ck_assert_int_eq(version, 201811);
}
END_TEST

START_TEST(versions)
{
    static const ompd_word_t good[] = {201811, 202011, 202111},
                             bad[] = {0, -1, 5, 201611, 201812, 202411, 0x05000602, INT64_MAX};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_int_eq(api.initialize(bad[i], &tool_callbacks), ompd_rc_unsupported);
    ck_assert_int_eq(api.finalize(), ompd_rc_unsupported);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ck_assert_int_eq(api.initialize(good[i], &tool_callbacks), ompd_rc_ok);
        ck_assert_int_eq(api.initialize(good[i], &tool_callbacks), ompd_rc_ok);
        ck_assert_int_eq(api.finalize(), ompd_rc_ok);
        ck_assert_int_eq(api.finalize(), ompd_rc_unsupported);
    }
}
END_TEST

// What was initialised before goes on with what it has.
START_TEST(callbacks_missing)
{
    proxy_initialize();
    const struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.initialize(201811, NULL), ompd_rc_bad_input);
    for (size_t i = 0; i < sizeof(tool_callbacks) / sizeof(void *); i++) {
        ompd_callbacks_t calls = tool_callbacks;
        void **entry = (void **) (void *) &calls + i;
        if (!*entry)
            continue;
        *entry = NULL;
        ck_assert_int_eq(api.initialize(201811, &calls), ompd_rc_bad_input);
    }
    proxy_ask_rightly(&handles, 0);
}
END_TEST

START_TEST(process_released)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0), others = proxy_begin(1);
    ck_assert_int_eq(api.rel_address_space_handle(handles.of[OMP_SPACE]), ompd_rc_ok);
    ck_assert_int_eq(worlds[0].objects, 0);
    ck_assert_int_eq(worlds[0].states, 0);
    proxy_ask_stale(&handles);
    proxy_ask_rightly(&others, 0);
    ck_assert_int_eq(api.rel_address_space_handle(handles.of[OMP_SPACE]), ompd_rc_stale_handle);
    ck_assert_int_eq(api.rel_thread_handle(handles.of[OMP_THREAD]), ompd_rc_stale_handle);
}
END_TEST

START_TEST(finalized)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.finalize(), ompd_rc_ok);
    ck_assert_int_eq(tool.blocks, 0);
    proxy_ask_stale(&handles);
    proxy_initialize();
    struct proxy_handles fresh = proxy_begin(0);
    proxy_ask_stale(&(struct proxy_handles){
        {NULL, handles.of[OMP_THREAD], handles.of[OMP_PARALLEL], handles.of[OMP_TASK]}});
    proxy_ask_rightly(&fresh, 0);
}
END_TEST

START_TEST(no_runtime)
{
    ompd_address_space_handle_t *space;
    proxy_initialize();
    worlds[0].loaded = false;
    contexts[0].vague = _i;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_incompatible);
    ck_assert_int_eq(api.process_initialize(NULL, &space), ompd_rc_bad_input);
    ck_assert_int_eq(api.process_initialize(proxy_context(0), NULL), ompd_rc_bad_input);
    worlds[0].loaded = true;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_ok);
}
END_TEST

START_TEST(starts_late)
{
    ompd_address_space_handle_t *space;
    ompd_word_t version;
    proxy_initialize();
    worlds[0].started = false;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_ok);
    for (unsigned i = 0; i < PROXY_ROWS; i++)
        if (proxy_rows[i].kind == OMP_SPACE && !strstr(proxy_rows[i].name, "states") &&
            !strstr(proxy_rows[i].name, "thread_handle"))
            ck_assert_int_eq(proxy_rows[i].ask(space, 0), ompd_rc_unavailable);
    worlds[0].started = true;
    ck_assert_int_eq(api.get_omp_version(space, &version), ompd_rc_ok);
    ck_assert_int_eq(version, 201811);
}
END_TEST

// A read that fails spoils one question only; a runtime that has gone takes its handles with it.
START_TEST(runtime_goes)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    worlds[0].refresh = STATUS_UNREADABLE;
    ck_assert_int_eq(proxy_rows[0].ask(handles.of[OMP_SPACE], 0), ompd_rc_device_read_error);
    worlds[0].refresh = STATUS_OK;
    proxy_ask_rightly(&handles, 0);
    worlds[0].refresh = STATUS_UNUSED;
    worlds[0].started = false;
    ck_assert_int_eq(proxy_rows[0].ask(handles.of[OMP_SPACE], 0), ompd_rc_unavailable);
    ck_assert_int_eq(worlds[0].objects, 0);
    worlds[0].refresh = STATUS_OK;
    worlds[0].started = true;
    void *const space = handles.of[OMP_SPACE];
    handles.of[OMP_SPACE] = NULL;
    proxy_ask_stale(&handles);
    ck_assert_int_eq(proxy_rows[0].ask(space, 0), ompd_rc_ok);
    proxy_release(&handles);
}
END_TEST

START_TEST(version_string)
{
    const char *text, *again, *late;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.get_version_string(&text), ompd_rc_ok);
    ck_assert_ptr_nonnull(strstr(text, "mqs-ompd"));
    ck_assert_ptr_nonnull(strstr(text, "Made up, OpenMP 201811, read by itself; a note"));
    ck_assert_int_eq(api.get_version_string(&again), ompd_rc_ok);
    ck_assert_ptr_eq(text, again);
    worlds[1].started = false;
    ck_assert_int_eq(api.process_initialize(proxy_context(1), (void *) &handles.of[OMP_SPACE]),
                     ompd_rc_ok);
    ck_assert_int_eq(api.get_version_string(&late), ompd_rc_ok);
    ck_assert_ptr_nonnull(strstr(late, "OpenMP has not started"));
    ck_assert_ptr_nonnull(strstr(text, "Made up"));
}
END_TEST

START_TEST(devices)
{
    ompd_address_space_handle_t *device;
    int id = 0;
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(
        api.device_initialize(handles.of[OMP_SPACE], proxy_context(1), 1, sizeof(id), &id, &device),
        ompd_rc_unsupported);
    ck_assert_int_eq(api.device_initialize(NULL, proxy_context(1), 1, sizeof(id), &id, &device),
                     ompd_rc_stale_handle);
    ck_assert_int_eq(
        api.device_initialize(handles.of[OMP_TASK], proxy_context(1), 1, sizeof(id), &id, &device),
        ompd_rc_bad_input);
    ck_assert_int_eq(
        api.device_initialize(handles.of[OMP_SPACE], NULL, 1, sizeof(id), &id, &device),
        ompd_rc_bad_input);
    ck_assert_int_eq(
        api.device_initialize(handles.of[OMP_SPACE], proxy_context(1), 1, sizeof(id), &id, NULL),
        ompd_rc_bad_input);
}
END_TEST

// Asks what can be asked, however little that is.
static void
ask_something(void)
{
    struct proxy_handles handles = {{NULL}};
    const char *text;
    const uint64_t id = MADE_UP_TID + 1;
    if (api.process_initialize(proxy_context(0), (void *) &handles.of[OMP_SPACE]) != ompd_rc_ok)
        return;
    if (api.get_thread_handle(handles.of[OMP_SPACE], OMPD_THREAD_ID_LWP, sizeof(id), &id,
                              (void *) &handles.of[OMP_THREAD]) != ompd_rc_ok)
        handles.of[OMP_THREAD] = NULL;
    if (api.get_curr_parallel_handle(handles.of[OMP_THREAD], (void *) &handles.of[OMP_PARALLEL]) !=
        ompd_rc_ok)
        handles.of[OMP_PARALLEL] = NULL;
    if (api.get_curr_task_handle(handles.of[OMP_THREAD], (void *) &handles.of[OMP_TASK]) !=
        ompd_rc_ok)
        handles.of[OMP_TASK] = NULL;
    proxy_ask_rightly(&handles, ~0U);
    ck_assert_int_eq(api.get_version_string(&text), ompd_rc_ok);
}

// Each callback fails once, at each of its calls; nothing is lost, and afterwards all is well.
START_TEST(callbacks_fail)
{
    const enum tool_call call = (enum tool_call) _i;
    unsigned calls = 1;
    for (unsigned n = 1; n <= calls; n++) {
        proxy_initialize();
        tool_reset();
        tool.fail[call] = n;
        ask_something();
        calls = tool.calls[call] > calls ? tool.calls[call] : calls;
        tool_reset();
        const struct proxy_handles handles = proxy_begin(1);
        proxy_ask_rightly(&handles, 0);
        ck_assert_int_eq(api.finalize(), ompd_rc_ok);
        ck_assert_int_eq(tool.blocks, 0);
        ck_assert_int_eq(worlds[0].objects, 0);
    }
}
END_TEST

START_TEST(wrong_context)
{
    ompd_address_space_handle_t *space;
    proxy_initialize();
    tool.fail[TOOL_SIZEOF] = 1;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_bad_input);
    tool.fail[TOOL_CONVERT] = tool.calls[TOOL_CONVERT] + 1;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_callback_error);
    tool.fail[TOOL_ALLOC] = tool.calls[TOOL_ALLOC] + 1;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_nomem);
    tool.fail[TOOL_ALLOC] = tool.calls[TOOL_ALLOC] + 2;
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_nomem);
}
END_TEST

TCase *
proxy_life(void)
{
    TCase *cases = proxy_case("life");
    tcase_add_test(cases, before_initialize);
    tcase_add_test(cases, versions);
    tcase_add_test(cases, callbacks_missing);
    tcase_add_test(cases, process_released);
    tcase_add_test(cases, finalized);
    tcase_add_loop_test(cases, no_runtime, 0, 2);
    tcase_add_test(cases, starts_late);
    tcase_add_test(cases, runtime_goes);
    tcase_add_test(cases, version_string);
    tcase_add_test(cases, devices);
    tcase_add_loop_test(cases, callbacks_fail, 0, TOOL_CALLS);
    tcase_add_test(cases, wrong_context);
    return cases;
}

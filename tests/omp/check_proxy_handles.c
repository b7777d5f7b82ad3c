// SPDX-License-Identifier: BSD-3-Clause
// Which handles are good, for what, and in which order.
#include "tests/omp/check_proxy.h"

#include "ompd-bridge/exports/handles.h"

#include <string.h>

START_TEST(every_question)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    proxy_ask_rightly(&handles, 0);
    proxy_ask_wrongly(&handles);
    proxy_release(&handles);
    handles.of[OMP_SPACE] = NULL;
    proxy_ask_stale(&handles);
    ck_assert_int_eq(api.rel_thread_handle(handles.of[OMP_THREAD]), ompd_rc_stale_handle);
    ck_assert_int_eq(api.rel_parallel_handle(handles.of[OMP_PARALLEL]), ompd_rc_stale_handle);
    ck_assert_int_eq(api.rel_task_handle(handles.of[OMP_TASK]), ompd_rc_stale_handle);
}
END_TEST

START_TEST(released_as_another_kind)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    ck_assert_int_eq(api.rel_thread_handle(handles.of[OMP_TASK]), ompd_rc_bad_input);
    ck_assert_int_eq(api.rel_task_handle(handles.of[OMP_PARALLEL]), ompd_rc_bad_input);
    ck_assert_int_eq(api.rel_parallel_handle(handles.of[OMP_SPACE]), ompd_rc_bad_input);
    ck_assert_int_eq(api.rel_address_space_handle(handles.of[OMP_THREAD]), ompd_rc_bad_input);
    proxy_ask_rightly(&handles, 0);
}
END_TEST

// Each question reads anew, but those that need not read.
START_TEST(nothing_is_kept)
{
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0);
    for (unsigned i = 0; i < PROXY_ROWS; i++) {
        const struct proxy_row *row = &proxy_rows[i];
        unsigned before = worlds[0].refreshs;
        row->ask(handles.of[row->kind], 0);
        if (!strstr(row->name, "compare") && !strstr(row->name, "enumerate"))
            ck_assert_msg(worlds[0].refreshs > before, "%s", row->name);
    }
}
END_TEST

static int
compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b)
{
    int order;
    ck_assert_int_eq(api.thread_handle_compare(a, b, &order), ompd_rc_ok);
    return (order > 0) - (order < 0);
}

// A total order in which handles of one thread are equal.
START_TEST(order_of_handles)
{
    enum { COUNT = 16 };
    ompd_thread_handle_t *threads[COUNT];
    proxy_initialize();
    struct proxy_handles handles = proxy_begin(0), others = proxy_begin(1);
    for (unsigned i = 0; i < COUNT; i++)
        threads[i] = proxy_thread(i < COUNT / 2 ? handles.of[OMP_SPACE] : others.of[OMP_SPACE],
                                  i * 7 % MADE_UP_THREADS);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned j = 0; j < COUNT; j++) {
            bool same =
                i % MADE_UP_THREADS == j % MADE_UP_THREADS && (i < COUNT / 2) == (j < COUNT / 2);
            ck_assert_int_eq(compare(threads[i], threads[j]), -compare(threads[j], threads[i]));
            ck_assert_int_eq(compare(threads[i], threads[j]) == 0, same);
            for (unsigned k = 0; k < COUNT; k++)
                if (compare(threads[i], threads[j]) <= 0 && compare(threads[j], threads[k]) <= 0)
                    ck_assert_int_le(compare(threads[i], threads[k]), 0);
        }
}
END_TEST

static bool
version_says(const char *wanted)
{
    const char *text;
    ck_assert_int_eq(api.get_version_string(&text), ompd_rc_ok);
    return strstr(text, wanted) != NULL;
}

// The runtime's own library is asked where no native reader knows the runtime, and nowhere else.
START_TEST(library_answers)
{
    worlds[0].has_library = true;
    worlds[0].unknown = _i;
    proxy_initialize();
    const struct proxy_handles handles = proxy_begin(0);
    ck_assert(version_says(_i ? "read by its library" : "read by itself"));
    ck_assert_uint_eq(worlds[0].libraries, (unsigned) _i);
    proxy_ask_rightly(&handles, PROXY_ALLOW(ompd_rc_unavailable));
    proxy_ask_wrongly(&handles);
}
END_TEST

START_TEST(unknown_without_library)
{
    ompd_address_space_handle_t *space;
    worlds[0].unknown = true;
    proxy_initialize();
    ck_assert_int_eq(api.process_initialize(proxy_context(0), &space), ompd_rc_incompatible);
    ck_assert(version_says("refused: a release to come"));
}
END_TEST

// Slabs grow, places are used again, and no handle is ever the same as an earlier one.
START_TEST(many_handles)
{
    enum { COUNT = 20000 };
    static const void *first[COUNT], *second[COUNT];
    struct handle_table table = {.count = 0};
    struct handle *handle;
    const struct omp_object object = {1, 2};
    proxy_initialize();
    for (unsigned i = 0; i < COUNT; i++)
        first[i] = handles_add(&table, OMP_TASK, NULL, NULL, &object);
    for (unsigned i = 0; i < COUNT; i += 2)
        handles_remove(&table, first[i]);
    for (unsigned i = 0; i < COUNT; i++)
        second[i] = handles_add(&table, OMP_THREAD, NULL, NULL, &object);
    ck_assert_uint_eq(table.count, COUNT + COUNT / 2);
    for (unsigned i = 0; i < COUNT; i++) {
        ck_assert_int_eq(handles_find(&table, first[i], OMP_TASK, &handle),
                         i % 2 == 0 ? ompd_rc_stale_handle : ompd_rc_ok);
        ck_assert_int_eq(handles_find(&table, second[i], OMP_THREAD, &handle), ompd_rc_ok);
    }
    handles_deinit(&table);
}
END_TEST

// Objects of a reader that numbers them are ordered by address, also 4 GiB apart.
START_TEST(order_by_address)
{
    static const struct backend plain = {.name = "plain"};
    const struct reader reader = {.backend = &plain};
    static const uint64_t addrs[] = {0, 1, 1UL << 31, 1UL << 32, 1UL << 33, UINT64_MAX};
    enum { COUNT = sizeof(addrs) / sizeof(addrs[0]) };
    struct handle_table table = {.count = 0};
    struct handle *handles[COUNT];
    proxy_initialize();
    for (unsigned i = 0; i < COUNT; i++) {
        const struct omp_object object = {addrs[i], 0};
        void *opaque = handles_add(&table, OMP_TASK, NULL, &reader, &object);
        ck_assert_int_eq(handles_find(&table, opaque, OMP_TASK, &handles[i]), ompd_rc_ok);
    }
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++)
            ck_assert_int_eq(handles_compare(handles[i], handles[j]), (i > j) - (i < j));
    handles_deinit(&table);
}
END_TEST

TCase *
proxy_handle_tests(void)
{
    TCase *cases = proxy_case("handles");
    tcase_add_test(cases, every_question);
    tcase_add_test(cases, released_as_another_kind);
    tcase_add_test(cases, nothing_is_kept);
    tcase_add_test(cases, order_of_handles);
    tcase_add_loop_test(cases, library_answers, 0, 2);
    tcase_add_test(cases, unknown_without_library);
    tcase_add_test(cases, many_handles);
    tcase_add_test(cases, order_by_address);
    return cases;
}

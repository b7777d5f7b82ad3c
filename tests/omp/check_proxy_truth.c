// SPDX-License-Identifier: BSD-3-Clause
// What the library says of threads and regions is what the program says.
#include "tests/omp/check_proxy_live.h"

#include <stdlib.h>
#include <string.h>

ompd_thread_handle_t *
subject_thread(const struct subject *subject, ompd_thread_id_t kind, ompd_size_t size, uint64_t id)
{
    ompd_thread_handle_t *thread;
    uint32_t narrow = (uint32_t) id;
    const void *place = size == 4 ? (const void *) &narrow : &id;
    ck_assert_int_eq(api.get_thread_handle(subject->space, kind, size, place, &thread), ompd_rc_ok);
    return thread;
}

static void
check_ids(const struct subject *subject, const struct park_thread *wanted)
{
    ompd_thread_handle_t *threads[] = {
        subject_thread(subject, OMPD_THREAD_ID_LWP, 8, (uint64_t) wanted->tid),
        subject_thread(subject, OMPD_THREAD_ID_LWP, 4, (uint64_t) wanted->tid),
        subject_thread(subject, OMPD_THREAD_ID_PTHREAD, 8, wanted->pthread)};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t pthread = 0;
        uint32_t tid = 0;
        int order = 99;
        ck_assert_int_eq(api.thread_handle_compare(threads[0], threads[i], &order), ompd_rc_ok);
        ck_assert_int_eq(order, 0);
        ck_assert_int_eq(api.get_thread_id(threads[i], OMPD_THREAD_ID_LWP, 4, &tid), ompd_rc_ok);
        ck_assert_int_eq(tid, wanted->tid);
        ck_assert_int_eq(api.get_thread_id(threads[i], OMPD_THREAD_ID_PTHREAD, 8, &pthread),
                         ompd_rc_ok);
        ck_assert_uint_eq(pthread, wanted->pthread);
    }
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(api.rel_thread_handle(threads[i]), ompd_rc_ok);
}

// The value of a variable by its name; `unknown` when the reader does not have it.
static ompd_word_t
value_of(const struct subject *subject, void *handle, const char *wanted, ompd_word_t unknown)
{
    ompd_icv_id_t id = 0;
    ompd_scope_t scope;
    ompd_word_t value;
    for (int more = 1; more;) {
        const char *name;
        ompd_rc_t rc = api.enumerate_icvs(subject->space, id, &id, &name, &scope, &more);
        if (rc == ompd_rc_unsupported)
            return unknown;
        ck_assert_int_eq(rc, ompd_rc_ok);
        bool found = strcmp(name, wanted) == 0;
        tool_free(name);
        if (!found)
            continue;
        ck_assert_int_eq(api.get_icv_from_scope(handle, scope, id, &value), ompd_rc_ok);
        return value;
    }
    return unknown;
}

// Regions around a region, with it, but for the initial one; -1 when it cannot be told.
static int
count_regions(ompd_parallel_handle_t *parallel)
{
    for (int count = 0;; count++) {
        ompd_parallel_handle_t *outer;
        ompd_rc_t rc = api.get_enclosing_parallel_handle(parallel, &outer);
        ck_assert_int_eq(api.rel_parallel_handle(parallel), ompd_rc_ok);
        if (rc != ompd_rc_ok)
            return rc == ompd_rc_unavailable ? count : -1;
        parallel = outer;
    }
}

static void
check_region(const struct subject *subject, const struct park_thread *wanted, bool tracking)
{
    ompd_parallel_handle_t *parallel;
    ompd_thread_handle_t *same;
    int order = 99;
    ompd_thread_handle_t *thread =
        subject_thread(subject, OMPD_THREAD_ID_LWP, 8, (uint64_t) wanted->tid);
    ompd_rc_t rc = api.get_curr_parallel_handle(thread, &parallel);
    if (wanted->does == PARK_IDLE) {
        ck_assert_int_eq(rc, ompd_rc_unavailable);
        ck_assert_int_eq(api.rel_thread_handle(thread), ompd_rc_ok);
        return;
    }
    ck_assert_int_eq(rc, ompd_rc_ok);
    ck_assert_int_eq(value_of(subject, thread, "thread-num-var", wanted->num), wanted->num);
    ck_assert_int_eq(value_of(subject, thread, "ompd-thread-num-var", wanted->num), wanted->num);
    ck_assert_int_eq(value_of(subject, parallel, "team-size-var", wanted->size), wanted->size);
    ck_assert_int_eq(value_of(subject, parallel, "levels-var", wanted->level), wanted->level);
    ck_assert_int_eq(value_of(subject, parallel, "active-levels-var", wanted->active),
                     wanted->active);
    if (api.get_thread_in_parallel(parallel, (int) wanted->num, &same) == ompd_rc_ok) {
        ck_assert_int_eq(api.thread_handle_compare(thread, same, &order), ompd_rc_ok);
        ck_assert_int_eq(order, 0);
        ck_assert_int_eq(api.rel_thread_handle(same), ompd_rc_ok);
        ck_assert_int_eq(api.get_thread_in_parallel(parallel, (int) wanted->size, &same),
                         ompd_rc_bad_input);
    }
    // Of regions that a single thread executes, the runtime keeps the innermost only, unless it
    // tracks states.
    int regions = count_regions(parallel);
    ck_assert(regions == -1 || regions <= wanted->level);
    ck_assert(regions == -1 || regions >= (tracking ? wanted->level : wanted->active));
    ck_assert_int_eq(api.rel_thread_handle(thread), ompd_rc_ok);
}

static void
check_state(const struct subject *subject, const struct park_thread *wanted, bool tracking)
{
    ompd_word_t state = 0x102;
    ompd_wait_id_t wait_id;
    ompd_thread_handle_t *thread =
        subject_thread(subject, OMPD_THREAD_ID_LWP, 8, (uint64_t) wanted->tid);
    ompd_rc_t rc = api.get_state(thread, &state, &wait_id);
    if (wanted->does == PARK_IDLE)
        ck_assert(rc != ompd_rc_ok || state == 0x100 || tracking);
    else
        ck_assert_int_eq(rc == ompd_rc_ok, tracking);
    if (tracking && wanted->does == PARK_WORKS)
        ck_assert_int_lt(state, 0x10);
    if (tracking && wanted->does == PARK_WAITS)
        ck_assert(state >= 0x10 && state < 0x100);
    ck_assert_int_eq(api.rel_thread_handle(thread), ompd_rc_ok);
}

void
subject_check(const struct subject *subject, bool tracking)
{
    for (unsigned i = 0; i < subject->park.n_threads; i++) {
        if (subject->gomp && subject->park.threads[i].does == PARK_IDLE)
            continue;
        check_ids(subject, &subject->park.threads[i]);
        check_region(subject, &subject->park.threads[i], tracking);
        check_state(subject, &subject->park.threads[i], tracking);
    }
}

static const char *const situations[] = {"four",   "nested",  "serialised", "mixed", "tasks",
                                         "shrunk", "barrier", "critical",   "alone", "roots"};

enum { SITUATIONS = sizeof(situations) / sizeof(situations[0]) };

START_TEST(agrees_with_the_program)
{
    unsigned build = (unsigned) _i / 2 % proxy_builds();
    const bool tracking = _i % 2 && build != PROXY_GOMP;
    if (tracking)
        setenv("OMP_DEBUG", "enabled", 1);
    const struct subject *subject =
        subject_start(0, situations[(unsigned) _i / 2 / proxy_builds()], build);
    unsetenv("OMP_DEBUG");
    subject_check(subject, tracking);
}
END_TEST

TCase *
proxy_truth(void)
{
    TCase *cases = proxy_case("truth");
    tcase_add_loop_test(cases, agrees_with_the_program, 0, 2 * (int) proxy_builds() * SITUATIONS);
    return cases;
}

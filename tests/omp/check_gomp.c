// SPDX-License-Identifier: BSD-3-Clause
// Reads real processes of GNU's runtime and compares with what their threads say of themselves.
//
// The runtimes are the distribution's, stripped, and a build with debug information, also read with
// all symbols but no types, and as if it were stripped. MQS_OMPD_GOMP names the folder of another
// one to read instead of the distribution's.
#include "tests/omp/check_gomp.h"

#include "tests/check_run.h"
#include "tests/check_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char debug_folder[4096];

static const struct {
    bool debug; // the build with debug information
    bool stripped;
    bool types;
    const char *backend;
} builds[] = {{false, false, false, "libgomp machine code"},
              {true, false, true, "libgomp debug information"},
              {true, true, false, "libgomp machine code"}};

static const char *const situations[] = {
    "after",      "alone",          "barrier",   "critical",
    "depend",     "final",          "four",      "inner-barrier",
    "inner-over", "join",           "layers",    "lists",
    "lock",       "loop",           "many",      "master",
    "mixed",      "named-critical", "nest-lock", "nested",
    "ordered",    "root-after",     "roots",     "serialised",
    "shrunk",     "single",         "suspended", "suspended-in-taskgroup",
    "taskgroup",  "taskloop",       "tasks",     "taskwait",
    "undeferred", "untied",         "variables"};

enum {
    BUILDS = sizeof(builds) / sizeof(builds[0]),
    SITUATIONS = sizeof(situations) / sizeof(situations[0])
};

static struct gomp_subject subject;

static unsigned
builds_tested(void)
{
    return check_set_builds(1, BUILDS);
}

static enum status
open_subject(struct gomp_subject *test)
{
    diagnostics_reset(&test->diagnostics);
    return backend_libgomp.open(&test->inf, &test->diagnostics, &test->state);
}

static void
start(struct gomp_subject *test, const char *program, const char *situation, unsigned build)
{
    char library[4200];
    const char *folder = builds[build].debug ? debug_folder : getenv("MQS_OMPD_GOMP");
    const struct park_choice choice = {program, situation, folder, false};
    ck_assert(park_start_choice(&test->park, &choice));
    ck_assert(live_host_init(&test->host, test->park.pid));
    test->host.stripped = builds[build].stripped;
    snprintf(library, sizeof(library), "%s/libgomp.so.1", debug_folder);
    ck_assert_int_eq(inferior_init(&test->inf, builds[build].types
                                                   ? gomp_typed_target(&test->host, library)
                                                   : live_host_target(&test->host)),
                     STATUS_OK);
}

static void
stop(struct gomp_subject *test)
{
    backend_libgomp.close(test->state);
    if (test->inf.target.ops)
        inferior_deinit(&test->inf);
    gomp_forget_types();
    live_host_deinit(&test->host);
    park_stop(&test->park);
    memset(test, 0, sizeof(*test));
}

static void
teardown(void)
{
    stop(&subject);
    ck_assert_int_eq(live_host_blocks, 0);
}

START_TEST(agrees_with_the_program)
{
    unsigned build = (unsigned) _i % builds_tested();
    struct omp_info info;
    start(&subject, OMP_PARK_GOMP, situations[(unsigned) _i / builds_tested()], build);
    ck_assert_int_eq(backend_libgomp.detect(&subject.inf), STATUS_OK);
    ck_assert_msg(open_subject(&subject) == STATUS_OK, "%s", trail_text(&subject.inf.trail));
    ck_assert_int_eq(backend_libgomp.info(subject.state, &info), STATUS_OK);
    ck_assert_str_eq(info.runtime, "GNU OpenMP");
    ck_assert_str_eq(info.backend, builds[build].backend);
    gomp_compare(&subject);
}
END_TEST

// Before the first region no thread has used OpenMP, and that is said; likewise when the runtime
// has given up all that it had.
START_TEST(starts_late)
{
    start(&subject, OMP_PARK_GOMP, _i < (int) builds_tested() ? "before" : "paused",
          (unsigned) _i % builds_tested());
    ck_assert_int_eq(open_subject(&subject), STATUS_UNUSED);
    ck_assert_str_eq(trail_text(&subject.inf.trail), "the OpenMP runtime has not started");
    ck_assert(park_go_on(&subject.park));
    inferior_refresh(&subject.inf);
    ck_assert_int_eq(open_subject(&subject), STATUS_OK);
    gomp_compare(&subject);
}
END_TEST

// The same reader follows the process from one snapshot to the next.
START_TEST(follows)
{
    start(&subject, OMP_PARK_GOMP, "nested", (unsigned) _i);
    ck_assert_int_eq(open_subject(&subject), STATUS_OK);
    gomp_compare(&subject);
    inferior_refresh(&subject.inf);
    ck_assert_int_eq(backend_libgomp.refresh(subject.state), STATUS_OK);
    gomp_compare(&subject);
}
END_TEST

// LLVM's runtime has the names of GNU's; a program without OpenMP has neither.
START_TEST(others_are_not_ours)
{
    if (_i == 0)
        start(&subject, OMP_PARK, "four", 0);
    else
        start(&subject, OMP_PARK_GOMP, "four", 0);
    ck_assert_int_eq(backend_libgomp.detect(&subject.inf), _i == 0 ? STATUS_ABSENT : STATUS_OK);
    ck_assert_uint_eq(subject.host.reads, 0);
}
END_TEST

// Reads do not grow faster than threads.
START_TEST(few_reads)
{
    start(&subject, OMP_PARK_GOMP, "many", (unsigned) _i);
    ck_assert_int_eq(open_subject(&subject), STATUS_OK);
    unsigned before = subject.host.reads;
    inferior_refresh(&subject.inf);
    ck_assert_int_eq(backend_libgomp.refresh(subject.state), STATUS_OK);
    ck_assert_uint_le(subject.host.reads - before, 3 * 100);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("libgomp");
    TCase *cases = tcase_create("live");
    int tested = (int) builds_tested();
    tcase_add_checked_fixture(cases, NULL, teardown);
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, agrees_with_the_program, 0, tested * SITUATIONS);
    tcase_add_loop_test(cases, starts_late, 0, 2 * tested);
    tcase_add_loop_test(cases, follows, 0, tested);
    tcase_add_loop_test(cases, others_are_not_ours, 0, 2);
    tcase_add_loop_test(cases, few_reads, 0, tested);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, gomp_code_cases());
    suite_add_tcase(suite, gomp_hostile_cases());
    if (tested > 1 && !park_find_library("libgomp-12", sizeof(debug_folder), debug_folder))
        return EXIT_FAILURE;
    return check_run(srunner_create(suite));
}

// SPDX-License-Identifier: BSD-3-Clause
// Reads real processes and compares with what their threads say of themselves.
//
// The runtimes are the distribution's, stripped, a build with all symbols, also read as if it were
// stripped, other releases, and Intel's.
#include "tests/check_run.h"
#include "tests/omp/subject.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const situations[] = {
    // clang-format off
    "after", "alone", "barrier", "critical", "depend", "final", "four", "inner-barrier",
    "inner-over", "join", "layers", "lists", "lock", "loop", "many", "master", "mixed",
    "named-critical", "nest-lock", "nested", "ordered", "region-in-task", "root-after", "roots",
    "serialised", "shrunk", "single", "suspended", "suspended-in-taskgroup", "taskgroup",
    "taskloop", "tasks", "taskwait", "undeferred", "untied", "variables",
    // clang-format on
};

enum { SITUATIONS = sizeof(situations) / sizeof(situations[0]) };

static const mqs_omp_thread *
find_thread(const struct subject *test, const struct park_thread *wanted)
{
    const mqs_omp_thread *found = NULL;
    for (unsigned i = 0; i < test->n_threads; i++)
        if ((test->threads[i].known & MQS_OMP_TID) && test->threads[i].tid == wanted->tid) {
            ck_assert_ptr_null(found);
            found = &test->threads[i];
        }
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->pthread, wanted->pthread);
    return found;
}

// LLVM's runtime leaves a thread in work_parallel while it waits for tasks.
static bool
shows_waiting(const struct park_thread *thread)
{
    bool for_tasks = thread->waits == PARK_TASKWAIT || thread->waits == PARK_TASKGROUP;
    return thread->does == PARK_WAITS && !for_tasks;
}

static void
check_state(const struct subject *test, const struct park_thread *wanted,
            const mqs_omp_thread *thread, bool tracking)
{
    const char *begin = shows_waiting(wanted) ? "wait_" : "work_";
    if (!tracking) {
        ck_assert(!(thread->known & (MQS_OMP_STATE | MQS_OMP_WAIT_ID)));
        ck_assert_str_eq(thread->note, subject_layout(test) ? "" : "needs OMP_DEBUG=enabled");
        return;
    }
    ck_assert((thread->known & MQS_OMP_STATE) && (thread->known & MQS_OMP_WAIT_ID));
    ck_assert_msg(strncmp(thread->state_name, begin, strlen(begin)) == 0, "%s", thread->state_name);
}

static void
check_thread(const struct subject *test, const struct park_thread *wanted, bool tracking)
{
    const unsigned members =
        MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_ACTIVE_LEVEL;
    const mqs_omp_thread *thread = find_thread(test, wanted);
    if (wanted->does == PARK_IDLE) {
        ck_assert_uint_eq(thread->known & members, 0);
        ck_assert_str_eq(thread->state_name, "idle");
        return;
    }
    ck_assert_uint_eq(thread->known & members, members);
    ck_assert_int_eq(thread->thread_num, wanted->num);
    ck_assert_int_eq(thread->team_size, wanted->size);
    ck_assert_int_eq(thread->level, wanted->level);
    ck_assert_int_eq(thread->active_level, wanted->active);
    check_state(test, wanted, thread, tracking);
}

// Tasks of the innermost region of a thread. A task that waits for others to be complete is in no
// queue yet.
static void
check_tasks(const struct subject *test, const struct park_thread *wanted)
{
    mqs_omp_region region;
    int64_t running = 0, queued = park_count_tasks(&test->park, wanted, PARK_TASK_QUEUED);
    for (unsigned i = 0; i < test->park.n_threads; i++) {
        const struct park_thread *other = &test->park.threads[i];
        running += other->does != PARK_IDLE && other->task != 0 && other->level == wanted->level &&
                   park_same_region(wanted, other, (int) wanted->level);
    }
    int number = find_thread(test, wanted)->number;
    ck_assert_int_eq(omp_session_setup_region_iterator(test->omp, number), STATUS_OK);
    ck_assert_int_eq(omp_session_next_region(test->omp, &region), STATUS_OK);
    ck_assert((region.known & MQS_OMP_TASK_COUNTS) != 0);
    ck_assert_int_eq(region.tasks_running, running);
    ck_assert_int_le(region.tasks_queued, queued);
    ck_assert(region.tasks_queued == queued || strcmp(test->situation, "depend") == 0);
}

static void
check_all(struct subject *test, bool tracking)
{
    mqs_omp_info info;
    subject_list_threads(test);
    ck_assert_int_eq(omp_session_get_info(test->omp, &info), STATUS_OK);
    ck_assert_int_eq(info.state_tracking, tracking);
    ck_assert_uint_eq(test->n_threads, test->park.n_threads);
    for (unsigned i = 0; i < test->park.n_threads; i++)
        check_thread(test, &test->park.threads[i], tracking);
    for (unsigned i = 0; i < test->park.n_threads; i++)
        if (test->park.threads[i].does != PARK_IDLE)
            check_tasks(test, &test->park.threads[i]);
}

START_TEST(agrees_with_the_program)
{
    unsigned build = (unsigned) _i / SUBJECT_SETTINGS % subject_builds(),
             setting = (unsigned) _i % SUBJECT_SETTINGS;
    const char *situation = situations[(unsigned) _i / (SUBJECT_SETTINGS * subject_builds())];
    const char *message;
    struct subject *test = subject_start(0, situation, build, setting);
    ck_assert_int_eq(omp_session_has_openmp(test->omp, &message), STATUS_OK);
    ck_assert_ptr_null(message);
    check_all(test, subject_tracks(test, setting));
}
END_TEST

// Also where the runtime's own OMPD library is installed and the user names it.
START_TEST(native_answers)
{
    mqs_omp_info info;
    char backend[sizeof(info.backend)] = "libomp table";
    park_set_variable("MQS_OMPD_LIBRARY", OMPD);
    struct subject *test = subject_start(0, "nested", (unsigned) _i, 0);
    ck_assert_int_eq(omp_session_get_info(test->omp, &info), STATUS_OK);
    park_set_variable("MQS_OMPD_LIBRARY", NULL);
    if (subject_layout(test))
        snprintf(backend, sizeof(backend), "libomp built-in layout %s", subject_layout(test));
    ck_assert_str_eq(info.runtime, subject_runtime(test));
    ck_assert_str_eq(info.backend, backend);
    ck_assert_ptr_null(omp_session_message(test->omp, 0));
}
END_TEST

// The same process object is asked before and after the runtime starts.
START_TEST(starts_late)
{
    const char *message;
    struct subject *test = subject_start(0, "before", (unsigned) _i, 0);
    ck_assert_int_eq(omp_session_has_openmp(test->omp, &message), STATUS_UNUSED);
    ck_assert_str_eq(message, "OpenMP not started");
    ck_assert_int_eq(omp_session_setup_thread_iterator(test->omp), STATUS_UNUSED);
    ck_assert(park_go_on(&test->park));
    live_host_update(&test->host);
    ck_assert_int_eq(omp_session_has_openmp(test->omp, &message), STATUS_OK);
    ck_assert_ptr_null(message);
    subject_list_threads(test);
    ck_assert_uint_eq(test->n_threads, 4);
}
END_TEST

// Reads do not grow faster than threads: two for each, its record and the C library's.
START_TEST(few_reads)
{
    struct subject *test = subject_start(0, "many", (unsigned) _i, 0);
    subject_list_threads(test);
    unsigned before = test->host.reads;
    subject_list_threads(test);
    ck_assert_uint_eq(test->n_threads, 100);
    ck_assert_uint_le(test->host.reads - before, 3 * 100);
}
END_TEST

// Two processes, in turns: what is kept of one must not colour the other.
START_TEST(two_processes)
{
    struct subject *first = subject_start(0, "barrier", _i ? 0 : 1, 0);
    struct subject *second = subject_start(1, "nested", 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        check_all(first, false);
        check_all(second, subject_tracks(second, 1));
    }
}
END_TEST

START_TEST(no_openmp_is_silent)
{
    const char *message;
    struct subject *test = subject_start_other(0);
    ck_assert_int_eq(omp_session_has_openmp(test->omp, &message), STATUS_ABSENT);
    ck_assert_ptr_null(message);
    ck_assert_uint_eq(test->host.reads, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("OpenMP, live");
    int builds = (int) subject_builds();
    TCase *cases = tcase_create("live");
    tcase_add_checked_fixture(cases, NULL, subject_stop_all);
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, agrees_with_the_program, 0, builds * SUBJECT_SETTINGS * SITUATIONS);
    tcase_add_loop_test(cases, native_answers, 0, builds);
    tcase_add_loop_test(cases, starts_late, 0, builds);
    tcase_add_loop_test(cases, few_reads, 0, builds);
    tcase_add_loop_test(cases, two_processes, builds > 1 ? 0 : 1, 2);
    tcase_add_test(cases, no_openmp_is_silent);
    suite_add_tcase(suite, cases);
    if (!subject_find_libraries())
        return EXIT_FAILURE;
    return check_run(srunner_create(suite));
}

// SPDX-License-Identifier: BSD-3-Clause
// The built library as an OMPD library, on real processes.
#include "tests/omp/check_proxy_live.h"

#include "tests/check_run.h"
#include "tests/check_set.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECTS = 64 };

static struct subject subjects[SUBJECTS];

static void *library;

static const struct {
    const char *name;
    bool gomp, debug, stripped;
} builds[PROXY_BUILDS] = {{"stock", false, false, false},
                          {"gomp", true, false, false},
                          {"debug", false, true, false},
                          {"debug as stripped", false, true, true}};

enum {
    // What a reader may say of what it cannot tell, or of what there is not.
    ALLOWED = PROXY_ALLOW(ompd_rc_unsupported) | PROXY_ALLOW(ompd_rc_unavailable),
};

unsigned
proxy_builds(void)
{
    return check_set_builds(2, PROXY_BUILDS);
}

static void
setup(void)
{
    tool = (struct tool){.blocks = 0};
    ck_assert_int_eq(api.initialize(201811, &tool_callbacks), ompd_rc_ok);
}

static void
teardown(void)
{
    ck_assert_int_eq(api.finalize(), ompd_rc_ok);
    for (unsigned i = 0; i < SUBJECTS; i++) {
        live_host_deinit(&subjects[i].host);
        park_stop(&subjects[i].park);
        memset(&subjects[i], 0, sizeof(subjects[i]));
    }
    ck_assert_int_eq(tool.blocks, 0);
    ck_assert(!tool.torn);
}

ompd_address_space_context_t *
subject_context(struct subject *subject)
{
    return (ompd_address_space_context_t *) &subject->context;
}

struct subject *
subject_start(unsigned number, const char *situation, unsigned build)
{
    struct subject *subject = &subjects[number];
    const struct park_choice gomp = {.program = OMP_PARK_GOMP, .situation = situation};
    subject->gomp = builds[build].gomp;
    ck_assert(builds[build].gomp ? park_start_choice(&subject->park, &gomp)
                                 : park_start(&subject->park, situation, builds[build].debug));
    ck_assert(live_host_init(&subject->host, subject->park.pid));
    subject->host.stripped = builds[build].stripped;
    subject->context.target = live_host_target(&subject->host);
    ck_assert_int_eq(api.process_initialize(subject_context(subject), &subject->space), ompd_rc_ok);
    return subject;
}

// A handle of each kind, as far as the reader gives them.
static struct proxy_handles
enter(const struct subject *subject)
{
    struct proxy_handles ret = {{subject->space}};
    ompd_parallel_handle_t *parallel;
    ompd_task_handle_t *task;
    ompd_thread_handle_t *thread =
        subject_thread(subject, OMPD_THREAD_ID_LWP, 8, (uint64_t) subject->park.threads[0].tid);
    ret.of[OMP_THREAD] = thread;
    if (api.get_curr_parallel_handle(thread, &parallel) == ompd_rc_ok)
        ret.of[OMP_PARALLEL] = parallel;
    if (api.get_curr_task_handle(thread, &task) == ompd_rc_ok)
        ret.of[OMP_TASK] = task;
    return ret;
}

START_TEST(every_question)
{
    const struct subject *subject = subject_start(0, "nested", (unsigned) _i);
    struct proxy_handles handles = enter(subject);
    unsigned stale = 0;
    for (unsigned kind = 0; kind < 4; kind++)
        stale |= handles.of[kind] ? 0 : PROXY_ALLOW(ompd_rc_stale_handle);
    proxy_ask_rightly(&handles, ALLOWED | stale);
    proxy_ask_wrongly(&handles);
    proxy_release(&handles);
    handles.of[OMP_SPACE] = NULL;
    proxy_ask_stale(&handles);
}
END_TEST

// Some tools' callbacks do not survive a symbol that there is not: where all symbols of LLVM's
// runtime are there, no other one is looked up.
START_TEST(no_absent_symbols)
{
    const struct subject *subject = subject_start(0, "nested", PROXY_DEBUG);
    ck_assert_str_eq(tool.absent, "");
    const struct proxy_handles handles = enter(subject);
    proxy_ask_rightly(&handles, ALLOWED);
    ck_assert_str_eq(tool.absent, "");
}
END_TEST

// Of the runtime without most of its symbols, none is looked up that only another runtime has.
START_TEST(no_symbols_of_others)
{
    subject_start(0, "nested", 0);
    ck_assert_msg(!strstr(tool.absent, "GOMP_"), "looked up:%s", tool.absent);
}
END_TEST

START_TEST(several_processes)
{
    const struct subject *first = subject_start(0, "barrier", 0),
                         *second = subject_start(1, "nested", check_set_is_quick() ? 0 : 2),
                         *third = subject_start(2, "serialised", PROXY_GOMP);
    const struct proxy_handles handles = enter(second);
    for (unsigned i = 0; i < 2; i++) {
        subject_check(first, false);
        subject_check(second, false);
        subject_check(third, false);
    }
    ck_assert_int_eq(api.rel_address_space_handle(second->space), ompd_rc_ok);
    proxy_ask_stale(&handles);
    subject_check(first, false);
    subject_check(third, false);
}
END_TEST

// Runtimes, builds and settings in turns; none must colour another.
START_TEST(many_processes)
{
    bool tracking[SUBJECTS];
    for (unsigned i = 0; i < SUBJECTS; i++) {
        tracking[i] = i % 3 == 0 && i % proxy_builds() != PROXY_GOMP;
        if (tracking[i])
            setenv("OMP_DEBUG", "enabled", 1);
        subject_start(i, i % 5 == 0 ? "nested" : "four", i % proxy_builds());
        unsetenv("OMP_DEBUG");
    }
    for (unsigned i = 0; i < SUBJECTS; i++)
        subject_check(&subjects[i * 7 % SUBJECTS], tracking[i * 7 % SUBJECTS]);
    for (unsigned i = 0; i < SUBJECTS; i += 2)
        ck_assert_int_eq(api.rel_address_space_handle(subjects[i].space), ompd_rc_ok);
    for (unsigned i = 1; i < SUBJECTS; i += 2)
        subject_check(&subjects[i], tracking[i]);
}
END_TEST

// What a question costs does not depend on the number of threads: of LLVM's runtime.
START_TEST(few_reads)
{
    if (builds[_i].gomp)
        return;
    struct subject *subject = subject_start(0, "many", (unsigned) _i);
    const struct proxy_handles handles = enter(subject);
    for (unsigned i = 0; i < PROXY_ROWS; i++) {
        const struct proxy_row *row = &proxy_rows[i];
        const unsigned before = subject->host.reads;
        if (row->kind == OMP_SPACE || strstr(row->name, "state") || strstr(row->name, "frame") ||
            strstr(row->name, "tool_data"))
            continue; // these look at all threads to find out whether states are tracked
        row->ask(handles.of[row->kind], 0);
        ck_assert_msg(subject->host.reads - before <= 16, "%s: %u", row->name,
                      subject->host.reads - before);
    }
}
END_TEST

START_TEST(starts_late)
{
    ompd_thread_handle_t *thread;
    uint64_t id;
    struct subject *subject = subject_start(0, "before", (unsigned) _i);
    id = (uint64_t) subject->park.pid;
    ck_assert_int_eq(
        api.get_thread_handle(subject->space, OMPD_THREAD_ID_LWP, sizeof(id), &id, &thread),
        ompd_rc_unavailable);
    ck_assert(park_go_on(&subject->park));
    live_host_update(&subject->host);
    ck_assert_uint_eq(subject->park.n_threads, 4);
    subject_check(subject, false);
}
END_TEST

enum { TEAM = 4 };

// The region of a thread, and its tasks.
static ompd_parallel_handle_t *
enter_region(const struct subject *subject, ompd_task_handle_t **ret_tasks, int size)
{
    ompd_parallel_handle_t *region;
    ompd_thread_handle_t *thread =
        subject_thread(subject, OMPD_THREAD_ID_LWP, 8, (uint64_t) subject->park.pid);
    ck_assert_int_eq(api.get_curr_parallel_handle(thread, &region), ompd_rc_ok);
    for (int i = 0; i < size; i++)
        ck_assert_int_eq(api.get_task_in_parallel(region, i, &ret_tasks[i]), ompd_rc_ok);
    ck_assert_int_eq(api.rel_thread_handle(thread), ompd_rc_ok);
    return region;
}

static bool
is_among(ompd_task_handle_t *task, ompd_task_handle_t *const *others, int count)
{
    int order = 1;
    for (int i = 0; i < count && order != 0; i++)
        ck_assert_int_eq(api.task_handle_compare(task, others[i], &order), ompd_rc_ok);
    return order == 0;
}

// No variable of what has gone has a value.
static void
expect_no_variables(void *handle, ompd_scope_t scope)
{
    ompd_word_t value;
    for (ompd_icv_id_t id = 1; id < 40; id++) {
        ompd_rc_t rc = api.get_icv_from_scope(handle, scope, id, &value);
        ck_assert_msg(rc == ompd_rc_bad_input || rc == ompd_rc_stale_handle ||
                          rc == ompd_rc_incompatible || rc == ompd_rc_unsupported,
                      "variable %d: %d", (int) id, (int) rc);
    }
}

// Asks everything about each task; where it has gone, there is no answer.
static void
ask_tasks(ompd_task_handle_t *const *tasks, bool gone)
{
    for (int i = 0; i < TEAM; i++)
        for (unsigned row = 0; row < PROXY_ROWS; row++) {
            const char *name = proxy_rows[row].name;
            if (proxy_rows[row].kind != OMP_TASK || strstr(name, "compare") || strstr(name, "icv"))
                continue;
            ompd_rc_t rc = proxy_rows[row].ask(tasks[i], 0);
            ck_assert_msg(rc == ompd_rc_unsupported || (rc == ompd_rc_stale_handle) == gone,
                          "%s: %d", name, (int) rc);
        }
}

// A region is over, and later its team executes another one, whose tasks may be elsewhere.
START_TEST(region_ends)
{
    ompd_task_handle_t *tasks[TEAM], *later[4 * TEAM];
    struct subject *subject = subject_start(0, "ends", (unsigned) _i);
    ompd_parallel_handle_t *region = enter_region(subject, tasks, TEAM);
    ask_tasks(tasks, false);
    ck_assert(park_go_on(&subject->park));
    ask_tasks(tasks, true);
    expect_no_variables(region, ompd_scope_parallel);
    for (int i = 0; i < TEAM; i++)
        expect_no_variables(tasks[i], ompd_scope_task);
    ck_assert(park_go_on(&subject->park));
    enter_region(subject, later, 4 * TEAM);
    for (int i = 0; i < TEAM; i++) {
        const bool again = is_among(tasks[i], later, 4 * TEAM);
        ompd_address_t function;
        ompd_rc_t rc = api.get_task_function(tasks[i], &function);
        ck_assert_msg((rc == ompd_rc_stale_handle) == !again, "task %d: %d, again %d", i, (int) rc,
                      again);
    }
}
END_TEST

START_TEST(no_openmp)
{
    struct subject *subject = &subjects[0];
    ck_assert(park_start_other(&subject->park));
    ck_assert(live_host_init(&subject->host, subject->park.pid));
    subject->context.target = live_host_target(&subject->host);
    ck_assert_int_eq(api.process_initialize(subject_context(subject), &subject->space),
                     ompd_rc_incompatible);
}
END_TEST

// Nothing is told of the threads of a process that has gone, but what was given can be given back.
START_TEST(process_ends)
{
    struct subject *subject = subject_start(0, "nested", (unsigned) _i);
    struct proxy_handles handles = enter(subject);
    park_stop(&subject->park);
    for (unsigned i = 0; i < PROXY_ROWS; i++) {
        const struct proxy_row *row = &proxy_rows[i];
        if (!handles.of[row->kind])
            continue;
        ompd_rc_t rc = row->ask(handles.of[row->kind], 0);
        if (row->kind != OMP_SPACE && !strstr(row->name, "compare"))
            ck_assert_msg(rc != ompd_rc_ok, "%s", row->name);
    }
    proxy_release(&handles);
    ck_assert_int_eq(api.rel_address_space_handle(subject->space), ompd_rc_ok);
}
END_TEST

// Each callback fails once, at each of its calls.
START_TEST(callbacks_fail)
{
    struct subject *subject = subject_start(0, "four", 0);
    const enum tool_call call = (enum tool_call) _i;
    unsigned calls = 1;
    for (unsigned n = 1; n <= calls && n < 400; n += 1 + n / 16) {
        struct proxy_handles handles = {{NULL}};
        ompd_address_space_handle_t *space;
        const uint64_t id = (uint64_t) subject->park.pid;
        tool_reset();
        tool.fail[call] = n;
        if (api.process_initialize(subject_context(subject), &space) == ompd_rc_ok) {
            handles.of[OMP_SPACE] = space;
            if (api.get_thread_handle(space, OMPD_THREAD_ID_LWP, sizeof(id), &id,
                                      (void *) &handles.of[OMP_THREAD]) != ompd_rc_ok)
                handles.of[OMP_THREAD] = NULL;
            proxy_ask_rightly(&handles, ~0U);
            ck_assert_int_eq(api.rel_address_space_handle(space), ompd_rc_ok);
        }
        calls = tool.calls[call] > calls ? tool.calls[call] : calls;
    }
    tool_reset();
    subject_check(subject, false);
}
END_TEST

START_TEST(exports)
{
    static const char *const hidden[] = {"ompd_state", "ompd_bridge_callbacks", "ompd_host_alloc",
                                         "proxy_get", "ompd_dll_locations"};
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        ck_assert_ptr_null(dlsym(library, hidden[i]));
}
END_TEST

TCase *
proxy_case(const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 600);
    return cases;
}

int
main(void)
{
    Suite *suite = suite_create("OMPD library");
    TCase *cases = proxy_case("live");
    int tested = (int) proxy_builds();
    unsetenv("MQS_OMPD_LIBRARY");
    unsetenv("OMP_DEBUG");
    library = dlopen(DLL, RTLD_NOW | RTLD_LOCAL);
    if (!library || !tool_load(library, &api)) {
        fprintf(stderr, "%s\n", dlerror());
        return EXIT_FAILURE;
    }
    if (!check_set_is_quick() && !park_find_builds())
        return EXIT_FAILURE;
    tcase_add_test(cases, exports);
    tcase_add_loop_test(cases, every_question, 0, tested);
    if (!check_set_is_quick())
        tcase_add_test(cases, no_absent_symbols);
    tcase_add_test(cases, no_symbols_of_others);
    tcase_add_test(cases, several_processes);
    tcase_add_test(cases, many_processes);
    tcase_add_loop_test(cases, few_reads, 0, tested);
    tcase_add_loop_test(cases, starts_late, 0, tested);
    tcase_add_loop_test(cases, region_ends, 0, tested);
    tcase_add_test(cases, no_openmp);
    tcase_add_loop_test(cases, process_ends, 0, tested);
    tcase_add_loop_test(cases, callbacks_fail, 0, TOOL_CALLS);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, proxy_truth());
    suite_add_tcase(suite, proxy_fakes());
    suite_add_tcase(suite, proxy_faults());
    return check_run(srunner_create(suite));
}

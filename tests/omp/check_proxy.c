// SPDX-License-Identifier: BSD-3-Clause
// Runs the tests of the exported OMPD library over a made-up reader.
#include "tests/omp/check_proxy.h"

#include "ompd-bridge/exports/proxy.h"
#include "tests/check_run.h"

#include <stdlib.h>

struct made_up worlds[2];
struct tool_context contexts[2];

ompd_address_space_context_t *
proxy_context(unsigned number)
{
    return (ompd_address_space_context_t *) &contexts[number];
}

static void
setup(void)
{
    tool = (struct tool){.blocks = 0};
    for (unsigned i = 0; i < 2; i++) {
        worlds[i] = (struct made_up){.loaded = true, .started = true};
        contexts[i] = (struct tool_context){.target = made_up_target(&worlds[i])};
    }
#define FUNCTION(name, ...) api.name = ompd_##name;
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
}

static void
teardown(void)
{
    api.finalize();
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(worlds[i].objects, 0);
        ck_assert_int_eq(worlds[i].states, 0);
    }
    ck_assert_int_eq(tool.blocks, 0);
    ck_assert(!tool.torn);
}

void
proxy_initialize(void)
{
    ck_assert_int_eq(api.initialize(201811, &tool_callbacks), ompd_rc_ok);
}

ompd_thread_handle_t *
proxy_thread(ompd_address_space_handle_t *space, uint64_t number)
{
    ompd_thread_handle_t *thread;
    const uint64_t id = MADE_UP_TID + number;
    ck_assert_int_eq(api.get_thread_handle(space, OMPD_THREAD_ID_LWP, sizeof(id), &id, &thread),
                     ompd_rc_ok);
    return thread;
}

struct proxy_handles
proxy_begin(unsigned number)
{
    struct proxy_handles ret;
    ompd_address_space_handle_t *space;
    ompd_parallel_handle_t *parallel;
    ompd_task_handle_t *task;
    ck_assert_int_eq(api.process_initialize(proxy_context(number), &space), ompd_rc_ok);
    ompd_thread_handle_t *thread = proxy_thread(space, 1);
    ck_assert_int_eq(api.get_curr_parallel_handle(thread, &parallel), ompd_rc_ok);
    ck_assert_int_eq(api.get_curr_task_handle(thread, &task), ompd_rc_ok);
    ret.of[OMP_SPACE] = space;
    ret.of[OMP_THREAD] = thread;
    ret.of[OMP_PARALLEL] = parallel;
    ret.of[OMP_TASK] = task;
    return ret;
}

TCase *
proxy_case(const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_add_checked_fixture(cases, setup, teardown);
    return cases;
}

int
main(void)
{
    Suite *suite = suite_create("OMPD");
    unsetenv("MQS_OMPD_LIBRARY");
    suite_add_tcase(suite, proxy_life());
    suite_add_tcase(suite, proxy_handle_tests());
    suite_add_tcase(suite, proxy_value_tests());
    return check_run(srunner_create(suite));
}

// SPDX-License-Identifier: BSD-3-Clause
// The built library as an OMPD library, on made-up processes, of which most are invalid.
#include "tests/omp/check_proxy_live.h"
#include "tests/omp/fake_kmp.h"
#include "tests/omp/ompd_tool.h"
#include "tests/omp/proxy_rows.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/** A made-up process. */
static struct fake_kmp fake;

static const struct datamodel models[] = {{false, 2, 4, 8, 8, 8, 1, 8},
                                          {true, 2, 4, 8, 8, 8, 1, 8},
                                          {false, 2, 4, 4, 8, 4, 1, 4},
                                          {true, 2, 4, 4, 8, 4, 1, 4}};

// Asks everything that can be asked of the made-up process. @return threads that were found
static unsigned
ask_fake(void)
{
    struct tool_context context = {.target = fake_kmp_target(&fake)};
    ompd_address_space_handle_t *space;
    unsigned found = 0;
    if (api.process_initialize((ompd_address_space_context_t *) &context, &space) != ompd_rc_ok)
        return 0;
    for (uint64_t id = 1000; id <= 1000 + FAKE_WORKERS; id++) {
        struct proxy_handles handles = {{space}};
        if (api.get_thread_handle(space, OMPD_THREAD_ID_LWP, sizeof(id), &id,
                                  (void *) &handles.of[OMP_THREAD]) != ompd_rc_ok)
            continue;
        if (api.get_curr_parallel_handle(handles.of[OMP_THREAD],
                                         (void *) &handles.of[OMP_PARALLEL]) != ompd_rc_ok)
            handles.of[OMP_PARALLEL] = NULL;
        if (api.get_curr_task_handle(handles.of[OMP_THREAD], (void *) &handles.of[OMP_TASK]) !=
            ompd_rc_ok)
            handles.of[OMP_TASK] = NULL;
        proxy_ask_rightly(&handles, ~0U);
        found++;
    }
    ck_assert_int_eq(api.rel_address_space_handle(space), ompd_rc_ok);
    return found;
}

START_TEST(other_machines)
{
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1);
    fake_kmp_init(&fake, &models[_i % 4], (enum fake_order)(_i / 4), FAKE_TABLE);
    ck_assert_uint_eq(ask_fake(), FAKE_WORKERS + 1);
}
END_TEST

// A release that nobody has seen is refused, and the library says so.
START_TEST(unknown_release)
{
    const char *text;
    fake_kmp_init(&fake, &models[0], FAKE_FORWARD, FAKE_TABLE);
    unsetenv("MQS_OMPD_UNKNOWN_RUNTIME");
    ck_assert_uint_eq(ask_fake(), 0);
    ck_assert_int_eq(api.get_version_string(&text), ompd_rc_ok);
    ck_assert_msg(strstr(text, "refused: ") && strstr(text, "release of LLVM's or Intel's"), "%s",
                  text);
}
END_TEST

// Bytes anywhere in the process change; whatever is told, nothing crashes, hangs or is lost.
START_TEST(damaged)
{
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1);
    uint32_t random = 12345 + (uint32_t) _i;
    for (unsigned round = 0; round < 40; round++) {
        fake_kmp_init(&fake, &models[0], FAKE_FORWARD, FAKE_TABLE);
        for (unsigned i = 0; i < 1U << round % 12; i++) {
            random = random * 1664525 + 1013904223;
            fake.memory[random / 7 % FAKE_SIZE] = (uint8_t) (random >> 24);
            // Where things are, rather than where nothing is.
            fake.memory[FAKE_OBJECTS + random / 11 % 0x4000] = (uint8_t) (random >> 16);
        }
        ask_fake();
        ck_assert(!tool.torn);
    }
}
END_TEST

TCase *
proxy_fakes(void)
{
    TCase *cases = proxy_case("made-up");
    tcase_add_loop_test(cases, other_machines, 0, 4 * FAKE_ORDERS);
    tcase_add_test(cases, unknown_release);
    tcase_add_loop_test(cases, damaged, 0, 8);
    return cases;
}

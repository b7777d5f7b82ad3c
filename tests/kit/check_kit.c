// SPDX-License-Identifier: BSD-3-Clause
// The adapter of the kit on a live process: what mqshow reports is what the process recorded.
//
// The process runs twice: with debug information, and stripped to its dynamic symbols.
#include "tests/check_run.h"
#include "tests/live/compare.h"
#include "tests/live/run.h"
#include "tests/live/tool.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 600, START_SECONDS = 120, TOOL_SECONDS = 120 };

static const char dll[] = BUILD_FOLDER "/.libs/libmqs_kit.so";
static const char debug_program[] = BUILD_FOLDER "/tests/kit/toy_process";
static const char stripped_program[] = BUILD_FOLDER "/tests/kit/toy_process_stripped";

/** A parked process and what it recorded of itself. */
struct parked {
    char folder[32];
    char *record, *pid;
    json_t *truth;
};

static struct parked
start(const char *program)
{
    struct parked parked = {.folder = "/tmp/mqs-kit-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(parked.folder));
    parked.record = run_text("%s/record", parked.folder);
    struct command command = {.count = 0};
    command_add(&command, program, parked.record, NULL);
    char *output = run_text("%s/output", parked.folder);
    parked.pid = run_text("%d", (int) run_in_background(&command, (char *[]){NULL}, output));
    double deadline = run_clock() + START_SECONDS;
    while ((parked.truth = json_load_file(parked.record, 0, NULL)) == NULL) {
        ck_assert_msg(run_clock() < deadline, "%s writes no record", program);
        run_sleep_ms(10);
    }
    remove(output);
    free(output);
    return parked;
}

static void
end(struct parked *parked)
{
    run_kill_all();
    remove(parked->record);
    remove(parked->folder);
    json_decref(parked->truth);
    free(parked->record);
    free(parked->pid);
}

static json_t *
look(const struct parked *parked, enum tool_need need, const char *layout)
{
    json_t *report = NULL;
    struct command command = tool_command(dll);
    if (layout != NULL)
        command_add(&command, "--layout", layout, NULL);
    command_add(&command, parked->pid, NULL);
    char *problem = tool_run(&command, need, &report);
    ck_assert_msg(problem == NULL, "%s", problem);
    return report;
}

// Compares what is reported, and where the layout came from.
static void
check(const char *program, const char *layout, const char *origin)
{
    struct parked parked = start(program);
    json_t *report = look(&parked, TOOL_ALL, layout);
    const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
    char *difference = compare_truth(parked.truth, report);
    ck_assert_msg(difference == NULL, "%s", difference);
    ck_assert_uint_eq(json_array_size(json_object_get(process, "messages")), 0);
    ck_assert_pstr_eq(json_string_value(json_object_get(json_object_get(process, "mpi"), "layout")),
                      origin);
    json_decref(report);
    end(&parked);
}

START_TEST(reads_by_debug_information)
{
    check(debug_program, NULL, "debug information");
}
END_TEST

// builtin.def holds for 8-byte pointers; elsewhere there is nothing to read by.
static bool
has_block(void)
{
    return sizeof(void *) == 8;
}

START_TEST(reads_by_built_in_layout)
{
    if (!has_block())
        return;
    check(debug_program, "built-in", "built-in 1.2");
    check(stripped_program, NULL, "built-in 1.2");
}
END_TEST

START_TEST(refuses_without_layout)
{
    struct parked parked = start(stripped_program);
    struct command command = tool_command(dll);
    command_add(&command, "--layout", "debug", parked.pid, NULL);
    struct outcome outcome = run(&command, TOOL_SECONDS);
    ck_assert_ptr_nonnull(strstr(outcome.out, "the layout of toympi's toy_pool is not known: "
                                              "install the debug information of its library"));
    outcome_deinit(&outcome);
    end(&parked);
}
END_TEST

// The block in builtin.def is what the tool prints; its label is the release line, not the release.
START_TEST(block_is_printed)
{
    if (!has_block())
        return;
    struct parked parked = start(debug_program);
    struct command command = {.count = 0};
    command_add(&command, tool_command(dll).words[0], "--dll", dll, "--print-layout", parked.pid,
                NULL);
    struct outcome outcome = run(&command, TOOL_SECONDS);
    char *builtin = run_read_file(SOURCE_FOLDER "/tests/kit/toympi/builtin.def");
    const char *printed = strstr(outcome.out, "SIZE (toy_pool");
    const char *kept = builtin != NULL ? strstr(builtin, "SIZE (toy_pool") : NULL;
    ck_assert_msg(printed != NULL, "%s%s", outcome.out, outcome.err);
    ck_assert_pstr_eq(kept, printed);
    free(builtin);
    outcome_deinit(&outcome);
    end(&parked);
}
END_TEST

static const json_t *
find_member(const json_t *report, const char *structure, const char *member)
{
    const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
    const json_t *rows = json_object_get(json_object_get(process, "mpi"), "layout_rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "member"));
        if (name != NULL && strcmp(name, member) == 0 &&
            strcmp(json_string_value(json_object_get(row, "struct")), structure) == 0)
            return row;
    }
    ck_abort_msg("%s.%s is not printed", structure, member);
    return NULL;
}

static void
check_confirmed(const json_t *report, const char *structure, const char *member,
                const char *confirmed)
{
    const json_t *row = find_member(report, structure, member);
    ck_assert_pstr_eq(json_string_value(json_object_get(row, "confirmed")), confirmed);
}

static json_t *
print_layout(const struct parked *parked)
{
    json_t *report = NULL;
    struct command command = tool_command(dll);
    command_add(&command, "--print-layout", parked->pid, NULL);
    char *problem = tool_run(&command, TOOL_ALL, &report);
    ck_assert_msg(problem == NULL, "%s", problem);
    return report;
}

// What a pool has exclude one another; toympi's ranks are believed wherever they are read.
START_TEST(members_are_confirmed)
{
    if (!has_block())
        return;
    struct parked parked = start(stripped_program);
    struct command command = {.count = 0};
    command_add(&command, tool_command(dll).words[0], "--dll", dll, "--print-layout", parked.pid,
                NULL);
    struct outcome outcome = run(&command, TOOL_SECONDS);
    ck_assert_msg(strstr(outcome.out, "\n// OFFSET (toy_pool, used, 8) // confirmed: refused in 1 "
                                      "of 1 other places\n") != NULL,
                  "%s%s", outcome.out, outcome.err);
    outcome_deinit(&outcome);
    json_t *report = print_layout(&parked);
    check_confirmed(report, "toy_pool", "object_size", "values");
    check_confirmed(report, "toy_comm", "rank", "not yet");
    json_decref(report);
    end(&parked);
    parked = start(debug_program);
    report = print_layout(&parked);
    check_confirmed(report, "toy_comm", "rank", "debug information");
    json_decref(report);
    end(&parked);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("adapter kit");
    TCase *tests = tcase_create("toympi");
    run_adopt_orphans();
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, reads_by_debug_information);
    tcase_add_test(tests, reads_by_built_in_layout);
    tcase_add_test(tests, refuses_without_layout);
    tcase_add_test(tests, block_is_printed);
    tcase_add_test(tests, members_are_confirmed);
    suite_add_tcase(suite, tests);
    return check_run(srunner_create(suite));
}

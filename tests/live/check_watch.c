// SPDX-License-Identifier: BSD-3-Clause
// Several looks at real jobs, one that hangs and one that works: what moved, and what did not.
#include "aftermath.h"
#include "compare.h"
#include "paths.h"
#include "suite.h"
#include "terminal.h"
#include "tool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SECONDS = 600, MOVE_SECONDS = 300, LOOKS = 3 };

static const struct scenario hanging = {
    .name = "hanging", .program = "deadlock receives 2", .ranks = 2};
static const struct scenario large = {
    .name = "large", .program = "deadlock receives 10", .ranks = 10};
static const struct scenario working = {.name = "working", .program = "healthy", .ranks = 2};

// A job that runs, and a command line for it.
static struct command
start(const struct scenario *scenario, bool json)
{
    struct command command = {.count = 0};
    suite_start(scenario, suite_build(0));
    struct command look = tool_command(path_dll());
    tool_add_ranks(&look, &suite_job);
    if (scenario != &working)
        suite_expect_none(tool_agree(&look, TOOL_SOMETHING, &suite_job, compare_truth));
    command_add(&command, path_mqshow(), "--dll", path_dll(), NULL);
    if (json)
        command_add(&command, "--json", NULL);
    tool_add_ranks(&command, &suite_job);
    return command;
}

// Counts values of a member "moved" anywhere in a document.
static void
count_moved(const json_t *value, size_t *unmoved, size_t *moved)
{
    size_t i;
    const char *key;
    json_t *item;
    *unmoved += json_is_false(json_object_get(value, "moved"));
    *moved += json_is_true(json_object_get(value, "moved"));
    json_object_foreach ((json_t *) value, key, item)
        count_moved(item, unmoved, moved);
    json_array_foreach (value, i, item)
        count_moved(item, unmoved, moved);
}

// On a busy machine a process may get no processor for a while: whether it is stuck is unknown
// then.
static json_t *
wait_settled(const struct command *command)
{
    double deadline = run_clock() + MOVE_SECONDS;
    json_t *report = NULL;
    const json_t *settled = NULL;
    do {
        json_decref(report);
        suite_expect_none(tool_run(command, TOOL_SOMETHING, &report));
        settled =
            json_object_get(json_array_get(json_object_get(report, "processes"), 0), "settled");
    } while (settled == NULL && run_clock() < deadline);
    ck_assert(json_is_true(settled));
    return report;
}

START_TEST(finds_what_is_stuck)
{
    struct command command = start(&hanging, true);
    command_add(&command, "--stuck=0.5", NULL);
    json_t *report = wait_settled(&command), *looks = json_object_get(report, "looks");
    size_t unmoved = 0, moved = 0;
    ck_assert_int_ge(json_integer_value(json_object_get(looks, "count")), 2);
    ck_assert(json_number_value(json_object_get(looks, "seconds")) > 0.01);
    ck_assert(json_is_false(json_object_get(looks, "moved")));
    count_moved(json_object_get(report, "processes"), &unmoved, &moved);
    ck_assert_uint_eq(unmoved, 4); // a receive and a thread in each
    ck_assert_uint_eq(moved, 0);
    json_decref(report);
}
END_TEST

START_TEST(sees_a_job_move)
{
    struct command command = start(&working, true);
    double deadline = run_clock() + MOVE_SECONDS;
    bool moved = false;
    command_add(&command, "--stuck=0.5", NULL);
    while (!moved && run_clock() < deadline) {
        json_t *report = NULL;
        suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
        moved = json_is_true(json_object_get(json_object_get(report, "looks"), "moved"));
        json_decref(report);
    }
    ck_assert(moved);
}
END_TEST

START_TEST(says_what_is_stuck)
{
    struct command command = start(&hanging, false);
    command_add(&command, "--stuck=0.5", NULL);
    struct outcome outcome = run(&command, SECONDS);
    const char *verdict = strstr(outcome.out, "DEADLOCK: "),
               *moved = strstr(outcome.out, " samples in ");
    ck_assert_msg(verdict == outcome.out && moved > verdict, "%s", outcome.out);
    ck_assert_msg(strstr(outcome.out, "operations: 2 did not move, 0 did, 0 new, 0 gone; "
                                      "threads: 2 did not move, 0 did") != NULL &&
                      strstr(outcome.out, ", unmoved") != NULL,
                  "%s", outcome.out);
    outcome_deinit(&outcome);
}
END_TEST

static void
expect_line(const char *line, bool is_first)
{
    json_error_t error;
    json_t *report = json_loads(line, 0, &error);
    ck_assert_msg(report != NULL, "column %d: %s", error.column, error.text);
    const json_t *changes = json_object_get(report, "changes");
    ck_assert_str_eq(json_string_value(json_object_get(report, "schema")), "mqs-ompd/1");
    ck_assert_ptr_nonnull(json_object_get(report, "time"));
    ck_assert((changes == NULL) == is_first);
    if (!is_first) {
        ck_assert_uint_eq(json_array_size(json_object_get(changes, "new")), 0);
        ck_assert_uint_eq(json_array_size(json_object_get(changes, "gone")), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(changes, "moved")), 0);
        ck_assert_int_eq(json_integer_value(json_object_get(changes, "unmoved")), 2);
        ck_assert_int_eq(json_integer_value(json_object_get(changes, "threads_unmoved")), 2);
    }
    json_decref(report);
}

START_TEST(watches_line_by_line)
{
    struct command command = start(&hanging, true);
    command_add(&command, "--watch", "0.1", "--count", "3", NULL);
    struct outcome outcome = run(&command, SECONDS);
    int count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(outcome.out, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        expect_line(line, count++ == 0);
    ck_assert_int_eq(count, LOOKS);
    outcome_deinit(&outcome);
}
END_TEST

START_TEST(watches_a_job_move)
{
    struct command command = start(&working, false);
    double deadline = run_clock() + MOVE_SECONDS;
    bool moved = false;
    command_add(&command, "--watch", "0.1", "--count", "8", NULL);
    while (!moved && run_clock() < deadline) {
        struct outcome outcome = run(&command, SECONDS);
        ck_assert_msg(strstr(outcome.out, "sample 8\n") != NULL, "%s%s", outcome.out, outcome.err);
        moved = strstr(outcome.out, "   new ") != NULL || strstr(outcome.out, "   gone ") != NULL;
        outcome_deinit(&outcome);
    }
    ck_assert(moved);
}
END_TEST

// An interrupt ends the watch, and it ends well.
START_TEST(ends_when_interrupted)
{
    struct command command = start(&hanging, true);
    char *output = run_text("%s/watch", suite_job.folder);
    int status;
    struct stat written = {.st_size = 0};
    double deadline = run_clock() + SECONDS;
    command_add(&command, "--watch", "0.1", NULL);
    pid_t tool = run_in_background(&command, (char *[]){NULL}, output);
    // Once it has printed something it watches.
    while ((stat(output, &written) != 0 || written.st_size == 0) && run_clock() < deadline)
        run_sleep_ms(10);
    kill(tool, SIGINT);
    ck_assert_int_eq(waitpid(tool, &status, 0), tool);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status 0x%x", status);
    for (size_t i = 0; i < json_array_size(suite_job.pids); i++)
        suite_expect_none(
            aftermath_stopped(atoi(json_string_value(json_array_get(suite_job.pids, i)))));
    free(output);
}
END_TEST

static bool
begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// The verdict is on top of the terminal and what changed is below it, and nothing scrolls away.
START_TEST(watches_on_a_terminal)
{
    static const char clear[] = "\033[H\033[2J";
    struct command command = start(&large, false);
    command_add(&command, "--watch", "0.5", "--count", "3", "--color", "never", NULL);
    char *text = terminal_run(&command, SECONDS), *sample = text;
    int count = 0;
    ck_assert_ptr_nonnull(text);
    for (char *next = strstr(text, clear); (sample = next) != NULL; count++) {
        sample += strlen(clear);
        next = strstr(sample, clear);
        if (next != NULL)
            *next = '\0';
        ck_assert_msg(begins_with(sample, "DEADLOCK: "), "%.400s", sample);
        ck_assert_msg(strstr(sample, "   sample ") != NULL, "%.400s", sample);
        ck_assert_msg((strstr(sample, "\noperations: ") != NULL) == (count > 0), "%.400s", sample);
        ck_assert_msg(strstr(sample, "\nrank ") != NULL, "%.400s", sample);
        ck_assert_msg(!terminal_scrolls(sample), "%.400s", sample);
    }
    ck_assert_int_eq(count, LOOKS);
    free(text);
}
END_TEST

START_TEST(refuses_nonsense)
{
    static const char *const words[][2] = {{"--watch", "0"},
                                           {"--watch", "x"},
                                           {"--watch", "nan"},
                                           {"--count", "0"},
                                           {"--stuck=-1", "1"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct command command = {.count = 0};
        command_add(&command, path_mqshow(), words[i][0], words[i][1], "1", NULL);
        struct outcome outcome = run(&command, SECONDS);
        ck_assert_msg(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 2, "%s %s",
                      words[i][0], words[i][1]);
        outcome_deinit(&outcome);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("watch");
    TCase *watch = suite_new_case(suite, "watch"), *words = tcase_create("words");
    tcase_add_test(watch, finds_what_is_stuck);
    tcase_add_test(watch, sees_a_job_move);
    tcase_add_test(watch, says_what_is_stuck);
    tcase_add_test(watch, watches_line_by_line);
    tcase_add_test(watch, watches_a_job_move);
    tcase_add_test(watch, watches_on_a_terminal);
    tcase_add_test(watch, ends_when_interrupted);
    tcase_add_test(words, refuses_nonsense);
    suite_add_tcase(suite, words);
    return suite_run(suite);
}

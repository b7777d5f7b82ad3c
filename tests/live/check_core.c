// SPDX-License-Identifier: BSD-3-Clause
// Whether mqshow tells of threads, and of cores, what the programs know of themselves.
#include "calls.h"
#include "compare.h"
#include "cores.h"
#include "paths.h"
#include "suite.h"
#include "tests/check_set.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOOL_SECONDS = 600 };

// Cores of gdb are large: those of jobs with few ranks will do.
static const struct plan {
    struct scenario scenario;
    bool with_gdb;
} plans[] = {
    {{.name = "blocking", .program = "blocking", .ranks = 4}, false},
    {{.name = "threads", .program = "threads", .ranks = 2}, true},
    {{.name = "wildcards", .program = "wildcards", .ranks = 4}, false},
    {{.name = "hybrid", .program = "hybrid", .ranks = 4}, false},
    {{.name = "hybrid-gomp", .program = "hybrid_gomp", .ranks = 4}, false},
};

enum { PLANS = sizeof plans / sizeof *plans };

// Everything that a program knows. What MPICH shows of its queues has limits, which check_mpich
// knows.
static char *
compare_all(const json_t *truth, const json_t *report)
{
    char *difference = (LIVE_DEVICES & DEVICE_OB1) != 0 ? compare_truth(truth, report) : NULL;
    return difference != NULL ? difference : calls_compare(truth, report);
}

static void
start(int number)
{
    suite_start(&plans[number % PLANS].scenario, suite_build(number / PLANS));
    struct command command = tool_command(path_dll());
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_agree(&command, TOOL_SOMETHING, &suite_job, compare_all));
}

// Reads the cores of all ranks, and compares all but the first ones with what the programs know.
static json_t *
read_cores(size_t but)
{
    size_t i;
    const json_t *truth;
    json_t *report = NULL;
    struct command command = tool_command(path_dll());
    cores_add(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    json_array_foreach (suite_job.truths, i, truth)
        if (i >= but)
            suite_expect_none(compare_all(truth, report));
    return report;
}

static void
expect_cores(void)
{
    json_decref(read_cores(0));
}

// Case numbers: the plans on the first build, then the same on the next.
START_TEST(reads_cores_of_gdb)
{
    start(_i);
    suite_expect_none(cores_by_gdb(&suite_job));
    expect_cores();
}
END_TEST

START_TEST(reads_cores_of_the_kernel)
{
    start(_i);
    suite_expect_none(cores_by_kernel(&suite_job));
    expect_cores();
}
END_TEST

// What mqshow says of the cores, with an option and its value; NULL: none.
static char *
look_with(const char *option, const char *value)
{
    struct command command = {.count = 0};
    command_add(&command, path_mqshow(), "--all", "--dll", path_dll(), option, value, NULL);
    cores_add(&command, &suite_job);
    struct outcome outcome = run(&command, TOOL_SECONDS);
    char *ret = run_text("%s%s", outcome.out, outcome.err);
    ck_assert(!outcome.timed_out && WIFEXITED(outcome.status));
    outcome_deinit(&outcome);
    return ret;
}

START_TEST(refuses_another_program)
{
    static const char refusal[] = "is not the file that the process had loaded";
    start(_i);
    suite_expect_none(cores_by_kernel(&suite_job));
    char *wrong = look_with("--exe", "/bin/true");
    ck_assert_msg(strstr(wrong, "/bin/true") != NULL && strstr(wrong, refusal) != NULL, "%s",
                  wrong);
    char *program = run_text("%s/%s", path_programs(), plans[_i % PLANS].scenario.program);
    char *right = look_with("--exe", program);
    ck_assert_msg(strstr(right, refusal) == NULL && strstr(right, "MPI_Send in send at") != NULL,
                  "%s", right);
    free(right);
    free(program);
    free(wrong);
}
END_TEST

// Whether a process of the report has a message with these words.
static bool
has_message(const json_t *report, int64_t rank, const char *words)
{
    size_t i, k;
    json_t *process, *message;
    json_array_foreach (json_object_get(report, "processes"), i, process)
        if (json_integer_value(json_object_get(process, "rank")) == rank)
            json_array_foreach (json_object_get(process, "messages"), k, message)
                if (strstr(json_string_value(message), words) != NULL)
                    return true;
    return false;
}

// The first core ends early: it has a reason, and the rank that the others lack, which keep theirs.
static void
expect_truncated(const char *reason)
{
    const json_t *cut = json_array_get(suite_job.truths, 0);
    int64_t rank = json_integer_value(json_object_get(cut, "rank"));
    json_t *report = read_cores(1);
    ck_assert_msg(has_message(report, rank, reason), "%s: rank %d does not say so", reason,
                  (int) rank);
    json_decref(report);
}

// The core of one of the ranks whose truths are known, to free().
static char *
core_of(size_t number)
{
    const json_t *truth = json_array_get(suite_job.truths, number);
    return run_text("%s/core.%d", suite_job.folder,
                    (int) json_integer_value(json_object_get(truth, "pid")));
}

static void
cut_core(size_t number, off_t length)
{
    char *path = core_of(number);
    ck_assert_int_eq(truncate(path, length), 0);
    free(path);
}

START_TEST(names_truncated_cores)
{
    start(_i);
    suite_expect_none(cores_by_gdb(&suite_job));
    cut_core(0, 1 << 20);
    expect_truncated("the core is truncated: 1.0 MB of ");
    cut_core(0, 1 << 10);
    expect_truncated("the core is truncated: its headers are not all there");
    cut_core(0, 0);
    expect_truncated("the file is empty");
}
END_TEST

// Of several cores whose ranks are not known, each has the name of its file and a reason; the
// others keep their ranks, also in the verdict.
START_TEST(names_several_truncated_cores)
{
    start(_i);
    suite_expect_none(cores_by_kernel(&suite_job));
    const off_t lengths[] = {1 << 10, 0};
    for (size_t i = 0; i < 2; i++)
        cut_core(i, lengths[i]);
    json_t *report = read_cores(2), *verdict = json_object_get(report, "verdict");
    ck_assert_ptr_nonnull(verdict);
    ck_assert_ptr_null(json_object_get(verdict, "ranks_are"));
    json_decref(report);
    char *text = look_with(NULL, NULL), *list = look_with("--list", NULL);
    ck_assert_msg(strstr(list, "gone") == NULL && strstr(list, "dead") == NULL, "%s", list);
    for (size_t i = 0; i < 2; i++) {
        char *path = core_of(i), *heading = run_text("\n%s   pid ?", strrchr(path, '/') + 1);
        ck_assert_msg(strstr(text, heading) != NULL, "no line is \"%s\": %s", heading + 1, text);
        ck_assert_msg(strstr(list, path) != NULL, "%s is not in: %s", path, list);
        free(heading);
        free(path);
    }
    ck_assert_msg(strstr(text, "the core is truncated: ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "the file is empty") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\nrank 2   ") != NULL && strstr(text, "\nprocess ") == NULL, "%s",
                  text);
    free(list);
    free(text);
}
END_TEST

static void
add_case(Suite *suite, const char *kind, int number, const TTest *test)
{
    char *name = run_text("%s%s", plans[number % PLANS].scenario.name, kind);
    suite_add_case(suite, build_describe(number / PLANS)->name, name, test, number);
    free(name);
}

// What a core has depends on the MPI library no more than what the process had: the packages will
// do, and those of Open MPI where it has to be quick.
static enum check_set
set_of(const struct plan *plan, const struct build *build)
{
    if (!build->is_packaged)
        return ALL_SET;
    return build->device == DEVICE_OB1 || plan->with_gdb ? QUICK_SET : FULL_SET;
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("cores");
    for (int i = 0; i < BUILDS * PLANS; i++) {
        if (!build_is_tested(i / PLANS, LIVE_DEVICES) ||
            set_of(&plans[i % PLANS], build_describe(i / PLANS)) > check_set())
            continue;
        add_case(suite, "-kernel", i, reads_cores_of_the_kernel);
        if (plans[i % PLANS].with_gdb)
            add_case(suite, "-gcore", i, reads_cores_of_gdb);
    }
    if ((LIVE_DEVICES & DEVICE_OB1) != 0) {
        add_case(suite, "-program", 1, refuses_another_program);
        add_case(suite, "-truncated", 1, names_truncated_cores);
        add_case(suite, "-several-truncated", 0, names_several_truncated_cores);
    }
    return suite;
}

int
main(void)
{
    return suite_run(make_suite());
}

// SPDX-License-Identifier: BSD-3-Clause
// Runs all cases in all data models, and with every callback failing once.
//
// Names of cases as arguments restrict it to these; CK_EXCLUDE_TAGS=failing-callbacks leaves out
// what takes minutes in an emulator.
#include "tests/check_run.h"
#include "tests/script/expected.h"
#include "tests/script/faults.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 1800, FOR_EVER = 1 << 30 };

static char **cases;
static int n_cases;

// Name of the file beside a case that has another ending.
static char *
beside(const char *path, const char *ending)
{
    char *result = NULL;
    const char *dot = strrchr(path, '.');
    ck_assert_int_ge(asprintf(&result, "%.*s%s", (int) (dot - path), path, ending), 0);
    return result;
}

// Where the first line starts that differs.
static const char *
first_difference(const char *one, const char *other)
{
    const char *line = one;

    for (; *one && *one == *other; one++, other++)
        line = *one == '\n' ? one + 1 : line;
    return line;
}

static void
compare(const char *path, const struct model *model, bool exact, const struct source *source,
        const char *expected)
{
    char *text = case_run(source, model, exact);

    if (strcmp(text, expected)) {
        const char *line = first_difference(text, expected);
        const char *wanted = first_difference(expected, text);
        ck_abort_msg("%s in %s%s: \"%.*s\" instead of \"%.*s\"", path, model->name,
                     exact ? ", exact" : "", (int) strcspn(line, "\n"), line,
                     (int) strcspn(wanted, "\n"), wanted);
    }
    free(text);
}

START_TEST(test_case)
{
    struct source source = {0};
    char *expect_path = beside(cases[_i], ".expect");
    char *expected = expected_load(expect_path);

    source_load(&source, cases[_i]);
    unsigned mask = script_models(&source);
    for (size_t i = 0; i < MODELS; i++) {
        if (!(mask & 1U << i))
            continue;
        compare(cases[_i], &models[i], false, &source, expected);
        compare(cases[_i], &models[i], true, &source, expected);
    }
    source_deinit(&source);
    free(expected);
    free(expect_path);
}
END_TEST

static void
check_faults(const char *path, size_t count)
{
    struct source source = {0};
    char *all = need_copy("");
    size_t model = 0;

    source_load(&source, path);
    while (!(script_models(&source) & 1U << model))
        model++;
    for (int kind = 0; kind < ASKS; kind++) {
        char *wrong = faults_check(&source, &models[model], false, (enum ask) kind, count);
        char *longer = NULL;
        ck_assert_int_ge(asprintf(&longer, "%s%s%s", all, wrong ? "\n" : "", wrong ? wrong : ""),
                         0);
        free(all);
        free(wrong);
        all = longer;
    }
    ck_assert_msg(!*all, "%s: %s", path, all);
    free(all);
    source_deinit(&source);
}

START_TEST(test_faults_once)
{
    check_faults(cases[_i], 1);
}
END_TEST

START_TEST(test_faults_lasting)
{
    check_faults(cases[_i], FOR_EVER);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("scripted cases");
    TCase *tests = tcase_create("cases"), *faults = tcase_create("faults");

    tcase_set_tags(faults, "failing-callbacks");
    tcase_set_timeout(tests, SECONDS);
    tcase_set_timeout(faults, SECONDS);
    tcase_add_loop_test(tests, test_case, 0, n_cases);
    tcase_add_loop_test(faults, test_faults_once, 0, n_cases);
    tcase_add_loop_test(faults, test_faults_lasting, 0, n_cases);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, faults);
    return suite;
}

int
main(int argc, char **argv)
{
    glob_t found = {0};

    cases = source_files(argc, argv, CASES "/*.case", &found, &n_cases);
    int status = check_run(srunner_create(make_suite()));
    globfree(&found);
    return status;
}

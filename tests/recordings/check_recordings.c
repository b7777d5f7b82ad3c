// SPDX-License-Identifier: BSD-3-Clause
// Processes of MPI libraries that are not here, recorded once, are what their programs recorded.
//
// Names of recordings as arguments restrict it to these.
#include "tests/check_run.h"
#include "tests/check_set.h"
#include "tests/live/paths.h"
#include "tests/live/run.h"
#include "tests/recordings/agree.h"
#include "tests/recordings/answers.h"
#include "tests/script/case.h"
#include "tests/script/faults.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SECONDS = 1800, FOR_EVER = 1 << 30, QUICK_BYTES = 100000, FAULTS_BYTES = 500000 };

static char **recordings;
static int n_recordings;

// The folder of a recording, which is named for the build; to be freed.
static char *
build_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash;
    while (start > path && start[-1] != '/')
        start--;
    return run_text("%.*s", (int) (slash - start), start);
}

static const struct build *
find_build(const char *name)
{
    for (int i = 0; i < BUILDS; i++) {
        const struct build *ret = build_describe(i);
        if (strcmp(ret->name, name) == 0)
            return ret;
    }
    return NULL;
}

static json_t *
load_truth(const char *path)
{
    json_error_t error;
    char *file = run_text("%.*s.json", (int) (strrchr(path, '.') - path), path);
    json_t *ret = json_load_file(file, 0, &error);
    if (ret == NULL)
        ck_abort_msg("%s: %s", file, error.text);
    free(file);
    return ret;
}

// What the library says of it. @param ret_text what it said at the start, to be freed
static json_t *
replay(const char *path, bool exact, json_int_t pid, char **ret_text)
{
    struct source source = {0};
    struct session session;
    json_t *ret = NULL;
    source_load(&source, path);
    session_init(&session, &source, script_model(&source), exact);
    host_forgive();
    bool started = debugger_start(&session.debugger);
    *ret_text = session_text(&session);
    if (started)
        ret = answers(&session.debugger, *ret_text, pid);
    debugger_stop(&session.debugger);
    session_deinit(&session);
    source_deinit(&source);
    return ret;
}

static void
check_replay(const char *path, bool exact)
{
    char *text = NULL, *name = build_name(path);
    const struct build *build = find_build(name);
    json_t *truth = load_truth(path);
    ck_assert_msg(build != NULL, "%s: there is no build %s", path, name);
    json_t *report = replay(path, exact, json_integer_value(json_object_get(truth, "pid")), &text);
    ck_assert_msg(report != NULL, "%s: %s", path, text);
    char *difference = agree(build, truth, report);
    ck_assert_msg(difference == NULL, "%s: %s", path, difference);
    ck_assert_msg(host_violations() == 0, "%s: %s", path, host_first_violation());
    json_decref(report);
    json_decref(truth);
    free(name);
    free(text);
}

START_TEST(says_what_the_program_recorded)
{
    check_replay(recordings[_i], false);
}
END_TEST

// Nor does it need anything around what it wants.
START_TEST(reads_nothing_else)
{
    check_replay(recordings[_i], true);
}
END_TEST

static off_t
size_of(const char *path)
{
    struct stat status = {.st_size = 0};
    stat(path, &status);
    return status.st_size;
}

// What takes minutes is left to those who have them, and what takes hours is left out. How reads
// that fail at the edge of what is mapped are done again does not depend on the MPI library: the
// smaller recordings are enough.
static bool
is_left_out(const char *path, bool exact)
{
    const off_t size = size_of(path);
    const bool is_large = size > QUICK_BYTES;
    return size > FAULTS_BYTES || (exact && is_large) ||
           (check_set_is_quick() && (exact || is_large));
}

static void
check_faults(const char *path, bool exact, size_t count)
{
    struct source source = {0};
    if (is_left_out(path, exact))
        return;
    source_load(&source, path);
    for (int kind = 0; kind < ASKS; kind++) {
        char *wrong = faults_check(&source, script_model(&source), exact, (enum ask) kind, count);
        ck_assert_msg(wrong == NULL, "%s: %s", path, wrong);
    }
    source_deinit(&source);
}

START_TEST(is_never_wrong_when_a_callback_fails)
{
    check_faults(recordings[_i], false, 1);
    check_faults(recordings[_i], true, 1);
}
END_TEST

START_TEST(is_never_wrong_when_callbacks_fail)
{
    check_faults(recordings[_i], false, FOR_EVER);
    check_faults(recordings[_i], true, FOR_EVER);
}
END_TEST

static int
compare_sizes(const void *a, const void *b)
{
    off_t left = size_of(*(char *const *) a), right = size_of(*(char *const *) b);
    return (left > right) - (left < right);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("recordings");
    TCase *replays = tcase_create("replays"), *faults = tcase_create("faults");
    tcase_set_timeout(replays, SECONDS);
    tcase_set_timeout(faults, SECONDS);
    tcase_add_loop_test(replays, says_what_the_program_recorded, 0, n_recordings);
    tcase_add_loop_test(replays, reads_nothing_else, 0, n_recordings);
    tcase_add_loop_test(faults, is_never_wrong_when_a_callback_fails, 0, n_recordings);
    tcase_add_loop_test(faults, is_never_wrong_when_callbacks_fail, 0, n_recordings);
    suite_add_tcase(suite, replays);
    suite_add_tcase(suite, faults);
    return suite;
}

int
main(int argc, char **argv)
{
    glob_t found = {0};
    recordings = source_files(argc, argv, RECORDINGS "/*/*.case", &found, &n_recordings);
    qsort(recordings, (size_t) n_recordings, sizeof *recordings, compare_sizes);
    int status = check_run(srunner_create(make_suite()));
    globfree(&found);
    return status;
}

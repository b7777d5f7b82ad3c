// SPDX-License-Identifier: BSD-3-Clause
// A process behind gdbserver or in lldb is shown as it is without them; a stub that speaks nonsense
// is distinguished from one that does not answer.
//
// CK_RUN_CASE=stock/gdbserver runs one case.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/check_set.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 10, RANKS_SEEN = 2, SECONDS = 600, WAIT_MS = 100, WAITS = 300 };

/** On Open MPI, and then on MPICH. */
static const struct scenario scenarios[] = {
    {.name = "hybrid", .program = "hybrid", .ranks = 4},
    {.name = "communicators", .program = "communicators", .ranks = 4},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, OF_MPICH = 2 };

static const char *const builds[] = {"stock", "debug", "mpich"};

static bool
is_installed(const char *program)
{
    char *line = run_text("command -v %s >/dev/null", program);
    bool ret = system(line) == 0;
    free(line);
    return ret;
}

static bool has_openmp; // the job that is looked at

static json_t *
look_directly(void)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    command_add(&command, "--icvs", NULL);
    for (size_t i = 0; i < RANKS_SEEN; i++)
        command_add(&command, gdb_job_pid_text(i), NULL);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    return report;
}

/** The port that a gdbserver says it listens on; 0: it does not. */
static int
find_port(const char *output)
{
    int port = 0;
    for (int i = 0; i < WAITS && port == 0; i++) {
        char *text = run_read_file(output);
        const char *found = text != NULL ? strstr(text, "Listening on port ") : NULL;
        if (found == NULL || strchr(found, '\n') == NULL ||
            sscanf(found, "Listening on port %d", &port) != 1)
            run_sleep_ms(WAIT_MS);
        free(text);
    }
    return port;
}

/** Starts a gdbserver that holds the i-th process. @return its address, on the heap */
static char *
start_server(size_t i)
{
    struct command command = {.count = 0};
    char *none[] = {NULL}, *output = run_text("%s/gdbserver%zu", suite_job.folder, i);
    command_add(&command, "gdbserver", "--once", "--attach", "localhost:0", gdb_job_pid_text(i),
                NULL);
    remove(output);
    run_in_background(&command, none, output);
    int port = find_port(output);
    ck_assert_msg(port > 0, "gdbserver does not listen");
    free(output);
    return run_text("localhost:%d", port);
}

static json_t *
look_behind_gdbserver(void)
{
    struct command command = tool_command(path_dll());
    char *addresses[RANKS_SEEN];
    json_t *report = NULL;
    command_add(&command, "--icvs", NULL);
    for (size_t i = 0; i < RANKS_SEEN; i++) {
        addresses[i] = start_server(i);
        command_add(&command, "--remote", addresses[i], NULL);
    }
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    for (size_t i = 0; i < RANKS_SEEN; i++)
        free(addresses[i]);
    return report;
}

/** The document in what lldb prints. */
static json_t *
find_document(const struct outcome *outcome)
{
    json_error_t error;
    const char *start = strstr(outcome->out, "\n{\n");
    ck_assert_msg(!outcome->timed_out && start != NULL, "lldb says %s%s", outcome->out,
                  outcome->err);
    json_t *ret = json_loads(start, JSON_DISABLE_EOF_CHECK, &error);
    ck_assert_msg(ret != NULL, "line %d: %s", error.line, error.text);
    return ret;
}

/** Has lldb open processes, and print the document of them.
 * @param opens  one command for each
 * @param closes what comes last, in each target
 */
static json_t *
look_with_lldb(char *const *opens, const char *closes)
{
    struct command command = gdb_command(); // for the environment
    setenv("PYTHONPATH", LLDB_PYTHON, 1);
    command = (struct command){.count = 0};
    command_add(&command, LLDB, "--no-lldbinit", "-b", "-o", "command script import " LLDB_COMMANDS,
                NULL);
    for (size_t i = 0; i < RANKS_SEEN; i++)
        command_add(&command, "-o", i > 0 ? "target create --no-dependents ''" : "version", "-o",
                    opens[i], NULL);
    command_add(&command, "-o", has_openmp ? "omp icvs --json" : "mpi group --json", "-o", closes,
                "-o", "target select 0", "-o", closes, NULL);
    struct outcome outcome = run(&command, SECONDS);
    json_t *ret = find_document(&outcome);
    outcome_deinit(&outcome);
    return ret;
}

static json_t *
look_with_lldb_live(void)
{
    char *attach[RANKS_SEEN];
    for (size_t i = 0; i < RANKS_SEEN; i++)
        attach[i] = run_text("process attach --pid %s", gdb_job_pid_text(i));
    json_t *ret = look_with_lldb(attach, "detach");
    for (size_t i = 0; i < RANKS_SEEN; i++)
        free(attach[i]);
    return ret;
}

static json_t *
look_with_lldb_at_cores(void)
{
    char *open_core[RANKS_SEEN];
    for (size_t i = 0; i < RANKS_SEEN; i++) {
        char *script =
            run_text("attach %s\ngcore %s/core%zu\n", gdb_job_pid_text(i), suite_job.folder, i);
        suite_expect_none(gdb_run_script(suite_job.folder, script));
        open_core[i] = run_text("target create --core %s/core%zu %s/hybrid", suite_job.folder, i,
                                path_programs());
        free(script);
    }
    json_t *ret = look_with_lldb(open_core, "version");
    for (size_t i = 0; i < RANKS_SEEN; i++)
        free(open_core[i]);
    return ret;
}

/** The processes may move between two looks, so that one pair of looks that agrees is enough. */
static void
expect_same(json_t *(*look)(void) )
{
    char *difference = NULL;
    for (int tries = 0; tries < TRIES; tries++) {
        json_t *direct = look_directly(), *other = look();
        free(difference);
        difference = gdb_compare(direct, other);
        json_decref(other);
        json_decref(direct);
        if (difference == NULL)
            break;
    }
    suite_expect_none(difference);
    for (size_t i = 0; i < RANKS_SEEN; i++)
        suite_expect_none(aftermath_stopped(gdb_job_pid(i)));
}

static void
start(int number)
{
    int build = number / SCENARIOS;
    const struct scenario *scenario = &scenarios[number % SCENARIOS];
    has_openmp = strcmp(scenario->name, "hybrid") == 0;
    if (build != OF_MPICH) {
        gdb_job_start(scenario, false);
        return;
    }
    suite_start(scenario, suite_build(OF_MPICH));
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    json_decref(report);
}

START_TEST(shows_the_same_behind_gdbserver)
{
    start(_i);
    expect_same(look_behind_gdbserver);
}
END_TEST

START_TEST(shows_the_same_in_lldb)
{
    start(_i);
    expect_same(look_with_lldb_live);
}
END_TEST

START_TEST(shows_the_same_of_cores_in_lldb)
{
    start(_i);
    expect_same(look_with_lldb_at_cores);
}
END_TEST

/** What a stub sends without being asked, and what is said of it. */
static const struct {
    const char *sent; // again and again; NULL: nothing
    bool endless, closes;
    const char *said;
} nonsense[] = {
    {NULL, false, true, "has closed the connection"},
    {NULL, false, false, "asking the debugger"},
    {"+$OK#00+$OK#00+$OK#00+$OK#00", false, false, "checksums are wrong"},
    {"+$*a#8b", false, false, "damaged"},
    {"x", true, false, "is not of gdb's remote protocol"},
    {"$x", true, false, "reply is too long"},
    {"+$#00+$#00+$#00", false, false, "holds no stopped process"},
    {"+$#00+$W00#b7", false, false, "holds no stopped process"},
    {"+$#00+$T05#b9+$E01#a6+$l#6c", false, false, "lists no threads"},
};

/** In a process of its own: sends it; if endless, many at once, as a machine with other work writes
 * the megabytes that are needed too slowly one by one.
 */
static void
speak(int fd, const char *sent, bool endless)
{
    enum { AT_ONCE = 4096 };
    char input[1024], *text = calloc(AT_ONCE, sent == NULL ? 1 : strlen(sent) + 1);
    for (size_t i = 0; sent != NULL && i < (endless ? AT_ONCE : 1); i++)
        strcpy(text + i * strlen(sent), sent);
    signal(SIGPIPE, SIG_DFL);
    do {
        if (write(fd, text, strlen(text)) < 0)
            _exit(0);
    } while (endless);
    while (read(fd, input, sizeof input) > 0)
        ;
    _exit(0);
}

START_TEST(says_what_is_wrong_with_a_stub)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = nonsense[_i].closes ? -1 : fork();
    if (child == 0) {
        close(ends[1]);
        speak(ends[0], nonsense[_i].sent, nonsense[_i].endless);
    }
    close(ends[0]);
    char *address = run_text("fd:%d", ends[1]);
    struct command command = {.count = 0};
    bool is_silent = child > 0 && nonsense[_i].sent == NULL;
    command_add(&command, path_mqshow(), "--dll", path_dll(), "--process-timeout",
                is_silent ? "3" : "60", "--remote", address, NULL);
    struct outcome outcome = run(&command, SECONDS);
    ck_assert_msg(!outcome.timed_out && WIFEXITED(outcome.status) &&
                      WEXITSTATUS(outcome.status) == 1 &&
                      strstr(outcome.err, nonsense[_i].said) != NULL,
                  "status 0x%x: %s%s", (unsigned) outcome.status, outcome.out, outcome.err);
    close(ends[1]);
    if (child > 0)
        waitpid(child, NULL, 0);
    outcome_deinit(&outcome);
    free(address);
}
END_TEST

static Suite *
make_suite(void)
{
    static const struct {
        const char *name, *program;
        const TTest *const *test;
    } ways[] = {{"gdbserver", "gdbserver", &shows_the_same_behind_gdbserver},
                {"lldb", LLDB, &shows_the_same_in_lldb}};
    const int last = (int) check_set_builds(0, OF_MPICH);
    const int scenarios_tested = (int) check_set_builds(1, SCENARIOS);
    Suite *suite = suite_create("remote");
    TCase *alone = suite_new_case(suite, "alone");
    tcase_add_loop_test(alone, says_what_is_wrong_with_a_stub, 0,
                        sizeof nonsense / sizeof *nonsense);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (int build = 0; build <= last && is_installed(ways[way].program); build += OF_MPICH)
            for (int i = 0; i < scenarios_tested; i++)
                suite_add_case(suite, builds[build], ways[way].name, *ways[way].test,
                               build * SCENARIOS + i);
    if (is_installed(LLDB) && !check_set_is_quick())
        suite_add_case(suite, builds[0], "lldb-core", shows_the_same_of_cores_in_lldb, 0);
    return suite;
}

int
main(void)
{
    return suite_run(make_suite());
}

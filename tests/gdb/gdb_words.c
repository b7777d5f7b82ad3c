// SPDX-License-Identifier: BSD-3-Clause
// What the commands in gdb say: texts for people, and errors as sentences that tell what to do.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GDB_SECONDS = 600, TRIES = 10 };

static const struct scenario hybrid = {.name = "hybrid", .program = "hybrid", .ranks = 4};

static const struct scenario other_pml = {
    .name = "pml-cm-rxd",
    .program = "communicators",
    .ranks = 4,
    .other_pml = "cm",
    .options = "--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include udp;ofi_rxd"};

/** What commands print on a hybrid job. */
static const struct {
    const char *command;
    const char *said;         // NULL: an error
    const char *command_name; // which begins with this
} texts[] = {
    {"mpi comms", "ring   rank 2 of 4", NULL},
    {"mpi queues --comm ring", "receive     from 1 (world 3)  tag 42  1 MPI_INT", NULL},
    {"mpi queues --rank 0", "inferior 1   rank 0", NULL},
    {"mpi group", "MPI_Recv in block_in_receive at live.c:", NULL},
    {"mpi waitfor", "MPI_Recv", NULL},
    {"omp threads", "thread 1 of 3, region at hybrid.c:52 in work, level 1", NULL},
    {"omp threads", "gdb 1.1 tid ", NULL},
    {"omp regions", "region at hybrid.c:52 in work   team of 3, level 1", NULL},
    {"omp regions --all", "initial region", NULL},
    {"omp tasks --all", "implicit task of thread 2 at hybrid.c:52 in work", NULL},
    {"omp icvs", "num-procs-var", NULL},
    {"omp bt", "OpenMP thread 0 of 3", NULL},
    {"help mpi waitfor", "Usage: mpi waitfor", NULL},
    {"complete mpi queues --c", "mpi queues --comm", NULL},
    {"mpi nonsense", NULL, "\"mpi nonsense\""},
    {"omp nonsense", NULL, "\"omp nonsense\""},
    {"mpi queues nonsense", NULL, "mpi queues: "},
    {"mpi queues --rank", NULL, "mpi queues: "},
    {"mpi queues --rank x", NULL, "mpi queues: "},
    {"mpi queues --rank 3-1", NULL, "mpi queues: "},
    {"mpi queues --rank 9", NULL, "mpi queues: "},
    {"mpi queues --comm nonsense", NULL, "mpi queues: "},
    {"mpi queues --inferior 9", NULL, "mpi queues: "},
    {"mpi queues --json=1", NULL, "mpi queues: "},
    {"mpi queues \"", NULL, "mpi queues: "},
    {"omp threads --all", NULL, "omp threads: "},
    {"omp bt -no-filters", NULL, "omp bt: "},
    {"omp bt nonsense", NULL, "omp bt: "},
};

static void
expect_no_bug(const struct outcome *outcome, const char *what)
{
    ck_assert_msg(!outcome->timed_out, "\"%s\" hangs", what);
    ck_assert_msg(strstr(outcome->err, "Traceback") == NULL &&
                      strstr(outcome->err, "Python Exc") == NULL &&
                      strstr(outcome->err, "Error occurred") == NULL,
                  "\"%s\" shows a bug: %s", what, outcome->err);
}

/** Runs commands with gdb's "-ex", which goes on after errors. */
static struct outcome
run_commands(const char *first, const char *second)
{
    struct command command = gdb_command();
    command_add(&command, "-ex", first, "-ex", second, NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    expect_no_bug(&outcome, second);
    return outcome;
}

enum { QUESTIONS_MAX = 32, MARK_SIZE = 96 };

/** Runs many commands in one gdb, which takes longer to start than they do.
 * @param said   what each printed, within the outcome
 * @param errors what each complained of, likewise
 */
static struct outcome
run_each(const char *first, const char *const *commands, size_t count, const char **said,
         const char **errors)
{
    char marks[QUESTIONS_MAX][MARK_SIZE];
    struct command command = gdb_command();
    ck_assert_uint_le(count, QUESTIONS_MAX);
    command_add(&command, "-ex", first, NULL);
    for (size_t i = 0; i < count; i++) {
        snprintf(marks[i], sizeof marks[i],
                 "python gdb.write('\\n@%zu\\n'); gdb.write('\\n@%zu\\n', gdb.STDERR)", i, i);
        command_add(&command, "-ex", marks[i], "-ex", commands[i], NULL);
    }
    struct outcome outcome = run(&command, GDB_SECONDS);
    expect_no_bug(&outcome, commands[0]);
    char *out = outcome.out, *err = outcome.err;
    for (size_t i = 0; i < count; i++) {
        char mark[MARK_SIZE];
        snprintf(mark, sizeof mark, "\n@%zu\n", i);
        out = strstr(out, mark);
        err = strstr(err, mark);
        ck_assert_msg(out != NULL && err != NULL, "gdb ends before \"%s\": %s%s", commands[i],
                      outcome.out, outcome.err);
        *out = *err = '\0'; // ends what the one before said
        said[i] = out += strlen(mark);
        errors[i] = err += strlen(mark);
    }
    return outcome;
}

START_TEST(speaks_in_words)
{
    enum { COUNT = sizeof texts / sizeof *texts };
    const char *commands[COUNT], *said[COUNT], *errors[COUNT];
    gdb_job_start(&hybrid, false);
    char *attach = run_text("attach %s", gdb_job_pid_text(0));
    for (size_t i = 0; i < COUNT; i++)
        commands[i] = texts[i].command;
    struct outcome outcome = run_each(attach, commands, COUNT, said, errors);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_msg(texts[i].said != NULL ? strstr(said[i], texts[i].said) != NULL
                                            : strstr(errors[i], texts[i].command_name) != NULL,
                      "\"%s\" says %s%s", commands[i], said[i], errors[i]);
    outcome_deinit(&outcome);
    free(attach);
}
END_TEST

/** Takes out what only gdb adds: "inferior 1   ", and "gdb 1.2 " before "tid". */
static void
take_out_numbers(char *text)
{
    static const char process[] = "inferior 1   ", thread[] = "gdb 1.";
    for (char *at = text; (at = strstr(at, process)) != NULL;)
        memmove(at, at + sizeof process - 1, strlen(at + sizeof process - 1) + 1);
    for (char *at = text; (at = strstr(at, thread)) != NULL;) {
        char *end = strstr(at, "tid ");
        ck_assert_ptr_nonnull(end);
        memmove(at, end, strlen(end) + 1);
    }
}

static const struct {
    const char *command, *part;
} parts[] = {{"mpi comms", "comms"},   {"mpi queues", "queues"},   {"mpi group", "groups"},
             {"mpi waitfor", "waits"}, {"omp threads", "threads"}, {"omp regions", "regions"},
             {"omp tasks", "tasks"},   {"omp icvs", "icvs"}};
enum { PARTS = sizeof parts / sizeof *parts };

/** The first difference of what gdb has written and mqshow prints, on the heap; NULL: there is
 * none. */
static char *
compare_text(size_t part)
{
    char *path = run_text("%s/gdb-text%zu", suite_job.folder, part);
    char *of_gdb = run_read_file(path), *ret = NULL;
    struct command direct = {.count = 0};
    command_add(&direct, path_mqshow(), "--dll", path_dll(), "--only", parts[part].part,
                gdb_job_pid_text(0), NULL);
    struct outcome outcome = run(&direct, GDB_SECONDS);
    ck_assert_ptr_nonnull(of_gdb);
    take_out_numbers(of_gdb);
    if (*of_gdb == '\0' || strcmp(of_gdb, outcome.out) != 0)
        ret = run_text("\"%s\" says %s, mqshow says %s%s", parts[part].command, of_gdb, outcome.out,
                       outcome.err);
    outcome_deinit(&outcome);
    free(of_gdb);
    free(path);
    return ret;
}

/** The same of all parts. */
static char *
compare_texts(void)
{
    char *script = run_text("attach %s\n", gdb_job_pid_text(0)), *ret = NULL;
    for (size_t i = 0; i < PARTS; i++) {
        char *longer = run_text("%spipe %s | cat >%s/gdb-text%zu\n", script, parts[i].command,
                                suite_job.folder, i);
        free(script);
        script = longer;
    }
    suite_expect_none(gdb_run_script(suite_job.folder, script));
    for (size_t i = 0; i < PARTS && ret == NULL; i++)
        ret = compare_text(i);
    free(script);
    return ret;
}

/** Threads may move between two looks. */
START_TEST(says_what_mqshow_says)
{
    char *difference = NULL;
    gdb_job_start(&hybrid, false);
    for (int tries = 0; tries < TRIES && (tries == 0 || difference != NULL); tries++) {
        free(difference);
        difference = compare_texts();
    }
    suite_expect_none(difference);
}
END_TEST

/** Queues that cannot be read are not told as empty ones. */
START_TEST(says_what_is_not_read)
{
    static const char *const commands[] = {"mpi comms", "mpi queues"};
    gdb_job_start(&other_pml, false);
    char *attach = run_text("attach %s", gdb_job_pid_text(0));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct outcome outcome = run_commands(attach, commands[i]);
        ck_assert_msg(strstr(outcome.out, "messages not read: pml cm, mtl ofi, udp;ofi_rxd") !=
                              NULL &&
                          strstr(outcome.out, "nothing pending") == NULL,
                      "%s%s", outcome.out, outcome.err);
        outcome_deinit(&outcome);
    }
    free(attach);
}
END_TEST

START_TEST(says_what_is_missing)
{
    static const char *const commands[] = {"mpi comms",   "mpi queues",  "mpi group",
                                           "mpi waitfor", "omp threads", "omp regions",
                                           "omp tasks",   "omp icvs",    "omp bt"};
    enum { COUNT = sizeof commands / sizeof *commands };
    static const char *const programs[] = {"echo", "file /bin/true"};
    const char *said[COUNT], *errors[COUNT];
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        struct outcome outcome = run_each(programs[k], commands, COUNT, said, errors);
        for (size_t i = 0; i < COUNT; i++)
            ck_assert_msg(strstr(errors[i], "attach PID") != NULL, "\"%s\" after \"%s\" says %s%s",
                          commands[i], programs[k], said[i], errors[i]);
        outcome_deinit(&outcome);
    }
    struct outcome outcome = run_commands("set mqs-ompd-library /nowhere/x.so", "mpi comms");
    ck_assert_msg(strstr(outcome.err, "attach PID") != NULL, "%s%s", outcome.out, outcome.err);
    outcome_deinit(&outcome);
}
END_TEST

/** A process that is no MPI process: gdb's own example of a program that starts. */
START_TEST(knows_a_process_without_mpi)
{
    struct command command = gdb_command();
    command_add(&command, "-ex", "set startup-with-shell off", "-ex", "file /bin/true", "-ex",
                "starti", "-ex", "mpi comms", "-ex", "omp threads", "-ex",
                "set mqs-ompd-library /nowhere/x.so", "-ex", "mpi comms", NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    ck_assert_msg(strstr(outcome.err, "has no MPI that can be shown") != NULL, "%s", outcome.err);
    ck_assert_msg(strstr(outcome.err, "has no OpenMP that can be shown") != NULL, "%s",
                  outcome.err);
    ck_assert_msg(strstr(outcome.err, "Traceback") == NULL, "%s", outcome.err);
    outcome_deinit(&outcome);
}
END_TEST

START_TEST(looks_again_after_the_process_ran)
{
    struct command command = gdb_command();
    gdb_job_start(&hybrid, false);
    char *attach = run_text("attach %s", gdb_job_pid_text(0));
    command_add(&command, "-ex", attach, "-ex", "mpi comms", "-ex", "continue &", "-ex",
                "mpi comms", "-ex", "omp regions", "-ex", "omp bt", "-ex", "interrupt -a", "-ex",
                "shell sleep 1", "-ex", "omp threads", NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    ck_assert_msg(strstr(outcome.out, "ring   rank 2 of 4") != NULL, "%s%s", outcome.out,
                  outcome.err);
    ck_assert_msg(strstr(outcome.err, "is running; stop it first") != NULL, "%s", outcome.err);
    ck_assert_msg(strstr(outcome.err, "Traceback") == NULL, "%s", outcome.err);
    outcome_deinit(&outcome);
    suite_expect_none(aftermath_stopped(gdb_job_pid(0)));
    free(attach);
}
END_TEST

START_TEST(knows_a_process_before_mpi)
{
    struct command command = gdb_command();
    char *file = run_text("file %s/hybrid", path_programs());
    command_add(&command, "-ex", "set startup-with-shell off", "-ex", file, "-ex", "break main",
                "-ex", "run", "-ex", "mpi comms", "-ex", "omp regions", "-ex", "omp bt", NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    ck_assert_msg(strstr(outcome.out, "has not called MPI_Init yet") != NULL, "%s%s", outcome.out,
                  outcome.err);
    ck_assert_msg(strstr(outcome.err, "OpenMP not started") != NULL, "%s", outcome.err);
    ck_assert_msg(strstr(outcome.err, "Traceback") == NULL, "%s", outcome.err);
    outcome_deinit(&outcome);
    free(file);
}
END_TEST

START_TEST(makes_texts_harmless)
{
    struct outcome outcome = run_commands("echo", "source " GDB_TEXTS);
    ck_assert_msg(strstr(outcome.out, "all texts are right") != NULL, "%s%s", outcome.out,
                  outcome.err);
    outcome_deinit(&outcome);
}
END_TEST

void
gdb_add_words(Suite *suite)
{
    TCase *alone = tcase_create("alone");
    tcase_add_test(alone, says_what_is_missing);
    tcase_add_test(alone, knows_a_process_without_mpi);
    tcase_add_test(alone, knows_a_process_before_mpi);
    tcase_add_test(alone, makes_texts_harmless);
    suite_add_tcase(suite, alone);
    suite_add_case(suite, "stock", "words", speaks_in_words, 0);
    suite_add_case(suite, "stock", "same-text", says_what_mqshow_says, 0);
    suite_add_case(suite, "stock", other_pml.name, says_what_is_not_read, 0);
    suite_add_case(suite, "stock", "again", looks_again_after_the_process_ran, 0);
}

// SPDX-License-Identifier: BSD-3-Clause
// The commands in gdb: on real jobs they tell what mqshow tells, live and of cores.
//
// CK_RUN_CASE=stock/hybrid runs one case.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/check_set.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"

#include <stdlib.h>

enum { TRIES = 10, RANKS_SEEN = 2 };

/** The first ones run on the builds with debug information, too. */
static const struct scenario scenarios[] = {
    {.name = "hybrid", .program = "hybrid", .ranks = 4},
    {.name = "regions-states",
     .program = "omp_regions",
     .ranks = 2,
     .variable = "OMP_DEBUG=enabled"},
    {.name = "regions-gomp", .program = "omp_regions_gomp", .ranks = 2},
    {.name = "blocking", .program = "blocking", .ranks = 4},
    {.name = "hybrid-states", .program = "hybrid", .ranks = 4, .variable = "OMP_DEBUG=enabled"},
    {.name = "hybrid-gomp", .program = "hybrid_gomp", .ranks = 4},
    {.name = "regions", .program = "omp_regions", .ranks = 2},
    {.name = "communicators", .program = "communicators", .ranks = 4},
    {.name = "intercommunicator", .program = "intercomm", .ranks = 4},
    {.name = "persistent", .program = "persistent", .ranks = 2},
    {.name = "barrier", .program = "collectives barrier", .ranks = 4},
};
enum {
    SCENARIOS = sizeof scenarios / sizeof *scenarios,
    QUICK = 3,
    ON_DEBUG = 4,
    MOST_STOCK = 8,
    OF_CORES = 3
};

/** Looks at the first ranks with mqshow. */
static json_t *
look_with_mqshow(void)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    command_add(&command, "--icvs", NULL);
    for (size_t i = 0; i < RANKS_SEEN; i++)
        command_add(&command, gdb_job_pid_text(i), NULL);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    return report;
}

/** Looks at what a script makes gdb's inferiors. */
static json_t *
look_with_gdb(const char *start)
{
    json_t *report = NULL;
    char *writes = gdb_writes(suite_job.folder);
    // A program without OpenMP ends the script.
    char *script = run_text("%s%s", start, writes);
    char *end = gdb_run_script(suite_job.folder, script),
         *problem = gdb_read(suite_job.folder, &report);
    ck_assert_msg(problem == NULL, "%s: %s", problem, end != NULL ? end : "gdb is content");
    free(end);
    free(script);
    free(writes);
    return report;
}

static char *
attach_two(void)
{
    return run_text("attach %s\nadd-inferior\ninferior 2\nattach %s\n", gdb_job_pid_text(0),
                    gdb_job_pid_text(1));
}

/** The processes may move between two looks, so that one pair of looks that agrees is enough. */
static void
expect_same(const char *start)
{
    char *difference = NULL;
    for (int tries = 0; tries < TRIES; tries++) {
        json_t *of_mqshow = look_with_mqshow(), *of_gdb = look_with_gdb(start);
        free(difference);
        difference = gdb_compare(of_mqshow, of_gdb);
        json_decref(of_gdb);
        json_decref(of_mqshow);
        if (difference == NULL)
            return;
    }
    suite_expect_none(difference);
}

// Case numbers: the scenarios on the stock packages, then the same on the debug builds.
START_TEST(tells_what_mqshow_tells)
{
    gdb_job_start(&scenarios[_i % SCENARIOS], _i >= SCENARIOS);
    char *attach = attach_two();
    expect_same(attach);
    for (size_t i = 0; i < RANKS_SEEN; i++)
        suite_expect_none(aftermath_stopped(gdb_job_pid(i)));
    free(attach);
}
END_TEST

/** Writes cores of the first ranks with gdb. */
static void
write_cores(void)
{
    char *script =
        run_text("attach %s\ngcore %s/core0\ndetach\nattach %s\ngcore %s/core1\n",
                 gdb_job_pid_text(0), suite_job.folder, gdb_job_pid_text(1), suite_job.folder);
    suite_expect_none(gdb_run_script(suite_job.folder, script));
    free(script);
}

START_TEST(tells_the_same_of_cores)
{
    const struct scenario *scenario = &scenarios[_i];
    gdb_job_start(scenario, false);
    write_cores();
    char *program = run_text("%s/%s", path_programs(), scenario->program);
    char *open_cores =
        run_text("file %s\ncore-file %s/core0\n"
                 "add-inferior -no-connection\ninferior 2\nfile %s\ncore-file %s/core1\n",
                 program, suite_job.folder, program, suite_job.folder);
    expect_same(open_cores);
    free(open_cores);
    free(program);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("gdb");
    gdb_add_words(suite);
    gdb_add_verdicts(suite);
    const unsigned stock = check_set_pick(QUICK, MOST_STOCK, SCENARIOS);
    const unsigned debug = check_set_pick(0, ON_DEBUG / 2, ON_DEBUG);
    const unsigned cores = check_set_pick(1, OF_CORES - 1, OF_CORES);
    for (int i = 0; i < (int) stock; i++)
        suite_add_case(suite, "stock", scenarios[i].name, tells_what_mqshow_tells, i);
    for (int i = 0; i < (int) debug; i++)
        suite_add_case(suite, "debug", scenarios[i].name, tells_what_mqshow_tells, SCENARIOS + i);
    for (int i = 0; i < (int) cores; i++)
        suite_add_case(suite, "core", scenarios[i].name, tells_the_same_of_cores, i);
    return suite;
}

int
main(void)
{
    return suite_run(make_suite());
}

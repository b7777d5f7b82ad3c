// SPDX-License-Identifier: BSD-3-Clause
// record LABEL FOLDER: records a process of each MPI that is installed and of each device, and what
// its program recorded of itself, as FOLDER/BUILD/LABEL-VERSION.case and .json; with the label
// "wheels" of each of PyPI's wheels instead.
//
// Only what the library understands is recorded: check_recordings demands it for ever.
#include "tests/live/paths.h"
#include "tests/live/scenarios.h"
#include "tests/live/suite.h"
#include "tests/live/tool.h"
#include "tests/recordings/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { RANK = 1, REDUCE_SECONDS = 60, AGREE_SECONDS = 60 };

static const struct scenario medley = {.name = MEDLEY, .program = MEDLEY, .ranks = 4};

static json_t *
truth_of_rank(void)
{
    return json_array_get(suite_job.truths, RANK);
}

// Looks at the process once, with a recording. @return NULL, or what is wrong, on the heap
static char *
look_once(const struct build *build, const char *raw)
{
    struct command command = tool_command(path_dll());
    json_t *truth = json_deep_copy(truth_of_rank()), *report = NULL;
    command_add(&command, "--record", raw, json_string_value(json_array_get(suite_job.pids, RANK)),
                NULL);
    char *ret = tool_run(&command, TOOL_SOMETHING, &report);
    if (ret == NULL)
        ret = agree(build, truth, report);
    json_decref(report);
    json_decref(truth);
    return ret;
}

// Looks until the process has got where it stays.
static char *
look(const struct build *build, const char *raw)
{
    double deadline = run_clock() + AGREE_SECONDS;
    char *ret;
    while ((ret = look_once(build, raw)) != NULL && run_clock() < deadline) {
        free(ret);
        run_sleep_ms(100);
    }
    return ret;
}

static char *
write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        return run_text("%s cannot be written", path);
    fprintf(stderr, "wrote %s\n", path);
    return NULL;
}

// Keeps what is needed of a recording. Tests may run where pages are not what they were here.
static char *
keep_recording(const char *raw, const char *path)
{
    struct command command = {.count = 0};
    command_add(&command, BUILD_FOLDER "/tests/recordings/reduce", raw, NULL);
    struct outcome outcome = run(&command, REDUCE_SECONDS);
    bool is_good =
        !outcome.timed_out && WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0;
    char *ret = is_good ? write_file(path, outcome.out) : run_text("reduce: %s", outcome.err);
    outcome_deinit(&outcome);
    return ret;
}

static char *
keep_truth(const char *path)
{
    char *file = run_text("%s/rank-%d.json", suite_job.folder, RANK), *text = run_read_file(file);
    char *ret = text != NULL ? write_file(path, text) : run_text("%s cannot be read", file);
    free(text);
    free(file);
    return ret;
}

static char *
record_job(const struct build *build, const char *label, const char *folder)
{
    const char *version =
        json_string_value(json_object_get(json_object_get(truth_of_rank(), "mpi"), "version"));
    char *place = run_text("%s/%s", folder, build->name);
    char *recording = run_text("%s/%s-%s.case", place, label, version);
    char *truth = run_text("%s/%s-%s.json", place, label, version);
    char *raw = run_text("%s/raw", suite_job.folder);
    mkdir(place, 0777);
    char *problem = look(build, raw);
    if (problem == NULL)
        problem = keep_recording(raw, recording);
    if (problem == NULL)
        problem = keep_truth(truth);
    free(raw);
    free(truth);
    free(recording);
    free(place);
    return problem;
}

static bool
record_build(const struct build *build, const char *label, const char *folder)
{
    if (build == NULL)
        return false;
    char *problem = job_start(&suite_job, &medley, build);
    if (problem == NULL)
        problem = record_job(build, label, folder);
    if (problem != NULL)
        fprintf(stderr, "%s: nothing is recorded: %s\n", build->name, problem);
    job_stop(&suite_job);
    bool ret = problem == NULL;
    free(problem);
    return ret;
}

int
main(int argc, char **argv)
{
    bool is_good = true;
    if (argc != 3) {
        fprintf(stderr, "usage: record LABEL FOLDER\n");
        return EXIT_FAILURE;
    }
    const bool wheels = strcmp(argv[1], "wheels") == 0;
    run_adopt_orphans();
    for (int i = 0; i < BUILDS; i++) {
        const struct build *build = build_describe(i);
        if ((wheels ? build->is_wheel : build->is_packaged) &&
            scenario_makes_sense_on(&medley, build))
            is_good &= record_build(build_make(i), argv[1], argv[2]);
    }
    run_kill_all();
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

// SPDX-License-Identifier: BSD-3-Clause
// Running gdb with our commands, and reading the JSON that they write.
#include "gdb.h"

#include "tests/live/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { GDB_SECONDS = 600 };

struct command
gdb_command(void)
{
    struct command command = {.count = 0};
    setenv("MQS_OMPD_DLL", path_dll(), 1);
    setenv("MQSHOW", path_mqshow(), 1);
    setenv("DEBUGINFOD_URLS", "", 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    command_add(&command, "gdb", "-q", "-batch", "-nx", "-ex", "source " GDB_COMMANDS, NULL);
    return command;
}

static char *
judge(const struct outcome *outcome)
{
    if (outcome->timed_out)
        return run_text("gdb hangs: %s", outcome->err);
    if (strstr(outcome->err, "Traceback") != NULL || strstr(outcome->err, "Python Exc") != NULL)
        return run_text("an error in Python: %s", outcome->err);
    if (!WIFEXITED(outcome->status) || WEXITSTATUS(outcome->status) != 0)
        return run_text("gdb fails (status 0x%x): %s", (unsigned int) outcome->status,
                        outcome->err);
    return NULL;
}

char *
gdb_run_script(const char *folder, const char *script)
{
    struct command command = gdb_command();
    char *path = run_text("%s/script", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(script, file) < 0 || fclose(file) != 0) {
        free(path);
        return run_text("cannot write a script in %s", folder);
    }
    command_add(&command, "-x", path, NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    char *problem = judge(&outcome);
    outcome_deinit(&outcome);
    free(path);
    return problem;
}

char *
gdb_writes(const char *folder)
{
    return run_text("pipe mpi group --json | cat >%s/gdb-mpi\n"
                    "pipe omp icvs --json | cat >%s/gdb-openmp\n",
                    folder, folder);
}

static char *
load(const char *folder, const char *name, json_t **ret)
{
    json_error_t error;
    char *path = run_text("%s/%s", folder, name), *problem = NULL;
    *ret = json_load_file(path, 0, &error);
    if (*ret == NULL)
        problem = run_text("%s:%d: %s", path, error.line, error.text);
    free(path);
    return problem;
}

/** Adds what the second document says of the same processes. */
static char *
join(json_t *document, json_t *second)
{
    json_t *processes = json_object_get(document, "processes");
    json_t *others = json_object_get(second, "processes");
    if (json_array_size(processes) != json_array_size(others))
        return run_text("one command of gdb shows other processes than the other");
    for (size_t i = 0; i < json_array_size(processes); i++)
        json_object_set(json_array_get(processes, i), "openmp",
                        json_object_get(json_array_get(others, i), "openmp"));
    return NULL;
}

char *
gdb_read(const char *folder, json_t **ret)
{
    json_t *openmp = NULL;
    char *problem = load(folder, "gdb-mpi", ret);
    if (problem == NULL) {
        // A program without OpenMP leaves an empty file.
        char *lack = load(folder, "gdb-openmp", &openmp);
        problem = lack == NULL ? join(*ret, openmp) : NULL;
        free(lack);
    }
    json_decref(openmp);
    return problem;
}

// SPDX-License-Identifier: BSD-3-Clause
// A child process that parks, and its own account of itself.
#include "tests/omp/park.h"

#include "tests/fork.h"
#include "tests/omp/park_read.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char debug_library_path[4096];

bool
park_find_library(const char *target, size_t size, char *ret)
{
    char command[4200], prefix[4000] = "";
    snprintf(command, sizeof(command), "%s %s", TARGET_SCRIPT, target);
    FILE *script = popen(command, "re");
    if (!script)
        return false;
    bool got = fgets(prefix, sizeof(prefix), script) != NULL;
    prefix[strcspn(prefix, "\n")] = '\0';
    if (pclose(script) != 0 || !got || prefix[0] != '/') {
        fprintf(stderr, "%s cannot be had\n", target);
        return false;
    }
    return (size_t) snprintf(ret, size, "%s/lib", prefix) < size;
}

bool
park_find_builds(void)
{
    return park_find_library("libomp-14", sizeof(debug_library_path), debug_library_path);
}

static _Noreturn void
run_child(const int *input, const int *output, const char *program, const char *argument)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    execl(program, program, argument, NULL);
    _exit(127);
}

static bool
start(struct park *park, const char *program, const char *argument)
{
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
        return false;
    park->pid = fork_plainly();
    if (park->pid == 0)
        run_child(input, output, program, argument);
    close(input[0]);
    close(output[1]);
    park->input = input[1];
    park->output = fdopen(output[0], "re");
    return park->output != NULL;
}

void
park_set_variable(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

bool
park_start_choice(struct park *park, const struct park_choice *choice)
{
    park_set_variable("LD_LIBRARY_PATH", choice->library);
    park_set_variable("OMPT_TRUTH", choice->tool ? "1" : NULL);
    // Threads that wait soon sleep.
    setenv("KMP_BLOCKTIME", "0", 1);
    setenv("GOMP_SPINCOUNT", "0", 1);
    return start(park, choice->program, choice->situation) && park_read(park);
}

bool
park_start(struct park *park, const char *situation, bool debug)
{
    const struct park_choice choice = {OMP_PARK, situation, debug ? debug_library_path : NULL,
                                       false};
    return park_start_choice(park, &choice);
}

bool
park_start_other(struct park *park)
{
    static const char program[] = "/bin/cat";
    const struct timespec pause = {.tv_nsec = 1000000};
    if (!start(park, program, NULL))
        return false;
    while (!park_maps(park, program)) // it is a copy of this program first
        nanosleep(&pause, NULL);
    return true;
}

bool
park_go_on(struct park *park)
{
    return write(park->input, "\n", 1) == 1 && park_read(park);
}

void
park_stop(struct park *park)
{
    if (park->pid > 0) {
        kill(park->pid, SIGKILL);
        waitpid(park->pid, NULL, 0);
        close(park->input);
    }
    if (park->output)
        fclose(park->output);
    memset(park, 0, sizeof(*park));
}

bool
park_maps(const struct park *park, const char *file)
{
    char path[PATH_MAX], line[PATH_MAX + 256];
    bool found = false;
    snprintf(line, sizeof(line), "/proc/%d/maps", (int) park->pid);
    FILE *maps = realpath(file, path) ? fopen(line, "re") : NULL;
    while (maps && !found && fgets(line, sizeof(line), maps)) {
        const char *name = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        found = name && strcmp(name, path) == 0;
    }
    if (maps)
        fclose(maps);
    return found;
}

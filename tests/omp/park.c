// SPDX-License-Identifier: BSD-3-Clause
// A child process that parks, and its own account of itself.
#include "tests/omp/park.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char debug_library_path[4096];

bool
park_find_builds(void)
{
    FILE *script = popen(TARGET_SCRIPT " libomp-14", "re");
    char prefix[4000] = "";
    if (!script)
        return false;
    bool got = fgets(prefix, sizeof(prefix), script) != NULL;
    prefix[strcspn(prefix, "\n")] = '\0';
    if (pclose(script) != 0 || !got || prefix[0] != '/') {
        fprintf(stderr, "the OpenMP runtime with symbols cannot be built\n");
        return false;
    }
    snprintf(debug_library_path, sizeof(debug_library_path), "%s/lib", prefix);
    return true;
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
    park->pid = fork();
    if (park->pid < 0)
        return false;
    if (park->pid == 0)
        run_child(input, output, program, argument);
    close(input[0]);
    close(output[1]);
    park->input = input[1];
    park->output = fdopen(output[0], "re");
    return park->output != NULL;
}

static bool
take_line(struct park_thread *thread, const char *line)
{
    static const char *const words[] = {"works", "waits", "idle"};
    char word[16];
    unsigned long pthread;
    long tid, num = 0, size = 0, level = 0, active = 0;
    int got = sscanf(line, "%15s %ld %lu %ld %ld %ld %ld", word, &tid, &pthread, &num, &size,
                     &level, &active);
    for (unsigned i = 0; got >= 3 && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i]) == 0) {
            thread->does = i;
            thread->tid = tid;
            thread->pthread = pthread;
            thread->num = num;
            thread->size = size;
            thread->level = level;
            thread->active = active;
            return true;
        }
    return false;
}

static bool
take_down(struct park *park)
{
    char line[256];
    park->n_threads = 0;
    while (fgets(line, sizeof(line), park->output)) {
        if (strcmp(line, "ready\n") == 0)
            return true;
        if (park->n_threads == PARK_THREADS || !take_line(&park->threads[park->n_threads++], line))
            return false;
    }
    return false;
}

bool
park_start(struct park *park, const char *situation, bool debug)
{
    unsetenv("LD_LIBRARY_PATH");
    if (debug)
        setenv("LD_LIBRARY_PATH", debug_library_path, 1);
    setenv("KMP_BLOCKTIME", "0", 1);
    return start(park, OMP_PARK, situation) && take_down(park);
}

bool
park_start_other(struct park *park)
{
    return start(park, "/bin/cat", NULL);
}

bool
park_go_on(struct park *park)
{
    return write(park->input, "\n", 1) == 1 && take_down(park);
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

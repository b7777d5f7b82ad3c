// SPDX-License-Identifier: BSD-3-Clause
// An input is lines: the words of a command line, the list of the processes of a job, names of
// machines and lists of them; the first byte says which.
#include "tests/fuzz/harness.h"
#include "mqshow/job/hostlist.h"
#include "mqshow/job/hydra.h"
#include "mqshow/base/options.h"
#include "mqshow/job/pidlist.h"
#include "mqshow/remote/remote.h"
#include "mqshow/base/diag.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 64, MACHINES = 3 };

const char *__lsan_default_suppressions(void) __attribute__((visibility("default")));
_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code);

static jmp_buf way_back;
static bool has_way_back;

/** A command line that is invalid ends the program: here it ends the attempt. */
void
__wrap_exit(int code)
{
    if (has_way_back)
        longjmp(way_back, 1);
    __real_exit(code);
}

/** What is lost when it ends. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:set_ranks\n";
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    stdout = fopen("/dev/null", "w");
    stderr = fopen("/dev/null", "w");
    return stdout != NULL && stderr != NULL ? 0 : -1;
}

/** What is asked of other machines, with the options that were given. */
static void
call_others(const struct options *options, char **names, size_t count)
{
    struct job job = {.items = NULL};
    struct remote remote = {.options = options, .job = &job};
    for (size_t i = 0; i < count; i++) {
        int node = nodes_get(&job.nodes, names[i]);
        for (pid_t pid = 1; pid < 7 && node >= 0; pid++)
            job_add_elsewhere(&job, node, pid * pid, pid, NULL);
    }
    char *problem = launcher_init(&remote.launcher, options->launcher, NULL);
    remote.outputs = alloc_zeroed(job.nodes.count, sizeof *remote.outputs);
    if (problem == NULL)
        remote_add_subprocesses(&remote, true);
    free(problem);
    for (size_t i = 0; i < remote.n_subprocesses; i++)
        free(launcher_quote(&remote.commands[i]));
    remote_deinit(&remote);
    job_deinit(&job);
}

static void
use(const struct options *options, char **words, size_t count)
{
    options_want_rank(options, 7);
    options_want_comm(options, "ring", "MPI_COMM_WORLD", 4);
    call_others(options, words, count < MACHINES ? count : MACHINES);
}

static void
command_line(char **words, size_t count)
{
    static struct options options;
    options = (struct options){.pids = NULL};
    optind = 0;
    has_way_back = true;
    if (setjmp(way_back) == 0) {
        options_init(&options, (int) count, words);
        has_way_back = false;
        use(&options, words, count);
    }
    has_way_back = false;
    options_deinit(&options);
}

/** The first word is a list, the others are names of machines. */
static void
list(char **words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct job job = {.items = NULL};
        free(pidlist_read(words[0], words[i], &job));
        int node = nodes_get(&job.nodes, words[i]);
        for (size_t k = 0; k < job.count; k++)
            job.items[k].node = node;
        free(node >= 0 ? pidlist_add(NULL, &job, node) : NULL);
        job_deinit(&job);
    }
}

static void
names(char **words, size_t count)
{
    struct nodes nodes = {.items = NULL};
    for (size_t i = 0; i < count; i++) {
        struct nodes listed = {.items = NULL};
        free(hostlist_read(words[i], &listed));
        nodes_deinit(&listed);
        hydra_control_is_good(words[i]);
        nodes_is_here(words[i]);
        if (nodes_get(&nodes, words[i]) >= 0 && nodes_find(&nodes, words[i]) < 0)
            abort();
    }
    nodes_deinit(&nodes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(char **words, size_t count) = {command_line, list, names};
    char *words[WORDS_MAX + 1] = {NULL};
    size_t count = 0;
    if (size < 2)
        return 0;
    char *text = alloc_zeroed(size, 1), *rest = text;
    memcpy(text, data + 1, size - 1);
    for (char *word; count < WORDS_MAX && (word = strsep(&rest, "\n")) != NULL;)
        words[count++] = word;
    readers[*data % 3](words, count);
    free(text);
    return 0;
}

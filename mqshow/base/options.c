// SPDX-License-Identifier: BSD-3-Clause
// What the user asks for on the command line.
#include "mqshow/base/options.h"

#include "mqs_ext.h"
#include "mqshow/base/alloc.h"
#include "mqshow/base/argument.h"
#include "mqshow/base/help.h"
#include "mqshow/base/diag.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_LIMIT = 1000000,
    DEFAULT_PROCESS_TIMEOUT = 60,
    DEFAULT_HOST_TIMEOUT = 120,
    DEFAULT_HOSTS_MAX = 64,
    TIMEOUT_MAX = 1000000,
    DEFAULT_STUCK = 2
};

static void
add_range(struct options *options, char *word)
{
    char *dash = strchr(word, '-');
    if (dash != NULL)
        *dash = '\0';
    struct rank_range range;
    range.first = (int) argument_number(word, 0, INT_MAX, "no rank");
    range.last = dash != NULL ? (int) argument_number(dash + 1, range.first, INT_MAX, "no rank")
                              : range.first;
    options->ranks =
        alloc_grow(options->ranks, options->n_ranks, &options->ranks_capacity, sizeof range);
    options->ranks[options->n_ranks++] = range;
}

static void
set_ranks(struct options *options, const char *list)
{
    char *copy = alloc_text(list), *rest = copy;
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        add_range(options, word);
    free(copy);
}

static void
set_job(struct options *options, const char *text)
{
    options->job = (pid_t) argument_number(text, 1, INT_MAX, "no process id");
}

static void
add_stub(struct options *options, const char *text)
{
    options->stubs = alloc_grow(options->stubs, options->n_stubs, &options->stubs_capacity,
                                sizeof *options->stubs);
    options->stubs[options->n_stubs++] = text;
}

static void
set_limit(struct options *options, const char *text)
{
    options->limit = (size_t) argument_number(text, 0, LONG_MAX, "no number");
}

static void
set_color(struct options *options, const char *text)
{
    static const char *const names[] = {"auto", "always", "never", NULL};
    options->color = (enum color) argument_choice(text, names, "no way to color");
}

static void
set_only(struct options *options, const char *text)
{
    static const char *const names[] = {"all",     "comms",   "queues", "groups", "waits",
                                        "threads", "regions", "tasks",  "icvs",   NULL};
    options->only = (enum part) argument_choice(text, names, "no part");
    options->icvs |= options->only == PART_ICVS;
}

static void
set_layout(struct options *options, const char *text)
{
    static const char *const names[] = {"debug", "built-in", NULL};
    static const int origins[] = {MQS_LAYOUT_DEBUG_INFORMATION, MQS_LAYOUT_BUILT_IN};
    options->layout_origins = origins[argument_choice(text, names, "no origin of layouts")];
}

static void
set_parallel(struct options *options, const char *text)
{
    options->parallel = (size_t) argument_number(text, 1, 100000, "no number of processes");
}

static void
set_timeout(struct options *options, const char *text)
{
    options->timeout = (int) argument_number(text, 0, TIMEOUT_MAX, "no number of seconds");
}

static void
set_process_timeout(struct options *options, const char *text)
{
    options->process_timeout = (int) argument_number(text, 0, TIMEOUT_MAX, "no number of seconds");
}

static void
set_host_timeout(struct options *options, const char *text)
{
    options->host_timeout = (int) argument_number(text, 1, TIMEOUT_MAX, "no number of seconds");
}

static void
set_hosts_max(struct options *options, const char *text)
{
    options->hosts_max = (size_t) argument_number(text, 0, INT_MAX, "no number of machines");
}

static void
set_job_user(struct options *options, const char *text)
{
    options->job_user = argument_number(text, 0, UINT32_MAX, "no number of a user");
}

static void
set_watch(struct options *options, const char *text)
{
    options->watch = argument_seconds(text);
}

static void
set_stuck(struct options *options, const char *text)
{
    options->stuck = text != NULL ? argument_seconds(text) : DEFAULT_STUCK;
}

static void
set_count(struct options *options, const char *text)
{
    options->count = (size_t) argument_number(text, 1, LONG_MAX, "no number of samples");
}

static void
show_help(struct options *options, const char *text)
{
    (void) options, (void) text;
    help_and_exit();
}

static void
show_version(struct options *options, const char *text)
{
    (void) options, (void) text;
    version_and_exit();
}

#define OPTION(name, has_arg, letter, set)    \
    {                                         \
        (name), (has_arg), (letter), (set), 0 \
    }
#define FLAG(name, letter, member)                                            \
    {                                                                         \
        (name), no_argument, (letter), NULL, offsetof(struct options, member) \
    }
#define TEXT(name, letter, member)                                                  \
    {                                                                               \
        (name), required_argument, (letter), NULL, offsetof(struct options, member) \
    }

/** The options: what `val` of each is found in `struct option`. */
static const struct {
    const char *name;
    int has_arg;
    char letter;                                            // '\0': none
    void (*set)(struct options *options, const char *text); // NULL: a flag or a text
    size_t member;                                          // where that is
} known[] = {
    OPTION("job", required_argument, 'j', set_job),
    FLAG("core", '\0', core),
    OPTION("remote", required_argument, '\0', add_stub),
    TEXT("exe", '\0', exe),
    OPTION("rank", required_argument, 'r', set_ranks),
    TEXT("comm", 'c', comm),
    OPTION("limit", required_argument, '\0', set_limit),
    FLAG("all", 'a', all),
    OPTION("only", required_argument, '\0', set_only),
    FLAG("stacks", '\0', stacks),
    FLAG("icvs", '\0', icvs),
    FLAG("control-vars", '\0', control_vars),
    FLAG("json", '\0', json),
    TEXT("html", '\0', html),
    OPTION("color", required_argument, '\0', set_color),
    OPTION("parallel", required_argument, '\0', set_parallel),
    FLAG("together", '\0', together),
    OPTION("timeout", required_argument, '\0', set_timeout),
    OPTION("process-timeout", required_argument, '\0', set_process_timeout),
    OPTION("host-timeout", required_argument, '\0', set_host_timeout),
    OPTION("hosts-max", required_argument, '\0', set_hosts_max),
    TEXT("launcher", '\0', launcher),
    TEXT("remote-mqshow", '\0', remote_mqshow),
    TEXT("job-pids", '\0', job_pids),
    OPTION("job-user", required_argument, '\0', set_job_user),
    TEXT("as", '\0', as),
    TEXT("hydra", '\0', hydra),
    FLAG("list", '\0', list),
    OPTION("stuck", optional_argument, '\0', set_stuck),
    OPTION("watch", required_argument, '\0', set_watch),
    OPTION("count", required_argument, '\0', set_count),
    TEXT("dll", '\0', dll),
    OPTION("layout", required_argument, '\0', set_layout),
    FLAG("print-layout", '\0', print_layout),
    TEXT("record", '\0', record),
    FLAG("stats", '\0', stats),
    OPTION("help", no_argument, 'h', show_help),
    OPTION("version", no_argument, 'V', show_version),
};

enum { N_KNOWN = sizeof known / sizeof *known, LONG_ONLY = 256 };

static void
set_option(struct options *options, int i, const char *text)
{
    char *member = (char *) options + known[i].member;
    if (known[i].set != NULL)
        known[i].set(options, text);
    else if (known[i].has_arg == no_argument)
        *(bool *) (void *) member = true;
    else
        memcpy(member, &text, sizeof text);
}

static void
add_pid(struct options *options, const char *text)
{
    options->pids =
        alloc_grow(options->pids, options->n_pids, &options->pids_capacity, sizeof *options->pids);
    options->pids[options->n_pids++] = (pid_t) argument_number(text, 1, INT_MAX, "no process id");
}

/** Takes the words that are no options. */
static void
take_arguments(struct options *options, char **arguments, size_t count)
{
    if (options->core && (options->job != 0 || options->watch > 0 || options->stuck > 0))
        argument_wrong("--core", "not with --job, --watch or --stuck");
    if (options->n_stubs > 0 && (options->core || options->watch > 0 || options->stuck > 0))
        argument_wrong("--remote", "not with --core, --watch or --stuck");
    if (options->core) {
        options->cores = arguments;
        options->n_cores = count;
    }
    for (size_t i = 0; i < count && !options->core; i++)
        add_pid(options, arguments[i]);
    bool is_asked = options->job_pids != NULL || options->hydra != NULL;
    if (count == 0 && options->job == 0 && options->n_stubs == 0 && !is_asked)
        argument_wrong("nothing to show",
                       "name a process, with --job an mpirun, with --core cores, or with --remote "
                       "debuggers");
}

void
options_init(struct options *options, int argc, char **argv)
{
    struct option longs[N_KNOWN + 1] = {{.name = NULL}};
    for (int i = 0; i < N_KNOWN; i++)
        longs[i] = (struct option){known[i].name, known[i].has_arg, NULL, LONG_ONLY + i};
    *options = (struct options){.limit = DEFAULT_LIMIT,
                                .process_timeout = DEFAULT_PROCESS_TIMEOUT,
                                .hosts_max = DEFAULT_HOSTS_MAX,
                                .job_user = -1,
                                .host_timeout = DEFAULT_HOST_TIMEOUT};
    for (int got; (got = getopt_long(argc, argv, "j:r:c:ahV", longs, NULL)) != -1;) {
        if (got == '?')
            argument_exit();
        for (int i = 0; i < N_KNOWN; i++)
            if (got == LONG_ONLY + i || got == known[i].letter)
                set_option(options, i, optarg);
    }
    take_arguments(options, argv + optind, (size_t) (argc - optind));
}

void
options_deinit(struct options *options)
{
    free(options->pids);
    free(options->ranks);
    free(options->stubs);
}

bool
options_want_rank(const struct options *options, int rank)
{
    for (size_t i = 0; i < options->n_ranks; i++)
        if (rank >= options->ranks[i].first && rank <= options->ranks[i].last)
            return true;
    return options->n_ranks == 0;
}

bool
options_want_comm(const struct options *options, const char *label, const char *name, int64_t id)
{
    const char *wanted = options->comm;
    if (wanted == NULL || (label != NULL && strcmp(wanted, label) == 0) ||
        (name != NULL && strcmp(wanted, name) == 0))
        return true;
    char *end;
    errno = 0;
    // What JSON's integers do not hold has the same bits there.
    unsigned long long number = strtoull(wanted, &end, 0);
    return errno == 0 && end != wanted && *end == '\0' && (int64_t) number == id;
}

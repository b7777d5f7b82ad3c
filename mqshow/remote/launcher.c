// SPDX-License-Identifier: BSD-3-Clause
// Programs that run a command on other machines.
#include "mqshow/remote/launcher.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char connect_seconds[] = "15";

/** How a launcher is called. */
struct kind {
    const char *name; // NULL: any other command
    bool many;        // one run serves many machines
    bool numbers;     // it labels lines by numbers
    int end_signal;   // the signal after which it ends what it has started, and then itself
    void (*add)(struct arguments *arguments, const struct launcher *launcher, const char *names,
                size_t count, const struct arguments *command, const char *seconds);
};

char *
launcher_quote(const struct arguments *command)
{
    char *quoted = alloc_text("");
    for (size_t i = 0; i < command->count; i++) {
        const char *word = command->items[i];
        char *end, *room = alloc_zeroed(4 * strlen(word) + 1, 1);
        end = room;
        for (; *word != '\0'; word++)
            end = *word == '\'' ? stpcpy(end, "'\\''") : (*end = *word, end + 1);
        char *longer = alloc_format("%s%s'%s'", quoted, i > 0 ? " " : "", room);
        free(room);
        free(quoted);
        quoted = longer;
    }
    return quoted;
}

static void
add_quoted(struct arguments *arguments, const struct arguments *command)
{
    char *quoted = launcher_quote(command);
    arguments_add(arguments, quoted, NULL);
    free(quoted);
}

static void
add_clush(struct arguments *arguments, const struct launcher *launcher, const char *names,
          size_t count, const struct arguments *command, const char *seconds)
{
    (void) launcher, (void) count;
    arguments_add(arguments, "clush", "-n", "--color=never", "-t", connect_seconds, "-u", seconds,
                  "-w", names, NULL);
    add_quoted(arguments, command);
}

static void
add_srun(struct arguments *arguments, const struct launcher *launcher, const char *names,
         size_t count, const struct arguments *command, const char *seconds)
{
    (void) seconds;
    char *job = alloc_format("--jobid=%s", launcher->slurm_job);
    char *nodes = alloc_format("--nodes=%zu", count), *tasks = alloc_format("--ntasks=%zu", count);
    char *list = alloc_format("--nodelist=%s", names);
    // "arbitrary": its tasks have the order of the list, so that their numbers identify the
    // machines.
    arguments_add(arguments, "srun", "--overlap", job, nodes, tasks, "--ntasks-per-node=1", list,
                  "--distribution=arbitrary", "--input=none", "--label", "--gres=none",
                  "--mem-per-cpu=0", "--kill-on-bad-exit=0", "--", NULL);
    // It hands the words on as they are.
    for (size_t i = 0; i < command->count; i++)
        arguments_add(arguments, command->items[i], NULL);
    free(job);
    free(nodes);
    free(tasks);
    free(list);
}

static void
add_pdsh(struct arguments *arguments, const struct launcher *launcher, const char *names,
         size_t count, const struct arguments *command, const char *seconds)
{
    (void) launcher, (void) count;
    // -b: a single SIGINT ends it.
    arguments_add(arguments, "pdsh", "-b", "-R", "ssh", "-t", connect_seconds, "-u", seconds, "-w",
                  names, NULL);
    add_quoted(arguments, command);
}

static void
add_ssh(struct arguments *arguments, const struct launcher *launcher, const char *names,
        size_t count, const struct arguments *command, const char *seconds)
{
    (void) launcher, (void) count, (void) seconds;
    char *patience = alloc_format("ConnectTimeout=%s", connect_seconds);
    arguments_add(arguments, "ssh", "-x", "-o", "BatchMode=yes", "-o", patience, names, NULL);
    add_quoted(arguments, command);
    free(patience);
}

/** Any other command, whose own words are separated by blanks. */
static void
add_other(struct arguments *arguments, const struct launcher *launcher, const char *names,
          size_t count, const struct arguments *command, const char *seconds)
{
    (void) count, (void) seconds;
    char *copy = alloc_text(launcher->name), *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word != '\0')
            arguments_add(arguments, word, NULL);
    arguments_add(arguments, names, NULL);
    add_quoted(arguments, command);
    free(copy);
}

/** In the order in which they are preferred. */
static const struct kind kinds[] = {
    {"clush", true, false, SIGTERM, add_clush}, {"srun", true, true, SIGTERM, add_srun},
    {"pdsh", true, false, SIGINT, add_pdsh},    {"ssh", false, false, SIGTERM, add_ssh},
    {NULL, false, false, SIGTERM, add_other},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/** Whether the PATH leads to a program. */
static bool
is_there(const char *program)
{
    const char *path = getenv("PATH");
    char *copy = alloc_text(path != NULL ? path : "/usr/bin:/bin"), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":")) != NULL;) {
        char *file = alloc_format("%s/%s", *folder != '\0' ? folder : ".", program);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

static const struct kind *
find_wanted(const char *wanted)
{
    const struct kind *kind = kinds;
    while (kind->name != NULL && strcmp(kind->name, wanted) != 0)
        kind++;
    return kind;
}

static bool
is_number(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static const struct kind *
find_first(const struct launcher *launcher)
{
    for (const struct kind *kind = kinds; kind->name != NULL; kind++)
        if ((!kind->numbers || launcher->slurm_job != NULL) && is_there(kind->name))
            return kind;
    return NULL;
}

char *
launcher_init(struct launcher *launcher, const char *wanted, pid_t starter)
{
    *launcher = (struct launcher){.slurm_job = procfs_environment(starter, "SLURM_JOB_ID")};
    if (launcher->slurm_job != NULL && !is_number(launcher->slurm_job)) {
        free(launcher->slurm_job);
        launcher->slurm_job = NULL;
    }
    launcher->kind = wanted != NULL ? find_wanted(wanted) : find_first(launcher);
    if (launcher->kind == NULL)
        return alloc_text("clush, pdsh and ssh not found: to reach other machines install one, "
                          "or give another with --launcher");
    if (launcher->kind->numbers && launcher->slurm_job == NULL)
        return alloc_text("srun cannot be used: the starter runs in no Slurm job");
    launcher->name = alloc_text(wanted != NULL ? wanted : launcher->kind->name);
    return NULL;
}

void
launcher_deinit(struct launcher *launcher)
{
    free(launcher->name);
    free(launcher->slurm_job);
}

bool
launcher_takes_many(const struct launcher *launcher)
{
    return launcher->kind->many;
}

bool
launcher_numbers(const struct launcher *launcher)
{
    return launcher->kind->numbers;
}

int
launcher_end_signal(const struct launcher *launcher)
{
    return launcher->kind->end_signal;
}

struct arguments
launcher_arguments(const struct launcher *launcher, const char *names, size_t count,
                   const struct arguments *command, int seconds)
{
    struct arguments arguments = {.items = NULL};
    char *limit = alloc_format("%d", seconds);
    launcher->kind->add(&arguments, launcher, names, count, command, limit);
    free(limit);
    return arguments;
}

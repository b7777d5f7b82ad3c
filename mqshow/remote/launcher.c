// SPDX-License-Identifier: BSD-3-Clause
// Programs that run a command on other machines.
#include "mqshow/remote/launcher.h"

#include "mqshow/base/ask.h"
#include "mqshow/base/strbuf.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Machines that a launcher asks at a time: one that hangs must not take the place of others for
// long.
enum { AT_ONCE_MAX = 256 };

/** In the order in which they are preferred. */
static const struct launcher_kind kinds[] = {
    // "arbitrary": its tasks have the order of the list, so that their numbers identify the
    // machines.
    {"srun",
     "--overlap --jobid=%j --het-group=%g --mpi=none --nodes=%n --ntasks=%n --ntasks-per-node=1 "
     "--nodelist=%w --distribution=arbitrary --input=none --label --gres=none --mem-per-cpu=0 "
     "--kill-on-bad-exit=0 --",
     true, true, SIGTERM},
    {"clush", "-n --color=never -f %f -t 15 -u %u -w %w", true, false, SIGTERM},
    // -b: a single SIGINT ends it.
    {"pdsh", "-b -R ssh -f %f -t 15 -u %u -w %w", true, false, SIGINT},
    {"ssh", "-x -o BatchMode=yes -o ConnectTimeout=15 %w", false, false, SIGTERM},
    {NULL, "%w", false, false, SIGTERM},
};

static const struct launcher_kind *
find_wanted(const char *wanted)
{
    const struct launcher_kind *kind = kinds;
    while (kind->name != NULL && strcmp(kind->name, wanted) != 0)
        kind++;
    return kind;
}

static const struct launcher_kind *
find_first(const struct launcher *launcher)
{
    for (const struct launcher_kind *kind = kinds; kind->name != NULL; kind++)
        if ((!kind->is_srun || launcher->slurm_job != NULL) && ask_is_there(kind->name))
            return kind;
    return NULL;
}

/** Whether a variable "NAME=VALUE" is one that srun takes settings from, other than which Slurm. */
static bool
is_setting(const char *variable)
{
    return strncmp(variable, "SRUN_", 5) == 0 ||
           (strncmp(variable, "SLURM_", 6) == 0 && strncmp(variable, "SLURM_CONF", 10) != 0 &&
            strncmp(variable, "SLURM_CLUSTERS=", 15) != 0);
}

/** What this program was started with, as a step of some job perhaps, is not for the step that srun
 * makes.
 */
static void
forget_settings(void)
{
    for (char **at = environ; *at != NULL;) {
        if (!is_setting(*at)) {
            at++;
            continue;
        }
        // What follows moves to its place.
        char *name = alloc_format("%.*s", (int) strcspn(*at, "="), *at);
        unsetenv(name);
        free(name);
    }
}

char *
launcher_init(struct launcher *launcher, const char *wanted, const char *slurm_job)
{
    *launcher = (struct launcher){.slurm_job = slurm_job != NULL ? alloc_text(slurm_job) : NULL};
    launcher->kind = wanted != NULL ? find_wanted(wanted) : find_first(launcher);
    if (launcher->kind == NULL)
        return alloc_text("clush, pdsh and ssh not found: to reach other machines install one, "
                          "or give another with --launcher");
    if (launcher->kind->is_srun && launcher->slurm_job == NULL)
        return alloc_text("srun cannot be used: the starter runs in no Slurm job");
    if (launcher->kind->is_srun)
        forget_settings();
    launcher->name = alloc_text(wanted != NULL ? wanted : launcher->kind->name);
    return NULL;
}

void
launcher_deinit(struct launcher *launcher)
{
    free(launcher->name);
    free(launcher->slurm_job);
}

char *
launcher_quote(const struct arguments *command)
{
    struct strbuf quoted = {.text = NULL};
    for (size_t i = 0; i < command->count; i++) {
        strbuf_add(&quoted, i > 0 ? " '" : "'");
        for (const char *c = command->items[i]; *c != '\0'; c++)
            strbuf_add(&quoted, "%s%c", *c == '\'' ? "'\\'" : "", *c);
        strbuf_add(&quoted, "'");
    }
    return strbuf_take(&quoted);
}

/** Adds the words of a text, of which each has one value at most, but those whose value is NULL.
 * @param values of %u, %w, ... */
static void
add_words(struct arguments *arguments, const char *text, const char *const *values)
{
    char *copy = alloc_text(text), *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        size_t length = values != NULL ? strcspn(word, "%") : strlen(word);
        const char *value = word[length] != '\0' ? values[(unsigned char) word[length + 1]] : "";
        if (value == NULL)
            continue;
        char *whole = alloc_format("%.*s%s", (int) length, word, value);
        if (*whole != '\0')
            arguments_add(arguments, whole, NULL);
        free(whole);
    }
    free(copy);
}

struct arguments
launcher_arguments(const struct launcher *launcher, const char *names, size_t count,
                   const struct arguments *command, int seconds, const char *group)
{
    struct arguments arguments = {.items = NULL};
    char *limit = alloc_format("%d", seconds), *number = alloc_format("%zu", count);
    char *at_once = alloc_format("%zu", count < AT_ONCE_MAX ? count : (size_t) AT_ONCE_MAX);
    char *quoted = launcher_quote(command);
    const char *const values[] = {
        ['u'] = limit, ['w'] = names,  ['n'] = number, ['j'] = launcher->slurm_job,
        ['g'] = group, ['f'] = at_once};
    add_words(&arguments, launcher->name, NULL);
    add_words(&arguments, launcher->kind->words, values);
    // srun hands the words on as they are.
    for (size_t i = 0; i < command->count && launcher->kind->is_srun; i++)
        arguments_add(&arguments, command->items[i], NULL);
    if (!launcher->kind->is_srun)
        arguments_add(&arguments, quoted, NULL);
    free(quoted);
    free(at_once);
    free(number);
    free(limit);
    return arguments;
}

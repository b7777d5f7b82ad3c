// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job as Flux and PALS list them.
#include "mqshow/job/hostpids.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/ask.h"
#include "mqshow/base/subprocess.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 20, ID_MAX = 300 };

/** The process of a rank; the text is that of the answer. */
struct task {
    const char *host;
    pid_t pid;
};

struct tasks {
    struct task *items;
    size_t count, capacity;
};

/** Whether a text can be an id: it must not be an option. */
static bool
is_id(const char *text)
{
    size_t length = strnlen(text, ID_MAX + 1);
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char) *c <= ' ' || *c == '\x7f')
            return false;
    return length > 0 && length <= ID_MAX && *text != '-';
}

/** Adds the task of a text, which is cut. @param between what is before its last part, the pid
 * @return false: it is none */
static bool
add_task(struct tasks *tasks, char *text, char between)
{
    char *last = strrchr(text, between), *end;
    long pid = last != NULL ? strtol(last + 1, &end, 10) : 0;
    if (pid <= 0 || pid > INT_MAX || *end != '\0')
        return false;
    *last = '\0';
    if (between == ' ') // the program is between
        text[strcspn(text, " ")] = '\0';
    *ALLOC_ADD(tasks->items, tasks->count, tasks->capacity) = (struct task){text, (pid_t) pid};
    return true;
}

/** @return whether all of the text is a list, of which there may be none */
static bool
read_flux(char *text, struct tasks *ret)
{
    bool good = true;
    text[strcspn(text, "\n")] = '\0';
    for (char *pair; good && (pair = strsep(&text, ",")) != NULL;)
        good = add_task(ret, pair, ':');
    return good;
}

static bool
read_pals(char *text, struct tasks *ret)
{
    char *line = strsep(&text, "\n"); // the heading
    bool good = true;
    while (good && (line = strsep(&text, "\n")) != NULL && *line != '\0') {
        for (char *c = line; *c != '\0'; c++)
            *c = *c == '\t' ? ' ' : *c;
        char *start = line + strspn(line, " ");
        for (size_t length = strlen(start); length > 0 && start[length - 1] == ' ';)
            start[--length] = '\0';
        good = add_task(ret, start, ' ');
    }
    return good;
}

static void
add_process(struct job *job, const struct task *task, int rank)
{
    if (nodes_is_here(task->host)) {
        job_add(job, task->pid, rank);
        return;
    }
    int node = nodes_get(&job->nodes, task->host);
    if (node >= 0)
        job_add_elsewhere(job, node, task->pid, rank, NULL);
}

/** Asks a command, whose words are freed. Of what is cut or otherwise written nothing is known to
 * be right.
 * @param what the command in words @return as the exported functions */
static char *
add_listed(struct job *job, struct arguments *words, const char *what,
           bool (*read)(char *text, struct tasks *ret))
{
    struct answer answer = ask(words, PATIENCE_S);
    struct tasks tasks = {.items = NULL};
    bool good = read(answer.text, &tasks) && tasks.count > 0;
    for (size_t i = 0; i < tasks.count && good; i++)
        add_process(job, &tasks.items[i], (int) i);
    char *problem = NULL;
    if (!good)
        problem = alloc_format("%s lists no processes%s%s: run mqshow as the job's user where that "
                               "command does, or name the machines with --hosts",
                               what, answer.complaint != NULL ? ": " : "",
                               answer.complaint != NULL ? answer.complaint : "");
    free(tasks.items);
    answer_deinit(&answer);
    return problem;
}

char *
hostpids_add_flux(struct job *job, const char *id)
{
    struct arguments words = {.items = NULL};
    if (!is_id(id))
        return alloc_format("\"%.*s\" is no id of a job of Flux", (int) ID_MAX, id);
    arguments_add(&words, "flux", "job", "hostpids", "--timeout=15s", id, NULL);
    char *what = alloc_format("flux job hostpids %s", id);
    char *problem = add_listed(job, &words, what, read_flux);
    free(what);
    return problem;
}

char *
hostpids_add_pals(struct job *job, const char *id)
{
    struct arguments words = {.items = NULL};
    const char *colon = strchr(id, ':'), *apid = colon != NULL ? colon + 1 : id;
    char *host = colon != NULL ? alloc_format("%.*s", (int) (colon - id), id) : NULL, *problem;
    if (!is_id(apid) || (host != NULL && !nodes_name_is_good(host))) {
        problem = alloc_format("\"%.*s\" is no id of an application of PALS: these are written "
                               "APID or HOST:APID",
                               (int) ID_MAX, id);
    } else {
        arguments_add(&words, "palstat", NULL);
        if (host != NULL)
            arguments_add(&words, "-n", host, NULL);
        arguments_add(&words, "-p", apid, NULL);
        char *what = alloc_format("palstat%s%s -p %s", host != NULL ? " -n " : "",
                                  host != NULL ? host : "", apid);
        problem = add_listed(job, &words, what, read_pals);
        free(what);
    }
    free(host);
    return problem;
}

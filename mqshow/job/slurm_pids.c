// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job of Slurm on this machine: `scontrol listpids`, which lists those of a step
// only where it has a number: all are listed, and chosen here.
#include "mqshow/job/slurm.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/ask.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/subprocess.h"
#include "mqshow/job/slurm_id.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 20, PIDS_MAX = 100000 };

/** A line "PID JOBID STEPID LOCALID GLOBALID". */
struct row {
    pid_t pid;
    char step[32];
    bool is_task; // one of those that Slurm has started itself, of an application
};

/** Reads a line, which it cuts. @return false: it is none, such as the first one */
static bool
read_row(char *line, struct row *ret)
{
    char *words[5], *rest = line, *end;
    size_t count = 0;
    for (char *word; count < 5 && (word = strsep(&rest, " ")) != NULL;)
        if (*word != '\0')
            words[count++] = word;
    long pid = count == 5 ? strtol(words[0], &end, 10) : 0;
    if (pid <= 0 || pid > INT32_MAX || *end != '\0')
        return false;
    *ret = (struct row){.pid = (pid_t) pid,
                        .is_task = strchr("0123456789", *words[2]) != NULL && *words[3] != '-'};
    snprintf(ret->step, sizeof ret->step, "%s", words[2]);
    return true;
}

/** Whether a process of the job is none of the program's: what shows the job is part of it as long
 * as it runs, and what starts ranks is a task itself, with a rank of its own.
 */
static bool
is_helper(pid_t pid)
{
    char *own = procfs_program(0), *other = procfs_program(pid);
    bool same = own != NULL && text_equals(other, own);
    free(own);
    free(other);
    return same || starter_is_one(pid);
}

/** Without MPI, a task has its number of Slurm only. */
static void
add_tasks(struct job *job, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].is_task)
            job_add(job, rows[i].pid, procfs_environment_number(rows[i].pid, "SLURM_PROCID"));
}

char *
slurm_add_pids(struct job *job, const char *id)
{
    struct slurm_id read = {.job = NULL};
    struct arguments words = {.items = NULL};
    if (!slurm_id_read(id, &read))
        return alloc_text("the id of the Slurm job is invalid");
    arguments_add(&words, "scontrol", "listpids", read.job, NULL);
    struct answer answer = ask(&words, PATIENCE_S);
    struct row *rows = NULL;
    size_t count = 0, capacity = 0, before = job->count;
    char *rest = answer.text;
    for (char *line; count < PIDS_MAX && (line = strsep(&rest, "\n")) != NULL;) {
        struct row row;
        if (read_row(line, &row) && slurm_id_means_step(read.step, row.step) && !is_helper(row.pid))
            *ALLOC_ADD(rows, count, capacity) = row;
    }
    for (size_t i = 0; i < count; i++)
        job_add_candidate(job, rows[i].pid);
    if (job->count == before)
        add_tasks(job, rows, count);
    char *problem = count == 0 && answer.complaint != NULL
                        ? alloc_format("scontrol listpids %s: %s", id, answer.complaint)
                        : NULL;
    free(rows);
    slurm_id_deinit(&read);
    answer_deinit(&answer);
    return problem;
}

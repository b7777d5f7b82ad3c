// SPDX-License-Identifier: BSD-3-Clause
// The process of this program that reads: what is the same in all samples.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/confine.h"
#include "mqshow/run/worker_pool.h"
#include "mqshow/run/sample.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/core.h"
#include "mqshow/process/identity.h"
#include "mqshow/process/sockets.h"
#include "mqshow/run/reader.h"
#include "mqshow/run/worker_msg.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
send(const struct run *run, int what, const char *text, size_t size)
{
    packet_send_or_exit(run->reports_out, (uint64_t) what, text, size);
}

/** The first process of the same program. */
static size_t
find_first_like(char **programs, size_t i)
{
    for (size_t k = 0; k < i && programs[i] != NULL; k++)
        if (text_equals(programs[k], programs[i]))
            return k;
    return i;
}

/** Opens one process of each program, the first that can be opened, and finds the first of these
 * that names a library in MPIR_dll_name.
 */
static const struct image *
find_naming_image(struct run *run)
{
    const struct image *naming = NULL;
    char **programs = alloc_zeroed(run->count, sizeof *programs);
    for (size_t i = 0; i < run->count && naming == NULL; i++) {
        const struct job_process *found = &run->job.items[i];
        if (found->node >= 0)
            continue; // on another machine
        programs[i] = job_program(found);
        if (find_first_like(programs, i) != i)
            continue;
        sample_open(run, i);
        const struct image *image = &run->debuggees[i].process.image.image;
        char *name = run->debuggees[i].usable ? dll_select_named_by(image) : NULL;
        naming = name != NULL ? image : NULL;
        free(name);
        if (!run->debuggees[i].usable) {
            free(programs[i]);
            programs[i] = NULL;
        }
    }
    for (size_t i = 0; i < run->count; i++)
        free(programs[i]);
    free(programs);
    return naming;
}

/** Chooses the library and opens it. */
static void
open_library(struct run *run, bool cold)
{
    struct dll_select *selected = &run->selected;
    const struct image *naming = cold ? NULL : find_naming_image(run);
    char *problem = dll_select_init(selected, run->options->dll, naming);
    if (problem == NULL)
        problem = dll_open(&run->dll, selected->path);
    if (problem != NULL) {
        send(run, READER_FAILED, problem, strlen(problem) + 1);
        _exit(EXIT_FAILURE);
    }
    char *both = alloc_format("%s%c%s", selected->path, '\0', selected->reason);
    send(run, READER_LIBRARY, both, strlen(selected->path) + strlen(selected->reason) + 2);
    free(both);
    run->dll.mqs_setup_basic_callbacks(&host_basic);
}

static void
sample_all(struct run *run, bool cold)
{
    for (size_t i = 0; i < run->count && !cold; i++)
        sample_warm(run, i);
    diag_progress_clear();
    send(run, READER_READY, "", 1);
    worker_pool_sample(run);
    for (size_t i = 0; i < run->count; i++)
        sample_close(run, i);
    document_destroy(run->document);
    run->document = document_create(run->count);
    stats_count_time();
    char *counts = worker_msg_counts(&host_stats);
    send(run, READER_SAMPLED, counts, strlen(counts));
    free(counts);
    host_stats = (struct host_stats){.held = host_stats.held, .peak = host_stats.held};
}

/** Whether all processes of this machine are of one user; takes that one's rights. */
static bool
take_identity(const struct run *run)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < run->count; i++) {
        if (run->job.items[i].node >= 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        if (run_user(run, i) != run_user(run, first))
            return false;
    }
    identity_take(run_user(run, first), run->job.items[first].pid);
    return true;
}

void
reader_work(struct run *run, bool cold, int requests, int replies)
{
    char request;
    run->reports_out = replies;
    run->document = document_create(run->count);
    host_stats = (struct host_stats){.reads = 0};
    // Files that a user's process names are opened with that user's rights.
    if (geteuid() == 0 && run->options->record == NULL && !take_identity(run))
        cold = true;
    confine_memory(1);
    confine(run->options->record != NULL, true);
    if (job_has_live(&run->job))
        unread_begin();
    open_library(run, cold);
    while (read(requests, &request, sizeof request) == sizeof request)
        sample_all(run, cold);
    worker_pool_end(run);
    _exit(EXIT_SUCCESS);
}

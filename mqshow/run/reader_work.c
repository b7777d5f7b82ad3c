// SPDX-License-Identifier: BSD-3-Clause
// The process of this program that reads: what is the same in all looks.
#include "mqshow/base/alloc.h"
#include "mqshow/process/confine.h"
#include "mqshow/run/crew.h"
#include "mqshow/run/look.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/core.h"
#include "mqshow/process/identity.h"
#include "mqshow/run/reader.h"
#include "mqshow/run/reply.h"
#include "mqshow/base/say.h"
#include "mqshow/mqd/stats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
send(const struct show *show, int what, const char *text, size_t size)
{
    packet_send_or_exit(show->answers, (uint64_t) what, text, size);
}

/** The first process of the same program. */
static size_t
find_first_like(char **programs, size_t i)
{
    for (size_t k = 0; k < i && programs[i] != NULL; k++)
        if (programs[k] != NULL && strcmp(programs[k], programs[i]) == 0)
            return k;
    return i;
}

/** Opens one process of each program, the first that can be opened, and finds the first of these
 * that names a library in MPIR_dll_name.
 */
static const struct image *
find_naming_image(struct show *show)
{
    const struct image *naming = NULL;
    char **programs = alloc_zeroed(show->count, sizeof *programs);
    for (size_t i = 0; i < show->count && naming == NULL; i++) {
        const struct job_process *found = &show->job.items[i];
        if (found->node >= 0)
            continue; // on another machine
        programs[i] = job_program(found);
        if (find_first_like(programs, i) != i)
            continue;
        look_open(show, i);
        const struct image *image = &show->subjects[i].process.image.image;
        char *name = show->subjects[i].usable ? choice_named_by(image) : NULL;
        naming = name != NULL ? image : NULL;
        free(name);
        if (!show->subjects[i].usable) {
            free(programs[i]);
            programs[i] = NULL;
        }
    }
    for (size_t i = 0; i < show->count; i++)
        free(programs[i]);
    free(programs);
    return naming;
}

/** Chooses the library and opens it. */
static void
open_library(struct show *show, bool cold)
{
    struct choice *choice = &show->choice;
    const struct image *naming = cold ? NULL : find_naming_image(show);
    char *problem = choice_init(choice, show->options->dll, naming);
    if (problem == NULL)
        problem = dll_open(&show->dll, choice->path);
    if (problem != NULL) {
        send(show, READER_FAILED, problem, strlen(problem) + 1);
        _exit(EXIT_FAILURE);
    }
    char *both = alloc_format("%s%c%s", choice->path, '\0', choice->reason);
    send(show, READER_LIBRARY, both, strlen(choice->path) + strlen(choice->reason) + 2);
    free(both);
    show->dll.mqs_setup_basic_callbacks(&host_basic);
}

static void
look(struct show *show, bool cold)
{
    for (size_t i = 0; i < show->count && !cold; i++)
        look_warm(show, i);
    say_no_progress();
    send(show, READER_READY, "", 1);
    crew_look(show);
    for (size_t i = 0; i < show->count; i++)
        look_close(show, i);
    document_destroy(show->document);
    show->document = document_create(show->count);
    stats_count_time();
    char *counts = reply_counts(&host_stats);
    send(show, READER_LOOKED, counts, strlen(counts));
    free(counts);
    host_stats = (struct host_stats){.held = host_stats.held, .peak = host_stats.held};
}

/** Whether all processes of this machine are of one user; takes that one's rights. */
static bool
take_identity(const struct show *show)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < show->count; i++) {
        if (show->job.items[i].node >= 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        if (look_user(show, i) != look_user(show, first))
            return false;
    }
    identity_take(look_user(show, first), show->job.items[first].pid);
    return true;
}

void
reader_work(struct show *show, bool cold, int requests, int replies)
{
    char request;
    show->answers = replies;
    show->document = document_create(show->count);
    host_stats = (struct host_stats){.reads = 0};
    // Files that a user's process names are opened with that user's rights.
    if (geteuid() == 0 && show->options->record == NULL && !take_identity(show))
        cold = true;
    confine_memory(1);
    confine(show->options->record != NULL, true);
    open_library(show, cold);
    while (read(requests, &request, sizeof request) == sizeof request)
        look(show, cold);
    _exit(EXIT_SUCCESS);
}

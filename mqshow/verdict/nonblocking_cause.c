// SPDX-License-Identifier: BSD-3-Clause
// The line about a knot of processes that wait for nonblocking collectives.
#include "mqshow/base/alloc.h"
#include "mqshow/report/place.h"
#include "mqshow/verdict/cause.h"

#include <stdlib.h>
#include <string.h>

/** What the thread of a process that the knot is about waits for in vain; NULL: something else. */
static const struct nonblocking *
awaited_in(const struct knot_cause *cause, uint32_t process)
{
    const struct waits *waits = &cause->verdict->waits;
    int32_t thread = knot_cause_thread(cause, process);
    for (size_t i = waits_of_process(waits, process);
         i < waits->n_awaited && waits->awaited[i].process == process; i++) {
        const struct awaited *awaited = &waits->awaited[i];
        if (awaited->collective && awaited->thread == thread && thread != NOBODY &&
            waits->blocked[awaited->collective->node])
            return awaited->collective;
    }
    return NULL;
}

/** Takes the first collectives, on different communicators, that processes of the cycle wait for.
 * @param ret [1] NULL: all are on one
 * @return false: one waits for something else, or there are more communicators */
static bool
find_both(const struct knot_cause *cause, const struct nonblocking *ret[2])
{
    ret[0] = ret[1] = NULL;
    for (size_t i = 0; i < cause->knot->n_ring; i++) {
        const struct nonblocking *item = awaited_in(cause, cause->knot->ring[i]);
        size_t at = 0;
        while (item && at < 2 && ret[at] && ret[at]->comm != item->comm)
            at++;
        if (!item || at == 2)
            return false;
        if (!ret[at])
            ret[at] = item;
    }
    return ret[0] != NULL;
}

/** Appends the processes of the knot that wait for one on this communicator. */
static void
add_waiting(const struct knot_cause *cause, struct strbuf *words, uint32_t comm, const char *one,
            const char *many)
{
    uint32_t *waiting = alloc_zeroed(cause->knot->n_processes, sizeof *waiting);
    size_t count = 0;
    for (size_t i = 0; i < cause->knot->n_processes; i++) {
        const struct nonblocking *item = awaited_in(cause, cause->knot->processes[i]);
        if (item && item->comm == comm)
            waiting[count++] = cause->knot->processes[i];
    }
    cause_add_ranks(cause->verdict, words, waiting, count, one, many);
    free(waiting);
}

static const char *
name_of(const struct knot_cause *cause, const struct nonblocking *item)
{
    return job_index_comm_name(&cause->verdict->job.comms[item->comm]);
}

/** "ranks 0-2 wait for nonblocking collectives that do not fit each other, on solver" */
static void
add_misfit(struct knot_cause *cause, const struct nonblocking *item)
{
    struct strbuf *both[] = {&cause->full, &cause->brief};
    cause->misfits = true;
    for (int i = 0; i < 2; i++) {
        add_waiting(cause, both[i], item->comm, "waits", "wait");
        strbuf_add(both[i], " for nonblocking collectives that do not fit each other");
    }
    strbuf_add(&cause->full, ", on %s", name_of(cause, item));
}

/** "ranks 0,2 wait for a nonblocking collective on solver, rank 1 for one on mesh" */
static void
add_different(struct knot_cause *cause, const struct nonblocking *const items[2])
{
    struct strbuf *both[] = {&cause->full, &cause->brief};
    for (int i = 0; i < 2; i++) {
        add_waiting(cause, both[i], items[0]->comm, "waits", "wait");
        strbuf_add(both[i], " for a nonblocking collective");
        if (both[i] == &cause->full)
            strbuf_add(both[i], " on %s", name_of(cause, items[0]));
        strbuf_add(both[i], ", ");
        add_waiting(cause, both[i], items[1]->comm, NULL, NULL);
        if (both[i] == &cause->full)
            strbuf_add(both[i], " for one on %s", name_of(cause, items[1]));
        else
            strbuf_add(both[i], " for one on another communicator");
    }
}

bool
knot_cause_nonblocking(struct knot_cause *cause)
{
    const struct nonblocking *items[2];
    if (!find_both(cause, items))
        return false;
    if (items[1])
        add_different(cause, items);
    else if (nonblocking_is_unmatched(items[0]))
        add_misfit(cause, items[0]);
    else
        return false;
    knot_cause_blame(cause, "nonblocking collectives", cause->knot->ring, cause->knot->n_ring);
    return true;
}

/** "MPI_Ibcast in main at x.c:5 began", for free(); NULL: not known. */
static char *
beginning_of(const struct nonblocking *item)
{
    char *call = item ? nonblocking_call_text(item->record) : NULL;
    char *ret =
        call ? alloc_format("%s %s", call, item->record->persistent ? "made" : "began") : NULL;
    free(call);
    return ret;
}

/** Frees the texts that are equal to one from a number on, and takes the processes that have them.
 * @return how many */
static size_t
take_alike(const struct knot *knot, char **texts, size_t from, uint32_t *ret)
{
    size_t count = 0;
    char *text = texts[from];
    for (size_t i = from; i < knot->n_processes; i++) {
        if (!texts[i] || strcmp(texts[i], text) != 0)
            continue;
        ret[count++] = knot->processes[i];
        if (i > from)
            free(texts[i]);
        texts[i] = NULL;
    }
    free(text);
    return count;
}

void
knot_cause_add_begun(const struct knot_cause *cause, struct verdict *verdict)
{
    const struct knot *knot = cause->knot;
    struct strbuf words = {.text = NULL};
    uint32_t *alike = alloc_zeroed(knot->n_processes, sizeof *alike);
    char **texts = alloc_zeroed(knot->n_processes, sizeof *texts);
    size_t shown = 0;
    if (cause->misfits)
        strbuf_add(&words, "all have begun it, and none of its messages comes: do they call the "
                           "same one, with the same root and sizes?");
    cause_add_fact(verdict, &words);
    for (size_t i = 0; i < knot->n_processes; i++)
        texts[i] = beginning_of(awaited_in(cause, knot->processes[i]));
    for (size_t i = 0; i < knot->n_processes; i++) {
        struct strbuf what = {.text = NULL};
        if (!texts[i])
            continue;
        strbuf_add(&what, " for what %s", texts[i]);
        size_t count = take_alike(knot, texts, i, alike);
        cause_add_ranks(verdict, &words, alike, count, "waits", "wait");
        strbuf_add(&words, "%s", what.text);
        if (shown++ < CAUSE_SHOWN)
            cause_add_fact(verdict, &words);
        else
            free(strbuf_take(&words));
        free(strbuf_take(&what));
    }
    free(texts);
    free(alike);
}

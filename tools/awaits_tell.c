// SPDX-License-Identifier: BSD-3-Clause
// Which of the requests that were found on a stack can be meant, once the call is known.
#include "tools/awaits.h"

#include "mqs.h"
#include "tools/threads.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { OF_RECEIVES = 1 << mqs_pending_receives, OF_SENDS = 1 << mqs_pending_sends };

/** Calls that wait, and for what; the first match counts. */
static const struct waiting_call {
    const char *pattern;
    unsigned classes;
    size_t most; // operations that it waits for; 0: any number
} calls[] = {
    {"MPI_Recv", OF_RECEIVES, 1},
    {"MPI_Mrecv", OF_RECEIVES, 1},
    {"MPI_Probe", OF_RECEIVES, 1},
    {"MPI_Mprobe", OF_RECEIVES, 1},
    {"MPI_Send", OF_SENDS, 1},
    {"MPI_[BRS]send", OF_SENDS, 1},
    {"MPI_Sendrecv*", OF_RECEIVES | OF_SENDS, 2},
    {"MPI_Wait", OF_RECEIVES | OF_SENDS, 1},
    {"MPI_Wait*", OF_RECEIVES | OF_SENDS, 0},
};

static int
compare_requests(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->request > b->request) - (a->request < b->request);
}

/** The rule for a call; NULL: it is none that waits for single operations. */
static const struct waiting_call *
find_call(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof calls / sizeof *calls; i++)
        if (fnmatch(calls[i].pattern, name, 0) == 0)
            return &calls[i];
    return NULL;
}

/** Whether a candidate can be what the call waits for, and lies on the call's part of the stack. */
static bool
can_be_meant(const struct thread *thread, const struct waiting_call *call,
             const struct candidate *candidate)
{
    uint64_t end = thread->user != NULL ? thread->user->sp : 0;
    return candidate->certain ||
           (call != NULL && (call->classes & 1u << candidate->op_class) != 0 &&
            (end == 0 || candidate->slot < end));
}

static size_t
count_class(const struct awaits *awaits, int op_class)
{
    size_t count = 0;
    for (size_t i = 0; i < awaits->count; i++)
        count += awaits->items[i].op_class == op_class;
    return count;
}

/** Sorts the candidates and drops all that cannot be meant, and those that are there twice. */
static void
sift(struct awaits *awaits, const struct thread *thread, const struct waiting_call *call)
{
    size_t kept = 0;
    if (awaits->count > 0)
        qsort(awaits->items, awaits->count, sizeof *awaits->items, compare_requests);
    for (size_t i = 0; i < awaits->count; i++)
        if (can_be_meant(thread, call, &awaits->items[i]) &&
            (kept == 0 || awaits->items[kept - 1].request != awaits->items[i].request))
            awaits->items[kept++] = awaits->items[i];
    awaits->count = kept;
}

/** Whether the arguments of the call told what it waits for, and as much of it as is needed: of
 * several that it needs all of, each one counts.
 */
static bool
is_told(const struct thread *thread)
{
    const struct awaits *awaits = &thread->awaits;
    return awaits->told_of != NULL && thread->call != NULL &&
           strcmp(awaits->told_of, thread->call) == 0 && !(awaits->needs_any && awaits->others);
}

/** @param partial whether the call may wait for what is not known */
static void
tell_thread(struct thread *thread, bool partial)
{
    struct awaits *awaits = &thread->awaits;
    const struct waiting_call *call = find_call(thread->call);
    sift(awaits, thread, call);
    awaits->needs_any = thread->call != NULL && runtime_call_needs_any(thread->call);
    if (awaits->count == 0)
        return;
    bool one_each = count_class(awaits, mqs_pending_receives) <= 1 &&
                    count_class(awaits, mqs_pending_sends) <= 1;
    bool all_fit = !partial && call != NULL && one_each && awaits->count <= call->most;
    awaits->certain = awaits->items[0].certain || all_fit || is_told(thread);
}

void
awaits_tell(struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        tell_thread(&threads->items[i], threads->partial);
}

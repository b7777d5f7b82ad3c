// SPDX-License-Identifier: BSD-3-Clause
// Which of the requests that were found on a stack can be meant, once the call is known.
#include "mqshow/waits/awaits.h"

#include "mqs.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>
#include <string.h>

static int
compare_requests(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->request > b->request) - (a->request < b->request);
}

/** Operations that a call waits for at most; 0: any number. */
static size_t
most_of(const struct mpi_call *call)
{
    if (call->count != NULL)
        return 0;
    return call->receives && call->sends && call->requests == NULL ? 2 : 1;
}

static bool
waits_for_class(const struct mpi_call *call, int op_class)
{
    return (op_class == mqs_pending_sends && call->sends) ||
           (op_class == mqs_pending_receives && (call->receives || call->probes));
}

/** Whether a candidate can be what the call waits for, and lies on the call's part of the stack. */
static bool
can_be_meant(const struct thread *thread, const struct mpi_call *call,
             const struct candidate *candidate)
{
    uint64_t end = thread->user != NULL ? thread->user->sp : 0;
    return candidate->certain || (call != NULL && waits_for_class(call, candidate->op_class) &&
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
sift(struct awaits *awaits, const struct thread *thread, const struct mpi_call *call)
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
    const struct mpi_call *call = thread->call != NULL ? mpi_call_find(thread->call) : NULL;
    awaits->needs_any = call != NULL && call->any;
    if (call != NULL && call->waits != MPI_MESSAGES)
        call = NULL;
    sift(awaits, thread, call);
    if (awaits->count == 0)
        return;
    bool one_each = count_class(awaits, mqs_pending_receives) <= 1 &&
                    count_class(awaits, mqs_pending_sends) <= 1;
    bool all_fit = !partial && call != NULL && one_each && awaits->count <= most_of(call);
    awaits->certain = awaits->items[0].certain || all_fit || is_told(thread);
}

void
awaits_tell(struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        tell_thread(&threads->items[i], threads->partial);
}

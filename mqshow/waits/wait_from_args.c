// SPDX-License-Identifier: BSD-3-Clause
// Which requests the arguments of a call name.
//
// The user's handles stand in an array of the user's. When only their number is known, the array
// is the one with that many handles of requests that MPI's part of the stack leads to: the call has
// its address, as it takes requests out of it when they are complete.
#include "mqshow/waits/wait_from_args.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"
#include "mqshow/waits/request_handles.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MAX = 100000 }; // requests that are asked for their handles

/** A request that is searched for, by its handle. */
struct handle_entry {
    uint64_t handle;
    size_t number; // of those that are searched for
};

static int
compare_handles(const void *left, const void *right)
{
    const struct handle_entry *a = left, *b = right;
    return (a->handle > b->handle) - (a->handle < b->handle);
}

/** The handles of the requests that are searched for, in ascending order; for free(). */
static struct handle_entry *
name_all(const struct pending_set *pending, size_t *ret_count)
{
    size_t count = pending->count < ASKED_MAX ? pending->count : ASKED_MAX;
    struct handle_entry *found = alloc_zeroed(count, sizeof *found);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t handle;
        if (handles_get(pending->handles, pending->items[i].address, &handle))
            found[(*ret_count)++] = (struct handle_entry){handle, i};
    }
    qsort(found, *ret_count, sizeof *found, compare_handles);
    return found;
}

/** The call that a thread is in; NULL: it is given no requests to wait for, or is not known. */
static const struct mpi_call *
find_call(const struct image *image, const struct thread *thread, size_t *ret_caller)
{
    const char *name;
    *ret_caller = callargs_mpi_call(image, thread, &name);
    const struct mpi_call *call = *ret_caller != 0 ? mpi_call_find(name) : NULL;
    return call && call->requests ? call : NULL;
}

/** How many requests a call has got; 0: not known. */
static size_t
count_of(const struct image *image, const struct thread *thread, size_t caller,
         const struct mpi_call *call)
{
    const struct parameter parameter = {0, call->count, sizeof(int32_t)};
    uint64_t count;
    if (!call->count)
        return 1;
    if (!callargs_find(image, thread, caller, call->name, &parameter, &count))
        return 0;
    count &= UINT32_MAX; // the rest of a register may be anything
    return count <= REQUESTS_MAX ? (size_t) count : 0;
}

/** The address of the handles that a call has got. @return false: not known */
static bool
find_requests(const struct image *image, const struct thread *thread, size_t caller,
              const struct mpi_call *call, uint64_t *ret)
{
    const struct parameter parameter = {call->count != NULL, call->requests, sizeof(uint64_t)};
    return callargs_find(image, thread, caller, call->name, &parameter, ret);
}

/** The array of handles that a call has got, for free(); NULL: not known. */
static uint64_t *
find_array(const struct image *image, const struct pending_set *pending,
           const struct thread *thread, size_t caller, const struct mpi_call *call, size_t count)
{
    uint64_t addr;
    if (find_requests(image, thread, caller, call, &addr))
        return handles_read(pending->handles, image, addr, count);
    return !call->count ? NULL : handles_find(pending->handles, image, thread, count);
}

static void
add_entry(struct thread *thread, const struct pending_set *pending,
          const struct handle_entry *entries, size_t n_entries, uint64_t handle)
{
    const struct handle_entry key = {.handle = handle};
    const struct handle_entry *found =
        bsearch(&key, entries, n_entries, sizeof key, compare_handles);
    if (found)
        wait_add_request(thread, &pending->items[found->number], 0, false);
    else
        thread->wait.others = true;
}

/** Adds the requests that a call has got. @return false when these are not known */
static bool
add_array(struct thread *thread, const struct image *image, const struct pending_set *pending,
          size_t caller, const struct mpi_call *call)
{
    size_t count = count_of(image, thread, caller, call), n_entries;
    uint64_t *array = count > 0 ? find_array(image, pending, thread, caller, call, count) : NULL;
    struct handle_entry *entries = array ? name_all(pending, &n_entries) : NULL;
    for (size_t i = 0; i < count && array; i++)
        if (handles_wait(pending->handles, array[i]))
            add_entry(thread, pending, entries, n_entries, array[i]);
    free(entries);
    free(array);
    return array != NULL;
}

void
wait_from_args(struct thread *thread, const struct image *image, const struct pending_set *pending)
{
    struct thread_wait *wait = &thread->wait;
    size_t caller;
    const struct mpi_call *call =
        pending->handles->known ? find_call(image, thread, &caller) : NULL;
    // Where the library says what is waited for, only that there are others is of interest.
    if (!call || (wait->count > 0 && !call->any))
        return;
    bool known = add_array(thread, image, pending, caller, call);
    // Those that are on the stack may be meant when none of these is known.
    if (known && wait->count > 0)
        wait->evidence = call->name;
    else
        wait->others = call->any;
}

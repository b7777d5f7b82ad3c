// SPDX-License-Identifier: BSD-3-Clause
// Which requests the arguments of a call name.
//
// The user's handles stand in an array of the user's. When only their number can be told, the array
// is the one with that many handles of requests that MPI's part of the stack leads to: the call has
// its address, as it takes requests out of it when they are complete.
#include "mqshow/base/alloc.h"
#include "mqshow/waits/awaits_parts.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/waits/handles.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MAX = 100000 }; // requests that are asked for their handles

/** A request that is looked for, by its handle. */
struct named {
    uint64_t handle;
    size_t number; // of those that are looked for
};

static int
compare_handles(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return (a->handle > b->handle) - (a->handle < b->handle);
}

/** The handles of the requests that are looked for, in ascending order; for free(). */
static struct named *
name_all(const struct wanted *wanted, size_t *ret_count)
{
    size_t count = wanted->count < ASKED_MAX ? wanted->count : ASKED_MAX;
    struct named *found = alloc_zeroed(count, sizeof *found);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t handle;
        if (handles_get(wanted->handles, wanted->items[i].address, &handle))
            found[(*ret_count)++] = (struct named){handle, i};
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
    return call != NULL && call->requests != NULL ? call : NULL;
}

/** How many requests a call has got; 0: not known. */
static size_t
count_of(const struct image *image, const struct thread *thread, size_t caller,
         const struct mpi_call *call)
{
    const struct parameter parameter = {0, call->count, sizeof(int32_t)};
    uint64_t count;
    if (call->count == NULL)
        return 1;
    if (!callargs_find(image, thread, caller, call->name, &parameter, &count))
        return 0;
    count &= UINT32_MAX; // the rest of a register may be anything
    return count <= AWAITS_ARRAY_MAX ? (size_t) count : 0;
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
find_array(const struct image *image, const struct wanted *wanted, const struct thread *thread,
           size_t caller, const struct mpi_call *call, size_t count)
{
    uint64_t addr;
    if (find_requests(image, thread, caller, call, &addr))
        return handles_read(wanted->handles, image, addr, count);
    return call->count == NULL ? NULL : handles_find(wanted->handles, image, thread, count);
}

static void
add_named(struct thread *thread, const struct wanted *wanted, const struct named *named,
          size_t n_named, uint64_t handle)
{
    const struct named key = {.handle = handle};
    const struct named *found = bsearch(&key, named, n_named, sizeof key, compare_handles);
    if (found != NULL)
        awaits_add(thread, &wanted->items[found->number], 0, false);
    else
        thread->awaits.others = true;
}

/** Adds the requests that a call has got. @return false when these are not known */
static bool
add_array(struct thread *thread, const struct image *image, const struct wanted *wanted,
          size_t caller, const struct mpi_call *call)
{
    size_t count = count_of(image, thread, caller, call), n_named;
    uint64_t *array = count > 0 ? find_array(image, wanted, thread, caller, call, count) : NULL;
    struct named *named = array != NULL ? name_all(wanted, &n_named) : NULL;
    for (size_t i = 0; i < count && array != NULL; i++)
        if (handles_wait(wanted->handles, array[i]))
            add_named(thread, wanted, named, n_named, array[i]);
    free(named);
    free(array);
    return array != NULL;
}

void
awaits_add_told(struct thread *thread, const struct image *image, const struct wanted *wanted)
{
    struct awaits *awaits = &thread->awaits;
    size_t caller;
    const struct mpi_call *call = wanted->handles->known ? find_call(image, thread, &caller) : NULL;
    // Where the library says what is waited for, only that there are others is of interest.
    if (call == NULL || (awaits->count > 0 && !call->any))
        return;
    bool told = add_array(thread, image, wanted, caller, call);
    // Those that are on the stack may be meant when none of these is known.
    if (told && awaits->count > 0)
        awaits->told_of = call->name;
    else
        awaits->others = call->any;
}

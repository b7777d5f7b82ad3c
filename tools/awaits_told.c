// SPDX-License-Identifier: BSD-3-Clause
// Which requests the arguments of a call name.
//
// The user's handles stand in an array of the user's. When only their number can be told, the array
// is the one with that many handles of requests that MPI's part of the stack leads to: the call has
// its address, as it takes requests out of it when they are complete.
#include "tools/alloc.h"
#include "tools/awaits_parts.h"
#include "tools/callargs.h"
#include "tools/handles.h"
#include "tools/image.h"
#include "tools/memory.h"
#include "tools/runtime.h"
#include "tools/threads.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MAX = 100000 }; // requests that are asked for their handles

/** Calls that wait for the requests of an array, and the names that the standard gives to their
 * parameters.
 */
static const struct call {
    const char *name;
    struct parameter count, requests;
    bool one; // a single request
} calls[] = {
    {"MPI_Wait", {0, NULL, 0}, {0, "request", sizeof(uint64_t)}, true},
    {"MPI_Waitall",
     {0, "count", sizeof(int32_t)},
     {1, "array_of_requests", sizeof(uint64_t)},
     false},
    {"MPI_Waitany",
     {0, "count", sizeof(int32_t)},
     {1, "array_of_requests", sizeof(uint64_t)},
     false},
    {"MPI_Waitsome",
     {0, "incount", sizeof(int32_t)},
     {1, "array_of_requests", sizeof(uint64_t)},
     false},
};

/** A request that is looked for, by its handle. */
struct named {
    uint32_t handle;
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
read_handles(const struct image *image, const struct wanted *wanted, size_t *ret_count)
{
    size_t count = wanted->count < ASKED_MAX ? wanted->count : ASKED_MAX;
    struct named *found = alloc_zeroed(count, sizeof *found);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t handle;
        if (memory_read_uint(image, wanted->items[i].address, sizeof(uint32_t), &handle))
            found[(*ret_count)++] = (struct named){(uint32_t) handle, i};
    }
    qsort(found, *ret_count, sizeof *found, compare_handles);
    return found;
}

/** The call that a thread is in; NULL: it is none of those here, or not known. */
static const struct call *
find_call(const struct image *image, const struct thread *thread, size_t *ret_caller)
{
    const char *name;
    *ret_caller = callargs_mpi_call(image, thread, &name);
    for (size_t i = 0; *ret_caller != 0 && i < sizeof calls / sizeof *calls; i++)
        if (runtime_is_call(name, calls[i].name))
            return &calls[i];
    return NULL;
}

/** How many requests a call has got; 0: not known. */
static size_t
count_of(const struct image *image, const struct thread *thread, size_t caller,
         const struct call *call)
{
    uint64_t count;
    if (call->one)
        return 1;
    if (!callargs_find(image, thread, caller, call->name, &call->count, &count))
        return 0;
    count &= UINT32_MAX; // the rest of a register may be anything
    return count <= AWAITS_ARRAY_MAX ? (size_t) count : 0;
}

/** The array of handles that a call has got, for free(); NULL: not known. */
static uint32_t *
find_array(const struct image *image, const struct numbering *numbering,
           const struct thread *thread, size_t caller, const struct call *call, size_t count)
{
    uint64_t addr;
    if (callargs_find(image, thread, caller, call->name, &call->requests, &addr))
        return handles_read(image, numbering, addr, count);
    return call->one ? NULL : handles_find(image, numbering, thread, count);
}

static void
add_named(struct thread *thread, const struct wanted *wanted, const struct named *named,
          size_t n_named, uint32_t handle)
{
    const struct named key = {.handle = handle};
    const struct named *found = bsearch(&key, named, n_named, sizeof key, compare_handles);
    if (found != NULL)
        awaits_add(thread, &wanted->items[found->number], 0, false);
    else
        thread->awaits.others = true;
}

static void
add_array(struct thread *thread, const struct image *image, const struct wanted *wanted,
          const struct numbering *numbering, const uint32_t *handles, size_t count)
{
    size_t n_named;
    struct named *named = read_handles(image, wanted, &n_named);
    for (size_t i = 0; i < count; i++)
        if (handles_are_awaited(numbering, handles[i]))
            add_named(thread, wanted, named, n_named, handles[i]);
    free(named);
}

/** Adds the requests of a call whose handles are numbers. @return false when these are not known */
static bool
add_numbered(struct thread *thread, const struct image *image, const struct wanted *wanted,
             const struct numbering *numbering, size_t caller, const struct call *call)
{
    size_t count = count_of(image, thread, caller, call);
    uint32_t *handles =
        count > 0 ? find_array(image, numbering, thread, caller, call, count) : NULL;
    if (handles != NULL)
        add_array(thread, image, wanted, numbering, handles, count);
    free(handles);
    return handles != NULL;
}

/** Likewise of an implementation whose handles are the addresses of the requests. */
static bool
add_addressed(struct thread *thread, const struct image *image, const struct wanted *wanted,
              size_t caller, const struct call *call)
{
    size_t width = (size_t) image->pointer_size;
    uint64_t addr, request, null_request;
    size_t count = count_of(image, thread, caller, call);
    if (count == 0 || !image_symbol(image, "ompi_request_null", SYMBOL_VARIABLE, &null_request) ||
        !callargs_find(image, thread, caller, call->name, &call->requests, &addr))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!memory_read_uint(image, addr + i * width, width, &request))
            return false;
        const struct wanted_request *found = awaits_find(wanted, request);
        if (found != NULL)
            awaits_add(thread, found, 0, false);
        else
            thread->awaits.others |= request != null_request;
    }
    return true;
}

void
awaits_add_told(struct thread *thread, const struct image *image, const struct wanted *wanted)
{
    struct awaits *awaits = &thread->awaits;
    size_t caller;
    const struct numbering *numbering = handles_numbering(wanted->implementation);
    const struct call *call = find_call(image, thread, &caller);
    // Where the library says what is waited for, only that there are others is of interest.
    if (call == NULL || (awaits->count > 0 && !runtime_call_needs_any(call->name)))
        return;
    bool told = numbering != NULL ? add_numbered(thread, image, wanted, numbering, caller, call)
                                  : add_addressed(thread, image, wanted, caller, call);
    // Those that are on the stack may be meant when none of these is known.
    if (told && awaits->count > 0)
        awaits->told_of = call->name;
    else
        awaits->others = runtime_call_needs_any(call->name);
}

// SPDX-License-Identifier: BSD-3-Clause
// Which requests the arguments of a call name.
//
// The user's handles stand in an array of the user's. An implementation whose handles are numbers
// has them in the objects, too.
#include "tools/alloc.h"
#include "tools/awaits_parts.h"
#include "tools/callargs.h"
#include "tools/callsite.h"
#include "tools/image.h"
#include "tools/memory.h"
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

/** Handles that are numbers, which an object begins with. */
static const struct numbering {
    const char *implementation;
    uint32_t of_requests, of_requests_mask; // what the numbers of requests have in common
    uint32_t kind_mask;                     // what is 0 in a handle of no object
    uint32_t builtin;                       // what else it has when the object is never awaited
} numberings[] = {
    {"MPICH", 0x2c000000, 0x3c000000, 0xc0000000, 0x40000000},
};

/** A request that is looked for, by its handle. */
struct named {
    uint32_t handle;
    size_t number; // of those that are looked for
};

static const struct numbering *
find_numbering(const char *implementation)
{
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++)
        if (implementation != NULL && strcmp(numberings[i].implementation, implementation) == 0)
            return &numberings[i];
    return NULL;
}

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
        if (memory_read_uint(image, wanted->items[i].request, sizeof(uint32_t), &handle))
            found[(*ret_count)++] = (struct named){(uint32_t) handle, i};
    }
    qsort(found, *ret_count, sizeof *found, compare_handles);
    return found;
}

/** The call that a frame makes; NULL: it is none of those here, or not known. */
static const struct call *
find_call(const struct image *image, const struct frame *frame)
{
    const struct call *found = NULL;
    char *name = callsite_mpi_call(image, frame->address);
    for (size_t i = 0; i < sizeof calls / sizeof *calls && found == NULL; i++)
        found = name != NULL && strcmp(calls[i].name, name) == 0 ? &calls[i] : NULL;
    free(name);
    return found;
}

/** The array of handles that a call has got, for free(); NULL: not known. */
static uint32_t *
read_array(const struct image *image, const struct thread *thread, const struct call *call,
           size_t *ret_count)
{
    uint64_t count = 1, addr;
    if ((!call->one &&
         !callargs_find(image, thread, thread->caller, call->name, &call->count, &count)) ||
        !callargs_find(image, thread, thread->caller, call->name, &call->requests, &addr))
        return NULL;
    count &= UINT32_MAX; // the rest of a register may be anything
    if (count == 0 || count > AWAITS_ARRAY_MAX)
        return NULL;
    uint32_t *handles = alloc_zeroed((size_t) count, sizeof *handles);
    *ret_count = (size_t) count;
    if (memory_read(image, addr, (size_t) count * sizeof *handles, handles))
        return handles;
    free(handles);
    return NULL;
}

/** Whether all entries are handles of requests: else the array is not where it seems to be. */
static bool
are_requests(const struct numbering *numbering, const uint32_t *handles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((handles[i] & numbering->of_requests_mask) != numbering->of_requests)
            return false;
    return true;
}

static bool
is_never_awaited(const struct numbering *numbering, uint32_t handle)
{
    uint32_t kind = handle & numbering->kind_mask;
    return kind == 0 || kind == numbering->builtin;
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
          const struct call *call, const uint32_t *handles, size_t count)
{
    const struct numbering *numbering = find_numbering(wanted->implementation);
    size_t n_named;
    struct named *named = read_handles(image, wanted, &n_named);
    for (size_t i = 0; i < count; i++)
        if (!is_never_awaited(numbering, handles[i]))
            add_named(thread, wanted, named, n_named, handles[i]);
    free(named);
    // Those that are on the stack may be meant when none of these is known.
    thread->awaits.told_of = thread->awaits.count > 0 ? call->name : NULL;
}

void
awaits_add_told(struct thread *thread, const struct image *image, const struct wanted *wanted)
{
    const struct numbering *numbering = find_numbering(wanted->implementation);
    const struct call *call = numbering != NULL && thread->caller != 0
                                  ? find_call(image, &thread->frames[thread->caller])
                                  : NULL;
    size_t count = 0;
    uint32_t *handles = call != NULL ? read_array(image, thread, call, &count) : NULL;
    if (handles != NULL && are_requests(numbering, handles, count))
        add_array(thread, image, wanted, call, handles, count);
    free(handles);
}

// SPDX-License-Identifier: BSD-3-Clause
// The user's handles of requests and communicators, as the library about MPI explains them.
#include "mqshow/waits/request_handles.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>
#include <string.h>

/** A search for an array. */
struct array_search {
    const struct request_handles *handles;
    const struct image *image;
    const struct thread *thread;
    size_t count;
    uint64_t *found;
    bool several;
};

void
handles_init(struct request_handles *handles, const struct dll *dll, mqs_process *process)
{
    *handles = (struct request_handles){.dll = dll, .process = process};
    handles->known = dll->mqs_get_conventions && dll->mqs_get_handle &&
                     dll->mqs_check_request_handle &&
                     dll->mqs_get_conventions(process, &handles->conventions) == mqs_ok &&
                     handles->conventions.handle_size > 0 &&
                     handles->conventions.handle_size <= (int) sizeof(uint64_t);
}

bool
handles_get(const struct request_handles *handles, uint64_t object, uint64_t *ret)
{
    return handles->dll->mqs_get_handle(handles->process, object, ret) == mqs_ok;
}

/** Whether a value may be a handle of a request. */
static bool
check(const struct request_handles *handles, uint64_t handle, bool *ret_waits)
{
    int waits = 0;
    int code = handles->dll->mqs_check_request_handle(handles->process, handle, &waits);
    *ret_waits = waits != 0;
    return code == mqs_ok;
}

bool
handles_wait(const struct request_handles *handles, uint64_t handle)
{
    bool waits;
    return check(handles, handle, &waits) && waits;
}

uint64_t *
handles_read(const struct request_handles *handles, const struct image *image, uint64_t addr,
             size_t count)
{
    size_t width = (size_t) handles->conventions.handle_size;
    uint64_t *values = NULL;
    bool good = true, any = false;
    for (size_t i = 0; i < count && good; i++) {
        uint64_t value;
        bool waits = false;
        good = memory_read_uint(&image->debuggee, addr + i * width, width, &value) &&
               check(handles, value, &waits);
        // Most addresses that are tried are none of an array.
        if (good && !values)
            values = alloc_zeroed(count, sizeof *values);
        if (good)
            values[i] = value;
        any |= waits;
    }
    if (good && any)
        return values;
    free(values);
    return NULL;
}

/** Takes the array that a word of the stack leads to, if it leads to one. */
static void
follow(void *context, uint64_t slot, uint64_t word)
{
    struct array_search *search = context;
    const struct thread *thread = search->thread;
    (void) slot;
    if (word == 0 || word % (unsigned) search->handles->conventions.handle_size != 0 ||
        search->several || (word >= thread->mpi_start && word < thread->mpi_end))
        return;
    uint64_t *handles = handles_read(search->handles, search->image, word, search->count);
    if (!search->found) {
        search->found = handles;
        return;
    }
    search->several |=
        handles && memcmp(handles, search->found, search->count * sizeof *handles) != 0;
    free(handles);
}

uint64_t *
handles_find(const struct request_handles *handles, const struct image *image,
             const struct thread *thread, size_t count)
{
    struct array_search search = {handles, image, thread, count, NULL, false};
    if (!handles->conventions.distinct)
        return NULL;
    // The one that is meant is among them only when all of the part is searched.
    if (thread->caller == 0 || thread->frames[thread->caller].sp != thread->mpi_end)
        return NULL;
    stack_scan(thread, image, follow, &search);
    if (search.several) {
        free(search.found);
        search.found = NULL;
    }
    return search.found;
}

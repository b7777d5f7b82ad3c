// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the user's handles of requests, of MPI implementations whose handles are numbers.
#include "tools/handles.h"

#include "tools/alloc.h"
#include "tools/image.h"
#include "tools/memory.h"
#include "tools/stackwords.h"
#include "tools/threads.h"

#include <stdlib.h>
#include <string.h>

struct numbering {
    const char *implementation;
    uint32_t requests, requests_mask; // what all numbers of requests have in common
    uint32_t storage_mask;            // where the object lies:
    uint32_t nowhere, builtin;        // there is none; it is the library's own, and complete
};

static const struct numbering numberings[] = {
    {"MPICH", 0x2c000000, 0x3c000000, 0xc0000000, 0x00000000, 0x40000000},
};

/** A search for an array. */
struct quest {
    const struct image *image;
    const struct numbering *numbering;
    const struct thread *thread;
    size_t count;
    uint32_t *found;
    bool several;
};

const struct numbering *
handles_numbering(const char *implementation)
{
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++)
        if (implementation != NULL && strcmp(numberings[i].implementation, implementation) == 0)
            return &numberings[i];
    return NULL;
}

bool
handles_are_awaited(const struct numbering *numbering, uint32_t handle)
{
    uint32_t storage = handle & numbering->storage_mask;
    return storage != numbering->nowhere && storage != numbering->builtin;
}

static bool
is_request(const struct numbering *numbering, uint32_t handle)
{
    return (handle & numbering->requests_mask) == numbering->requests;
}

static bool
has_awaited(const struct numbering *numbering, const uint32_t *handles, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_request(numbering, handles[i]))
            return false;
        found |= handles_are_awaited(numbering, handles[i]);
    }
    return found;
}

uint32_t *
handles_read(const struct image *image, const struct numbering *numbering, uint64_t addr,
             size_t count)
{
    uint64_t first;
    // Most addresses that are tried are none of an array.
    if (count == 0 || !memory_read_uint(image, addr, sizeof(uint32_t), &first) ||
        !is_request(numbering, (uint32_t) first))
        return NULL;
    uint32_t *handles = alloc_zeroed(count, sizeof *handles);
    if (memory_read(image, addr, count * sizeof *handles, handles) &&
        has_awaited(numbering, handles, count))
        return handles;
    free(handles);
    return NULL;
}

/** Takes the array that a word of the stack leads to, if it leads to one. */
static void
follow(void *context, uint64_t slot, uint64_t word)
{
    struct quest *quest = context;
    const struct thread *thread = quest->thread;
    (void) slot;
    if (word == 0 || word % sizeof(uint32_t) != 0 || quest->several ||
        (word >= thread->mpi_start && word < thread->mpi_end))
        return;
    uint32_t *handles = handles_read(quest->image, quest->numbering, word, quest->count);
    if (quest->found == NULL) {
        quest->found = handles;
        return;
    }
    quest->several |=
        handles != NULL && memcmp(handles, quest->found, quest->count * sizeof *handles) != 0;
    free(handles);
}

uint32_t *
handles_find(const struct image *image, const struct numbering *numbering,
             const struct thread *thread, size_t count)
{
    struct quest quest = {image, numbering, thread, count, NULL, false};
    // The one that is meant is among them only when all of the part is searched.
    if (thread->caller == 0 || thread->frames[thread->caller].sp != thread->mpi_end)
        return NULL;
    stackwords_each(thread, image, follow, &quest);
    if (quest.several) {
        free(quest.found);
        quest.found = NULL;
    }
    return quest.found;
}

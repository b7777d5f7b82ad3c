// SPDX-License-Identifier: BSD-3-Clause
// What the stacks of threads tell of the regions that they work in.
//
// GNU's runtime forgets the function of a region as soon as its threads have called it. But a
// thread that was called to help in a region, one with a number other than 0, has nothing below
// that region's code on its stack but the runtime.
#include "tools/stacks.h"

#include "tools/debuginfo.h"
#include "tools/place.h"

#include <stdlib.h>

enum { FRAMES_MAX = 1000 };

/** A stack that is being gone through. */
struct ascent {
    const struct image *image;
    uint64_t outermost; // entry of the outermost function that a compiler took out; 0: none
    int frames;
};

static int
look_at_frame(Dwfl_Frame *frame, void *arg)
{
    struct ascent *ascent = arg;
    Dwarf_Addr pc;
    bool is_activation;
    if (ascent->frames++ == FRAMES_MAX || !dwfl_frame_pc(frame, &pc, &is_activation))
        return DWARF_CB_ABORT;
    // The address to return to may be past the function's end.
    (void) place_is_taken_out(ascent->image, is_activation ? pc : pc - 1, &ascent->outermost);
    return DWARF_CB_OK;
}

/** @return 0 when nothing of the kind is on the stack, or its end was not found */
static uint64_t
outermost_function(Dwfl *session, const struct image *image, pid_t tid)
{
    struct ascent ascent = {.image = image};
    int code = dwfl_getthread_frames(session, tid, look_at_frame, &ascent);
    return code == DWARF_CB_ABORT ? 0 : ascent.outermost;
}

/** The function of a region as its helpers tell it; 0 when they do not. */
static uint64_t
function_of(const struct openmp *omp, Dwfl *session, const struct image *image,
            const mqs_omp_region *region)
{
    struct member *members;
    uint64_t found = 0;
    size_t count = openmp_members(omp, region, &members);
    for (size_t i = 0; i < count && found == 0; i++)
        if (members[i].num > 0 && (members[i].thread->known & MQS_OMP_TID) != 0)
            found = outermost_function(session, image, (pid_t) members[i].thread->tid);
    free(members);
    return found;
}

static bool
is_wanted(const mqs_omp_region *region)
{
    return (region->known & MQS_OMP_FUNCTION) == 0 && !openmp_is_outermost(region);
}

static bool
any_is_wanted(const struct openmp *omp)
{
    for (size_t i = 0; i < omp->n_regions; i++)
        if (is_wanted(&omp->regions[i]))
            return true;
    return false;
}

void
stacks_find_functions(struct openmp *omp, const struct image *image)
{
    Dwfl *session = any_is_wanted(omp) ? debuginfo_session(image->pid) : NULL;
    if (session == NULL)
        return;
    bool attached = dwfl_linux_proc_attach(session, image->pid, true) == 0;
    for (size_t i = 0; i < omp->n_regions && attached; i++) {
        mqs_omp_region *region = &omp->regions[i];
        uint64_t function = is_wanted(region) ? function_of(omp, session, image, region) : 0;
        region->function = function != 0 ? function : region->function;
        region->known |= function != 0 ? (uint32_t) MQS_OMP_FUNCTION : 0;
    }
    dwfl_end(session);
}

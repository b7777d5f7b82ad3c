// SPDX-License-Identifier: BSD-3-Clause
// Where in a thread's stack of machine code its Python frames are.
#include "mqshow/stack/python_merge.h"

#include "mqshow/base/alloc.h"

#include <string.h>

/** Whether a frame is of the function that evaluates Python's. */
static bool
evaluates(const struct frame *frame)
{
    static const char name[] = "_PyEval_EvalFrameDefault";
    const struct srcloc *srcloc = frame->srcloc;
    return srcloc != NULL && srcloc->symbol != NULL &&
           strncmp(srcloc->symbol, name, sizeof name - 1) == 0;
}

static size_t
count_evaluations(const struct thread *thread)
{
    size_t count = 0;
    for (size_t i = 0; i < thread->n_frames; i++)
        count += evaluates(&thread->frames[i]);
    return count;
}

static size_t
count_entries(const struct python_thread *python)
{
    size_t count = 0;
    for (size_t i = 0; i < python->n_frames; i++)
        count += python->frames[i].entry || i + 1 == python->n_frames;
    return count;
}

static size_t
first_of_interpreter(const struct thread *thread)
{
    size_t i = 0;
    while (i < thread->n_frames && !evaluates(&thread->frames[i]) &&
           thread->frames[i].runtime != RUNTIME_PYTHON)
        i++;
    return i;
}

/** The frames up to the outermost of an evaluation. */
static struct python_place
take_evaluation(const struct python_thread *python, size_t *next)
{
    struct python_place place = {.frames = python->frames + *next};
    while (*next < python->n_frames) {
        place.count++;
        if (python->frames[(*next)++].entry)
            break;
    }
    return place;
}

struct python_place *
python_merge(const struct thread *thread, const struct python_thread *python)
{
    struct python_place *places = alloc_zeroed(thread->n_frames + 1, sizeof *places);
    size_t evaluations = count_evaluations(thread), entries = count_entries(python), next = 0;
    // One that has just begun has no frame yet.
    size_t skipped = evaluations > entries ? evaluations - entries : 0;
    if (evaluations < entries && thread->complete) {
        places[first_of_interpreter(thread)] =
            (struct python_place){python->frames, python->n_frames};
        return places;
    }
    for (size_t i = 0; i < thread->n_frames; i++) {
        if (!evaluates(&thread->frames[i]))
            continue;
        if (skipped == 0)
            places[i] = take_evaluation(python, &next);
        else
            skipped--;
    }
    places[thread->n_frames] =
        (struct python_place){python->frames + next, python->n_frames - next};
    return places;
}

bool
python_is_innermost(const struct thread *thread)
{
    const struct frame *user = thread->user;
    bool has_source = user != NULL && user->srcloc->lines[0].file != NULL;
    return !has_source || (size_t) (user - thread->frames) > first_of_interpreter(thread);
}

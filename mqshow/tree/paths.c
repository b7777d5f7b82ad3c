// SPDX-License-Identifier: BSD-3-Clause
// Where threads are, as paths of steps.
#include "mqshow/tree/paths.h"

#include "mqshow/base/escape.h"
#include "mqshow/verdict/thread_activity.h"
#include "mqshow/verdict/thread_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** What is known of all frames that are alike. */
struct frame_step {
    uint32_t step;
    enum runtime runtime;
    const char *call; // of MPI that the function is; NULL: none
    bool starts;      // programs or threads begin in it
    bool is_sourced;  // it has a source file
};

// Steps.

/** What a step is, as bytes that are equal for equal ones. */
struct step_key {
    uint64_t kind;
    const char *name, *file;
    int64_t line;
};

uint32_t
paths_step(struct paths *paths, enum step_kind kind, const char *name, const char *file,
           int64_t line)
{
    const struct step_key key = {kind, intern_keep(&paths->texts, name),
                                 file ? intern_keep(&paths->texts, file) : NULL, line};
    size_t before = paths->keys.count;
    uint32_t number = intern_bytes(&paths->keys, &key, sizeof key);
    if (paths->keys.count == before)
        return number;
    *ALLOC_ADD(paths->steps, paths->n_steps, paths->steps_capacity) =
        (struct step){kind, key.name, key.file, line, number};
    if (line > 0) {
        uint32_t place = paths_step(paths, kind, name, file, 0);
        paths->steps[number].place = place;
    }
    return number;
}

char *
paths_function_name(const char *function, const char *construct)
{
    bool is_named = !construct || strncmp(function, construct, strlen(construct)) == 0;
    return is_named ? alloc_text(function) : alloc_format("%s (%s)", function, construct);
}

/** The name of a function, "libx.so+0x17", for free(). */
static char *
frame_name(const struct frame_record *frame)
{
    if (frame->function)
        return paths_function_name(frame->function, frame->construct);
    if (frame->module && HAS(frame, FRAME_OFFSET))
        return alloc_format("%s+0x%" PRIx64, base_name(frame->module), frame->offset);
    if (frame->module)
        return alloc_format("unknown function of %s", base_name(frame->module));
    return alloc_text("unknown code");
}

static uint32_t
step_of_frame(struct paths *paths, const struct frame_record *frame)
{
    bool has_line = frame->function && frame->file && HAS(frame, FRAME_LINE) && frame->line > 0;
    char *name = frame_name(frame);
    uint32_t ret = paths_step(paths, frame->function ? STEP_FUNCTION : STEP_UNKNOWN, name,
                              frame->function ? frame->file : NULL, has_line ? frame->line : 0);
    free(name);
    return ret;
}

static struct frame_step
make_frame_step(struct paths *paths, const struct frame_record *frame)
{
    const char *symbol = frame->symbol ? frame->symbol : frame->function;
    bool is_python = frame_is_python(frame);
    char *call = symbol && !frame->file && !is_python ? mpi_call_name(symbol) : NULL;
    struct frame_step ret = {.step = step_of_frame(paths, frame),
                             .runtime = frame_runtime(frame),
                             .call = call ? intern_keep(&paths->texts, call) : NULL,
                             .starts = symbol && !is_python && runtime_starts(symbol),
                             .is_sourced = frame->file};
    free(call);
    return ret;
}

/** What is known of a frame. Its texts are kept once in the document, mostly: frames that are alike
 * have the same pointers. */
static const struct frame_step *
find_frame_step(struct paths *paths, const struct frame_record *frame)
{
    const uint64_t key[] = {
        (uintptr_t) frame->function,
        (uintptr_t) frame->symbol,
        (uintptr_t) frame->file,
        (uintptr_t) frame->construct,
        (uintptr_t) frame->language,
        (uintptr_t) frame->module,
        HAS(frame, FRAME_LINE) ? (uint64_t) frame->line : 0,
        !frame->function && HAS(frame, FRAME_OFFSET) ? frame->offset + 1 : 0,
    };
    size_t before = paths->frames.count;
    uint32_t number = intern_bytes(&paths->frames, key, sizeof key);
    if (paths->frames.count > before) {
        struct frame_step made = make_frame_step(paths, frame);
        *ALLOC_ADD(paths->frame_steps, before, paths->frame_steps_capacity) = made;
    }
    return &paths->frame_steps[number];
}

/** Steps while a path is made. */
struct steps {
    uint32_t *items;
    size_t count, capacity;
};

static void
add_step(struct steps *steps, uint32_t step)
{
    *ALLOC_ADD(steps->items, steps->count, steps->capacity) = step;
}

static void
add_named(struct paths *paths, struct steps *steps, enum step_kind kind, const char *name)
{
    add_step(steps, paths_step(paths, kind, name, NULL, 0));
}

// Paths.

/** A stack that is followed from its outermost frame on. */
struct walk {
    struct paths *paths;
    const struct thread_record *thread;
    const char *image; // the program; NULL: not known
    struct steps steps;
    enum runtime folded; // the runtime whose frames were met since the last step; none
    uint32_t first_of_c; // step of the first of these frames, of the C library
    bool has_begun;      // a frame of those in which programs begin was met
    unsigned calls;      // of MPI that were met
};

/** Whether a frame is of a function of the program, which MPI has called. */
static bool
is_callback(const struct walk *walk, const struct frame_record *frame,
            const struct frame_step *known)
{
    return known->runtime == RUNTIME_NONE && known->is_sourced &&
           (!frame->module || !walk->image || strcmp(frame->module, walk->image) == 0);
}

/** Whether a frame is where a call of MPI begins that may be linked into the program. */
static bool
begins_call(const struct walk *walk, const struct frame_step *known)
{
    return known->runtime == RUNTIME_MPI ||
           (known->runtime == RUNTIME_NONE && known->call && walk->thread->call &&
            strcmp(known->call, walk->thread->call) == 0);
}

static void
enter_call(struct walk *walk, const struct frame_step *known)
{
    const char *call = walk->calls++ == 0 && walk->thread->call ? walk->thread->call : known->call;
    add_named(walk->paths, &walk->steps, STEP_CALL, call ? call : "MPI library");
    walk->folded = RUNTIME_MPI;
}

/** Takes the next frame inwards. */
static void
take_frame(struct walk *walk, const struct frame_record *frame)
{
    const struct frame_step *known = find_frame_step(walk->paths, frame);
    walk->has_begun |= known->starts;
    if (known->starts) // what is outside of it, perhaps without a name, starts it
        walk->steps.count = 0;
    if (known->starts || known->runtime == RUNTIME_PYTHON ||
        (walk->folded == RUNTIME_MPI && !is_callback(walk, frame, known)))
        return;
    if (begins_call(walk, known)) {
        enter_call(walk, known);
    } else if (known->runtime == RUNTIME_NONE) {
        if (walk->folded == RUNTIME_C && walk->steps.count > 0)
            add_step(&walk->steps, walk->first_of_c);
        add_step(&walk->steps, known->step);
        walk->folded = RUNTIME_NONE;
    } else if (walk->folded == RUNTIME_NONE) {
        walk->folded = known->runtime;
        walk->first_of_c = known->step;
    } else if (known->runtime == RUNTIME_OPENMP) {
        walk->folded = RUNTIME_OPENMP;
    }
}

/** Adds what OpenMP says that a thread waits for, without the addresses of what has no name: they
 * differ between processes. */
static void
add_wait(struct paths *paths, struct steps *steps, uint32_t thread)
{
    struct strbuf words = {.text = NULL};
    verdict_add_wait(paths->verdict, &words, thread);
    char *text = strbuf_take(&words), *address = strstr(text, " 0x");
    if (address)
        *address = '\0';
    add_named(paths, steps, STEP_WAIT, text);
    free(text);
}

/** Adds what the innermost frames are. */
static void
add_innermost(struct walk *walk, uint32_t number)
{
    if (!walk->thread->call && verdict_waits_inside(walk->paths->verdict, number))
        add_wait(walk->paths, &walk->steps, number);
    else if (walk->folded == RUNTIME_OPENMP)
        add_named(walk->paths, &walk->steps, STEP_CALL, "OpenMP runtime");
    else if (walk->folded == RUNTIME_C)
        add_step(&walk->steps, walk->first_of_c);
}

static void
put_first(struct walk *walk, uint32_t step)
{
    struct steps *steps = &walk->steps;
    add_step(steps, step);
    memmove(steps->items + 1, steps->items, (steps->count - 1) * sizeof *steps->items);
    *steps->items = step;
}

/** Of a thread whose stack is not known. */
static void
add_without_stack(struct walk *walk)
{
    const struct thread_record *thread = walk->thread;
    add_named(walk->paths, &walk->steps, STEP_UNKNOWN, "stack not known");
    if (HAS(thread, THREAD_FRAME) && thread->frame.function)
        add_step(&walk->steps, step_of_frame(walk->paths, &thread->frame));
    if (thread->call)
        add_named(walk->paths, &walk->steps, STEP_CALL, thread->call);
}

static const char *
helper_name(const struct walk *walk)
{
    const char *runtime = walk->thread->runtime;
    if (text_equals(runtime, "OpenMP"))
        return "idle threads of the OpenMP runtime";
    if (text_equals(runtime, "C"))
        return "threads of the C library";
    return "helper threads of the MPI library";
}

/** Whether all of a thread is a runtime's that waits for nothing of the program. */
static bool
is_helper(const struct walk *walk, uint32_t number)
{
    const struct verdict *verdict = walk->paths->verdict;
    enum doing doing = verdict->waits.activities[number].doing;
    bool is_in_mpi = walk->folded == RUNTIME_MPI && walk->steps.count == 1;
    return !verdict_waits_inside(verdict, number) && !walk->thread->call &&
           (walk->thread->runtime || (doing == DOING_HELP && is_in_mpi));
}

static void
follow(struct walk *walk, uint32_t number)
{
    const struct thread_record *thread = walk->thread;
    for (size_t i = thread->stack.count; i-- > 0;)
        take_frame(walk, &thread->stack.items[i]);
    if (is_helper(walk, number)) {
        walk->steps.count = 0;
        add_named(walk->paths, &walk->steps, STEP_HELPERS, helper_name(walk));
        return;
    }
    add_innermost(walk, number);
    // Where a stack begins is known, even if not followed beyond, where threads begin.
    if (walk->steps.count == 0)
        add_named(walk->paths, &walk->steps, STEP_UNKNOWN, "nothing of the program");
    else if (HAS(thread, THREAD_COMPLETE) && !thread->complete && !walk->has_begun)
        put_first(walk, paths_step(walk->paths, STEP_UNKNOWN, "outer frames not known", NULL, 0));
}

static uint32_t
find_path(struct paths *paths, uint32_t number)
{
    const struct job_thread *thread = &paths->verdict->job.threads[number];
    struct walk walk = {.paths = paths,
                        .thread = thread->record,
                        .image = paths->verdict->job.processes[thread->process].report->image};
    if (thread->record->stack.count > 0)
        follow(&walk, number);
    else
        add_without_stack(&walk);
    uint32_t ret =
        intern_bytes(&paths->all, walk.steps.items, walk.steps.count * sizeof *walk.steps.items);
    free(walk.steps.items);
    return ret;
}

void
paths_init(struct paths *paths, const struct verdict *verdict)
{
    const struct job_index *job = &verdict->job;
    *paths = (struct paths){.verdict = verdict,
                            .of_thread = alloc_zeroed(job->n_threads + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < job->n_threads; i++)
        paths->of_thread[i] = find_path(paths, i);
    paths_begin_regions(paths);
}

void
paths_deinit(struct paths *paths)
{
    intern_deinit(&paths->all);
    intern_deinit(&paths->texts);
    intern_deinit(&paths->keys);
    intern_deinit(&paths->frames);
    free(paths->frame_steps);
    free(paths->steps);
    free(paths->of_thread);
}

const uint32_t *
paths_get(const struct paths *paths, uint32_t path, size_t *ret_count)
{
    const struct interned *found = &paths->all.items[path];
    *ret_count = found->size / sizeof(uint32_t);
    return found->bytes;
}

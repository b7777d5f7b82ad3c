// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of the threads of a process.
#include "mqshow/python/python.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/memory.h"
#include "mqshow/python/code.h"
#include "mqshow/python/exception.h"
#include "mqshow/python/objects.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

enum { INTERPRETERS_MAX = 1000, THREADS_MAX = 100000, FRAMES_MAX = 2000 };
enum { GIL_HOLDER = 8, GIL_LOCKED = 16, GIL_BYTES = 208 }; // of all releases
enum { OWNER_INTERPRETER = 3 }; // and above: no function, made where the interpreter is entered

struct reader {
    struct python *python;
    struct objects objects;
    uint64_t runtime;
};

static bool
read_uint(struct reader *reader, uint64_t addr, int offset, size_t width, uint64_t *ret)
{
    return objects_uint(&reader->objects, addr, offset, width, ret);
}

static bool
read_pointer(struct reader *reader, uint64_t addr, int offset, uint64_t *ret)
{
    return objects_pointer(&reader->objects, addr, offset, ret);
}

/** Where a frame is in its code, in bytes; before the first instruction it is at none. */
static bool
read_position(struct reader *reader, uint64_t frame, uint64_t code, int64_t *ret)
{
    const struct python_layout *layout = &reader->objects.layout;
    bool is_number = layout->code_start == PYTHON_NONE;
    uint64_t at;
    if (!read_uint(reader, frame, layout->frame_at, is_number ? 4 : 8, &at))
        return false;
    *ret = !is_number ? (int64_t) (at - code - (uint64_t) layout->code_start)
                      : (int64_t) (int32_t) (uint32_t) at * (layout->minor == 9 ? 1 : 2);
    return true;
}

/** Whether it is the outermost of those that one activation of the interpreter evaluates, as far as
 * the frame says so itself. */
static bool
is_entry(struct reader *reader, uint64_t frame)
{
    const struct python_layout *layout = &reader->objects.layout;
    uint64_t entry;
    if (layout->frame_is_entry == PYTHON_NONE)
        return layout->frame_owner == PYTHON_NONE; // one activation for each frame
    return !read_uint(reader, frame, layout->frame_is_entry, 1, &entry) || entry != 0;
}

/** Adds the function that a frame is of. @return false when the code is none of Python's */
static bool
add_frame(struct reader *reader, struct python_thread *thread, uint64_t frame)
{
    struct python_frame found;
    uint64_t code;
    int64_t at;
    if (!code_of_frame(&reader->objects, frame, &code) ||
        !code_read(&reader->objects, code, &found))
        return false;
    if (read_position(reader, frame, code, &at))
        found.line = code_line(&reader->objects, code, at);
    found.entry = is_entry(reader, frame);
    *ALLOC_ADD(thread->frames, thread->n_frames, thread->capacity) = found;
    return true;
}

static bool
is_shim(struct reader *reader, uint64_t frame)
{
    uint64_t owner;
    return read_uint(reader, frame, reader->objects.layout.frame_owner, 1, &owner) &&
           owner >= OWNER_INTERPRETER;
}

/** Follows the frames. @return false when they do not end as they should */
static bool
read_frames(struct reader *reader, struct python_thread *thread, uint64_t frame)
{
    struct chain chain = {.max = FRAMES_MAX};
    while (frame != 0) {
        if (!chain_take(&chain, frame))
            return false;
        if (!is_shim(reader, frame)) {
            if (!add_frame(reader, thread, frame))
                return false;
        } else if (thread->n_frames > 0)
            thread->frames[thread->n_frames - 1].entry = true;
        if (!read_pointer(reader, frame, reader->objects.layout.frame_previous, &frame))
            return false;
    }
    return true;
}

/** The system's id of a thread whose state has the C library's: its descriptor has it. */
static bool
read_tid(struct reader *reader, uint64_t state, uint64_t *ret)
{
    uint64_t descriptor;
    if (reader->objects.layout.minor >= 11)
        return read_pointer(reader, state, reader->objects.layout.state_tid, ret);
    return image_machine(reader->objects.image) == EM_X86_64 &&
           read_pointer(reader, state, reader->objects.layout.state_tid, &descriptor) &&
           read_uint(reader, descriptor, PTHREAD_TID_AT, 4, ret);
}

/** The innermost frame of a thread; 0: it evaluates none. */
static bool
read_innermost(struct reader *reader, uint64_t state, uint64_t *ret)
{
    const struct python_layout *layout = &reader->objects.layout;
    return read_pointer(reader, state, layout->state_frame, ret) &&
           (layout->cframe_frame == PYTHON_NONE ||
            read_pointer(reader, *ret, layout->cframe_frame, ret));
}

/** Reads a thread. @return NULL, or what is wrong */
static const char *
read_thread(struct reader *reader, uint64_t interp, uint64_t state)
{
    uint64_t own, tid, frame;
    if (!read_pointer(reader, state, reader->objects.layout.state_interp, &own) || own != interp)
        return "its list of threads is not as that release has it";
    if (!read_tid(reader, state, &tid) || tid == 0 || tid > INT32_MAX)
        return "the id of a thread cannot be read";
    if (!read_innermost(reader, state, &frame))
        return "the frames of a thread cannot be read";
    struct python *python = reader->python;
    struct python_thread *thread = ALLOC_ADD(python->threads, python->n_threads, python->capacity);
    *thread = (struct python_thread){.tid = (pid_t) tid};
    return read_frames(reader, thread, frame)
               ? NULL
               : "the frames of a thread have no end, or there are more than 2000";
}

static bool
has_thread(const struct python *python, uint64_t tid)
{
    for (size_t i = 0; i < python->n_threads; i++)
        if ((uint64_t) python->threads[i].tid == tid)
            return true;
    return false;
}

/** Reads the lock of an interpreter whose threads were read. */
static void
read_gil(struct reader *reader, uint64_t interp)
{
    struct python *python = reader->python;
    uint64_t gil = reader->runtime + (uint64_t) reader->objects.layout.runtime_gil, locked, state,
             tid;
    if (reader->objects.layout.runtime_gil == PYTHON_NONE &&
        !read_pointer(reader, interp, reader->objects.layout.interp_gil, &gil))
        return;
    if (read_uint(reader, gil, GIL_LOCKED, sizeof(int32_t), &locked) && locked == 1 &&
        read_pointer(reader, gil, GIL_HOLDER, &state) && read_tid(reader, state, &tid) &&
        has_thread(python, tid))
        *ALLOC_ADD(python->gils, python->n_gils, python->gils_capacity) =
            (struct python_gil){gil, (pid_t) tid};
}

static const char *
read_interpreter(struct reader *reader, uint64_t interp)
{
    struct chain chain = {.max = THREADS_MAX};
    const char *problem = NULL;
    uint64_t state;
    if (!read_pointer(reader, interp, reader->objects.layout.interp_threads, &state))
        return "its list of threads cannot be read";
    while (state != 0) {
        if (!chain_take(&chain, state))
            return "its list of threads does not end";
        const char *wrong = read_thread(reader, interp, state);
        problem = problem != NULL ? problem : wrong;
        if (!read_pointer(reader, state, reader->objects.layout.state_next, &state))
            return "its list of threads cannot be read";
    }
    read_gil(reader, interp);
    exception_read(&reader->python->exception, &reader->objects, interp);
    return problem;
}

static const char *
read_interpreters(struct reader *reader)
{
    struct chain chain = {.max = INTERPRETERS_MAX};
    uint64_t interp;
    const char *problem = NULL;
    bool good =
        read_pointer(reader, reader->runtime, reader->objects.layout.runtime_interpreters, &interp);
    while (good && interp != 0 && problem == NULL) {
        problem = chain_take(&chain, interp) ? read_interpreter(reader, interp)
                                             : "its list of interpreters does not end";
        good = read_pointer(reader, interp, reader->objects.layout.interp_next, &interp);
    }
    return good ? problem : "its list of interpreters cannot be read";
}

void
python_read(struct python *python, const struct image *image)
{
    struct reader reader = {.python = python, .objects = {.image = image, .left = OBJECTS_BYTES}};
    struct python_layout *layout = &reader.objects.layout;
    if (!image_symbol(image, "_PyRuntime", SYMBOL_VARIABLE, &reader.runtime) ||
        !image_symbol(image, "PyCode_Type", SYMBOL_VARIABLE, &reader.objects.code_type))
        return;
    python->problem = python_layout_init(layout, image, reader.runtime);
    if (python->problem != NULL)
        return;
    const char *problem = read_interpreters(&reader);
    if (reader.objects.left == 0)
        problem = "there is more of its frames than is read";
    if (problem != NULL)
        python->problem = alloc_format("Python 3.%d: %s", layout->minor, problem);
}

pid_t
python_gil_holder(const struct python *python, pid_t tid, uint64_t addr)
{
    for (size_t i = 0; i < python->n_gils; i++)
        if (addr - python->gils[i].addr < GIL_BYTES && python->gils[i].holder != tid)
            return python->gils[i].holder;
    return 0;
}

const struct python_thread *
python_thread(const struct python *python, pid_t tid)
{
    for (size_t i = 0; i < python->n_threads; i++)
        if (python->threads[i].tid == tid && python->threads[i].n_frames > 0)
            return &python->threads[i];
    return NULL;
}

static void
free_frames(struct python_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(frames[i].function);
        free(frames[i].file);
    }
    free(frames);
}

void
python_exception_deinit(struct python_exception *exception)
{
    free_frames(exception->frames, exception->n_frames);
    free(exception->type);
    *exception = (struct python_exception){.type = NULL};
}

void
python_deinit(struct python *python)
{
    for (size_t i = 0; i < python->n_threads; i++)
        free_frames(python->threads[i].frames, python->threads[i].n_frames);
    python_exception_deinit(&python->exception);
    free(python->threads);
    free(python->gils);
    free(python->problem);
    *python = (struct python){.threads = NULL};
}

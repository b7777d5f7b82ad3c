// SPDX-License-Identifier: BSD-3-Clause
// The exception that ended a Python program.
#include "mqshow/python/exception.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/python/code.h"
#include "mqshow/python/python.h"

#include <string.h>

// Of all releases: of a type its name, and flags that say that it is one of exceptions, of types;
// of a traceback the next one, its frame, instruction and line; where an object of a frame has the
// interpreter's, from 3.11 on.
enum { TYPE_NAME = 24, TYPE_FLAGS = 168, OF_EXCEPTIONS = 30, OF_TYPES = 31 };
enum { TB_NEXT = 16, TB_FRAME = 24, TB_AT = 32, TB_LINE = 36, FRAME_FRAME = 24 };
enum { NAME_BYTES = 256, FRAMES_MAX = 2000 };

static bool
has_flag(struct objects *objects, uint64_t type, int flag)
{
    uint64_t flags;
    return objects_pointer(objects, type, TYPE_FLAGS, &flags) && (flags >> flag & 1) != 0;
}

/** Whether an object is a class of exceptions. When the modules are taken down, it is None. */
static bool
is_exception(struct objects *objects, uint64_t type)
{
    uint64_t metatype;
    return objects_pointer(objects, type, OB_TYPE, &metatype) &&
           has_flag(objects, metatype, OF_TYPES) && has_flag(objects, type, OF_EXCEPTIONS);
}

/** The name of a class without its module, for free(); NULL: it cannot be read. */
static char *
read_name(struct objects *objects, uint64_t type)
{
    char name[NAME_BYTES] = "";
    uint64_t addr, byte = 1;
    if (!objects_pointer(objects, type, TYPE_NAME, &addr))
        return NULL;
    for (int i = 0; i + 1 < NAME_BYTES && byte != 0; i++) {
        if (!objects_uint(objects, addr, i, 1, &byte))
            return NULL;
        name[i] = (char) byte;
    }
    const char *last = strrchr(name, '.');
    return escape_text(last != NULL ? last + 1 : name, SIZE_MAX);
}

/** Reads where a traceback is. @return false: it is none, or what it has is no code */
static bool
read_frame(struct objects *objects, uint64_t traceback, struct python_frame *ret)
{
    uint64_t frame, code, at, line;
    if (!objects_pointer(objects, traceback, TB_FRAME, &frame) ||
        (objects->layout.minor >= 11 && !objects_pointer(objects, frame, FRAME_FRAME, &frame)) ||
        !code_of_frame(objects, frame, &code) ||
        !objects_uint(objects, traceback, TB_AT, sizeof(int32_t), &at) ||
        !objects_uint(objects, traceback, TB_LINE, sizeof(int32_t), &line) ||
        !code_read(objects, code, ret))
        return false;
    // Releases that look the line up when somebody asks have -1 until then.
    ret->line = line > 0 && line <= INT32_MAX ? (int) line
                                              : code_line(objects, code, (int32_t) (uint32_t) at);
    return true;
}

static void
reverse(struct python_exception *exception)
{
    for (size_t i = 0, k = exception->n_frames; i + 1 < k; i++) {
        struct python_frame frame = exception->frames[i];
        exception->frames[i] = exception->frames[--k];
        exception->frames[k] = frame;
    }
}

/** Reads a traceback, whose innermost frame is the last: one that is not known to its end is of no
 * use. */
static bool
read_traceback(struct python_exception *exception, struct objects *objects, uint64_t traceback)
{
    struct chain chain = {.max = FRAMES_MAX};
    while (traceback != 0) {
        struct python_frame frame;
        if (!chain_take(&chain, traceback) || !read_frame(objects, traceback, &frame))
            return false;
        *ALLOC_ADD(exception->frames, exception->n_frames, exception->capacity) = frame;
        if (!objects_pointer(objects, traceback, TB_NEXT, &traceback))
            return false;
    }
    reverse(exception);
    return true;
}

void
exception_read(struct python_exception *ret, struct objects *objects, uint64_t interp)
{
    uint64_t names, type, traceback;
    python_exception_deinit(ret);
    if (!objects_pointer(objects, interp, objects->layout.interp_sys, &names) ||
        !objects_item(objects, names, "last_type", &type) || !is_exception(objects, type))
        return;
    char *name = read_name(objects, type);
    if (objects_item(objects, names, "last_traceback", &traceback) &&
        !read_traceback(ret, objects, traceback))
        python_exception_deinit(ret);
    ret->type = name;
}

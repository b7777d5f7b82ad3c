// SPDX-License-Identifier: BSD-3-Clause
// How a thread ends its process.
#include "mqshow/verdict/ending.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/report/place.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/** Functions that do not return, and call what is to be done before the end. Libraries without
 * symbols have the names of these, as they export them. */
static const struct {
    const char *function, *file, *words;
} ends[] = {
    {"exit", "libc[.-]*", "exit()"},
    {"quick_exit", "libc[.-]*", "quick_exit()"},
    {"abort", "libc[.-]*", "abort()"},
    {"_ZSt9terminatev", "lib*c++*", "std::terminate()"},
    {"_gfortran_stop_*", "libgfortran*", "STOP"},
    {"_gfortran_error_stop_*", "libgfortran*", "ERROR STOP"},
};

enum { ENDS = sizeof ends / sizeof *ends };

static const char *
symbol_of(const struct frame_record *frame)
{
    const char *symbol = frame->symbol ? frame->symbol : frame->function;
    return symbol && !frame_is_python(frame) ? symbol : "";
}

/** Whether a function has this name, whatever its version; a name may end with a '*'. */
static bool
is_named(const char *symbol, const char *name)
{
    size_t length = strcspn(name, "*");
    return strncmp(symbol, name, length) == 0 &&
           (name[length] == '*' || symbol[length] == '\0' || symbol[length] == '@');
}

/** The number of the function that a frame is of; ENDS: none. */
static size_t
end_of(const struct frame_record *frame)
{
    size_t i = 0;
    while (i < ENDS && (!is_named(symbol_of(frame), ends[i].function) || !frame->module ||
                        fnmatch(ends[i].file, base_name(frame->module), 0) != 0))
        i++;
    return i;
}

/** Whether nothing but the C library is around a frame. */
static bool
is_outermost(const struct thread_record *thread, size_t i)
{
    while (++i < thread->stack.count) {
        const struct frame_record *frame = &thread->stack.items[i];
        if (frame_runtime(frame) != RUNTIME_C && !runtime_starts(symbol_of(frame)))
            return false;
    }
    return HAS(thread, THREAD_COMPLETE) && thread->complete;
}

/** Whether Python's interpreter ends, with its process. Its function that does it may have no name,
 * where a compiler has parted it: then none of Python's functions is called any more, and what is
 * registered for the end calls MPI_Finalize. */
static bool
ends_python(const struct thread_record *thread)
{
    bool ends_it = false, has_main = false, has_function = false;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const struct frame_record *frame = &thread->stack.items[i];
        const char *symbol = symbol_of(frame);
        has_function |= frame_is_python(frame);
        if (!is_named(symbol, "Py_*") || frame_runtime(frame) != RUNTIME_PYTHON)
            continue;
        has_main |= is_named(symbol, "Py_RunMain");
        ends_it |= is_named(symbol, "Py_FinalizeEx") || is_named(symbol, "Py_Exit");
    }
    ends_it |= !has_function && thread->call && mpi_call_is(thread->call, "MPI_Finalize");
    return has_main && ends_it;
}

char *
ending_text(const struct thread_record *thread, const struct frame_record **ret_from)
{
    size_t i = thread->stack.count, end = ENDS;
    *ret_from = NULL;
    if (ends_python(thread))
        return alloc_text("Python's interpreter ends");
    while (i > 0 && end == ENDS)
        end = end_of(&thread->stack.items[--i]);
    if (end == ENDS)
        return NULL;
    *ret_from = place_from(thread, i + 1);
    if (!*ret_from)
        return alloc_text(is_outermost(thread, i) ? "main has returned" : ends[end].words);
    char *from = frame_text(*ret_from), *ret = alloc_format("%s from %s", ends[end].words, from);
    free(from);
    return ret;
}

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

/** How Python's interpreter ends, if it does. */
enum python_end { PYTHON_GOES_ON, PYTHON_ENDS, PYTHON_EXITS };

/** Whether Python's interpreter ends, with its process; it calls Py_Exit() for SystemExit only. Its
 * function that does it may have no name, where a compiler has parted it: then none of Python's
 * functions is called any more, and what is registered for the end calls MPI_Finalize. */
static enum python_end
python_end(const struct thread_record *thread)
{
    bool ends_it = false, exits = false, has_main = false, has_function = false;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const struct frame_record *frame = &thread->stack.items[i];
        const char *symbol = symbol_of(frame);
        has_function |= frame_is_python(frame);
        if (!is_named(symbol, "Py_*") || frame_runtime(frame) != RUNTIME_PYTHON)
            continue;
        has_main |= is_named(symbol, "Py_RunMain");
        bool is_exit = is_named(symbol, "Py_Exit");
        ends_it |= is_exit || is_named(symbol, "Py_FinalizeEx");
        exits |= is_exit && i + 1 < thread->stack.count &&
                 frame_runtime(frame + 1) == RUNTIME_PYTHON; // it is not an extension's call
    }
    ends_it |= !has_function && thread->call && mpi_call_is(thread->call, "MPI_Finalize");
    if (!has_main || !ends_it)
        return PYTHON_GOES_ON;
    return exits ? PYTHON_EXITS : PYTHON_ENDS;
}

char *
ending_exception(const struct report *report, const struct thread_record *thread)
{
    const struct exception_record *exception = &report->exception;
    if (!HAS(report, PROCESS_EXCEPTION) || !exception->type || python_end(thread) != PYTHON_ENDS)
        return NULL;
    const struct frame_record *raised = place_raised(exception);
    char *from = raised ? frame_text(raised) : alloc_text("");
    char *ret = alloc_format("%s%s%s", exception->type, *from != '\0' ? " from " : "", from);
    free(from);
    return ret;
}

/** "Python's interpreter ends after ValueError from solve at job.py:12", for free(). */
static char *
python_ending(const struct report *report, const struct thread_record *thread)
{
    char *exception = ending_exception(report, thread);
    char *ret = alloc_format("Python's interpreter ends%s%s", exception ? " after " : "",
                             exception ? exception : "");
    free(exception);
    return ret;
}

char *
ending_text(const struct report *report, const struct thread_record *thread,
            const struct frame_record **ret_from)
{
    size_t i = thread->stack.count, end = ENDS;
    *ret_from = NULL;
    enum python_end python = python_end(thread);
    if (python == PYTHON_EXITS)
        return alloc_text("Python's interpreter ends by SystemExit");
    if (python == PYTHON_ENDS)
        return python_ending(report, thread);
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

// SPDX-License-Identifier: BSD-3-Clause
// Where a thread is, for people.
#include "mqshow/report/place.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/strbuf.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Whether a frame is the script that a package was installed with, which only starts it. */
static bool
is_script(const struct frame_record *frame)
{
    return frame_is_python(frame) && frame->file && text_equals(frame->function, "<module>") &&
           fnmatch("*/bin/*", frame->file, 0) == 0;
}

static bool
is_librarys(const struct frame_record *frame)
{
    return (frame->file && runtime_is_installed(frame->file)) ||
           (frame->module && runtime_is_installed(frame->module)) || is_script(frame);
}

/** Whether a frame may be the program's: code of Python's extensions that has no source is not. */
static bool
is_users(const struct frame_record *frame, bool of_python)
{
    return frame->function && frame_runtime(frame) == RUNTIME_NONE && !is_librarys(frame) &&
           (!of_python || frame->file) &&
           !runtime_starts(frame->symbol ? frame->symbol : frame->function);
}

const struct frame_record *
place_from(const struct thread_record *thread, size_t first)
{
    const struct frame_record *frames = thread->stack.items;
    bool of_python = false;
    for (size_t i = 0; i < thread->stack.count && !of_python; i++)
        of_python = frame_is_python(&frames[i]);
    for (size_t i = first; i < thread->stack.count; i++)
        if (is_users(&frames[i], of_python))
            return &frames[i];
    return NULL;
}

const struct frame_record *
place_raised(const struct exception_record *exception)
{
    for (size_t i = 0; i < exception->stack.count; i++)
        if (is_users(&exception->stack.items[i], true))
            return &exception->stack.items[i];
    return NULL;
}

/** The frame of the stack that is the thread's; NULL: it is not there. */
static const struct frame_record *
innermost(const struct thread_record *thread)
{
    for (size_t i = 0; i < thread->stack.count; i++)
        if (thread->frame.function && frame_is_same_line(&thread->frame, &thread->stack.items[i]))
            return &thread->stack.items[i];
    return NULL;
}

/** What the program's own frame has called, of the frames between the innermost and that; what a
 * decorator has put around a function of Python only if there is nothing else. */
static const struct frame_record *
called(const struct frame_record *innermost, const struct frame_record *users)
{
    const struct frame_record *best = NULL;
    for (const struct frame_record *frame = innermost; frame < users; frame++)
        if (frame->function && frame_is_python(frame) == frame_is_python(innermost) &&
            frame_runtime(frame) == RUNTIME_NONE && (!best || !strstr(frame->function, "<locals>")))
            best = frame;
    return best;
}

struct place
place_of(const struct thread_record *thread)
{
    struct place place = {.frame = HAS(thread, THREAD_FRAME) ? &thread->frame : NULL};
    const struct frame_record *first = place.frame ? innermost(thread) : NULL;
    if (!first || !is_librarys(first))
        return place;
    const struct frame_record *users = place_from(thread, (size_t) (first - thread->stack.items));
    return users ? (struct place){users, called(first, users)} : place;
}

/** Appends the name of the package or module that a file of Python's belongs to: "h5py". */
static void
add_package(struct strbuf *words, const char *file)
{
    static const char *const before[] = {"/site-packages/", "/dist-packages/", "/python3",
                                         "<frozen "};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof before / sizeof *before && !found; i++) {
        found = strstr(file, before[i]);
        found = found ? found + strlen(before[i]) : NULL;
        if (found && before[i][strlen(before[i]) - 1] == '3') // "/python3.11/"
            found = strchr(found, '/') ? strchr(found, '/') + 1 : NULL;
    }
    if (found)
        strbuf_add(words, "%.*s ", (int) strcspn(found, "/.>"), found);
}

/** "h5py Dataset.__setitem__", for free(). */
static char *
library_text(const struct frame_record *library)
{
    struct strbuf words = {.text = NULL};
    if (frame_is_python(library) && library->file)
        add_package(&words, library->file);
    strbuf_add(&words, "%s", library->function);
    return strbuf_take(&words);
}

char *
frame_text(const struct frame_record *frame)
{
    const char *function = frame->function ? frame->function : "";
    if (!frame->file || !HAS(frame, FRAME_LINE) || frame->line <= 0)
        return alloc_text(function);
    return alloc_format("%s%sat %s:%" PRId64, function, *function != '\0' ? " " : "",
                        base_name(frame->file), frame->line);
}

char *
nonblocking_call_text(const struct nonblocking_record *record)
{
    if (!record->call)
        return NULL;
    char *place = HAS(record, NONBLOCKING_CALLER) ? frame_text(&record->caller) : alloc_text("");
    char *ret = alloc_format("%s%s%s", record->call, *place != '\0' ? " in " : "", place);
    free(place);
    return ret;
}

char *
place_text(const struct thread_record *thread, bool both)
{
    struct place place = place_of(thread);
    char *text = place.frame ? frame_text(place.frame) : alloc_text("");
    if (!place.library)
        return text;
    char *library = both ? frame_text(&thread->frame) : library_text(place.library);
    char *ret = both ? alloc_format("%s, called from %s", library, text)
                     : alloc_format("%s (%s)", text, library);
    free(library);
    free(text);
    return ret;
}

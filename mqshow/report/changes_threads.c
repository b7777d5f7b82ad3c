// SPDX-License-Identifier: BSD-3-Clause
// Which threads moved between two samples of a process.
#include "mqshow/base/mpi_calls.h"
#include "mqshow/base/runtime.h"
#include "mqshow/report/changes.h"

#include "mqshow/base/escape.h"
#include <string.h>

/** Whether two frames are of the same line of the source, as far as that is known. */
static bool
is_same_line(const struct frame_record *a, const struct frame_record *b)
{
    return text_equals(a->function, b->function) && text_equals(a->file, b->file) &&
           HAS(a, FRAME_LINE) == HAS(b, FRAME_LINE) && a->line == b->line;
}

/** Where the user's part of a stack begins: what libraries do inside of a call is no movement.
 * A stripped program's frames have no names, and are then known by their file. */
static size_t
users_part(const struct thread_record *thread)
{
    bool has_name = thread->frame.function != NULL;
    size_t after_call = 0, outside = 0;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const struct frame_record *entry = &thread->stack.items[i];
        if (has_name && is_same_line(&thread->frame, entry))
            return i;
        if (entry->function != NULL && thread->call != NULL &&
            mpi_call_is(entry->function, thread->call))
            after_call = i + 1;
        if (outside == 0 && entry->module != NULL && runtime_of_file(entry->module) == RUNTIME_NONE)
            outside = i;
    }
    return after_call != 0 || has_name ? after_call : outside;
}

static bool
is_same_address(const struct frame_record *a, const struct frame_record *b)
{
    return HAS(a, FRAME_ADDRESS) == HAS(b, FRAME_ADDRESS) && a->address == b->address;
}

/** The entry behind the one at i that is of another frame: functions that were inlined have the
 * address of the one that they are in, and are known by debug information alone.
 */
static size_t
next_frame(const struct thread_record *thread, size_t i)
{
    const struct frame_record *entry = &thread->stack.items[i];
    do
        i++;
    while (i < thread->stack.count && is_same_address(entry, &thread->stack.items[i]));
    return i;
}

/** Whether two stacks have the same addresses, from entries on: names that could be read once only
 * are no movement.
 */
static bool
are_same_addresses(const struct thread_record *old, size_t i, const struct thread_record *new,
                   size_t k)
{
    while (i < old->stack.count && k < new->stack.count) {
        if (!is_same_address(&old->stack.items[i], &new->stack.items[k]))
            return false;
        i = next_frame(old, i);
        k = next_frame(new, k);
    }
    return i == old->stack.count && k == new->stack.count;
}

/** Whether a thread is where it was: in the same call made from the same place, or, outside of MPI,
 * in the same place.
 */
static bool
is_same_thread_state(const struct thread_record *before, const struct thread_record *after)
{
    size_t i = users_part(before), k = users_part(after);
    bool has_addresses = i < before->stack.count || k < after->stack.count;
    return text_equals(before->call, after->call) && are_same_addresses(before, i, after, k) &&
           (has_addresses || (HAS(before, THREAD_FRAME) == HAS(after, THREAD_FRAME) &&
                              is_same_line(&before->frame, &after->frame)));
}

static enum changed
compare_thread(const struct thread_record *before, const struct thread_record *after)
{
    if (is_same_thread_state(before, after))
        return CHANGED_NOTHING;
    return before->complete == after->complete ? CHANGED_SOMETHING : CHANGED_UNSURE;
}

/** Whether a thread runs code of the user's, or may: those of libraries come and go. */
static bool
is_users(const struct thread_record *thread)
{
    return thread->call != NULL || HAS(thread, THREAD_FRAME);
}

/** The thread of that id; NULL: there is none. @param hint where it probably is */
static const struct thread_record *
find_thread(const struct report *report, int64_t tid, size_t hint)
{
    size_t count = report != NULL ? report->threads.count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct thread_record *thread = &report->threads.items[(hint + i) % count];
        if (thread->tid == tid)
            return thread;
    }
    return NULL;
}

enum changed
changes_of_threads(const struct report *before, struct report *after, struct changes *changes)
{
    size_t n_users = 0, n_seen = 0; // of those that ran code of the user's before
    enum changed all = CHANGED_NOTHING;
    for (size_t i = 0; before != NULL && i < before->threads.count; i++)
        n_users += is_users(&before->threads.items[i]);
    for (size_t i = 0; after != NULL && i < after->threads.count; i++) {
        struct thread_record *thread = &after->threads.items[i];
        const struct thread_record *old = find_thread(before, thread->tid, i);
        enum changed changed = old != NULL ? compare_thread(old, thread) : CHANGED_SOMETHING;
        bool was_users = old != NULL && is_users(old);
        n_seen += was_users;
        if (!was_users && !is_users(thread))
            continue;
        all = changed > all ? changed : all;
        if (old == NULL || !is_users(thread) || changed == CHANGED_UNSURE)
            continue;
        SET(thread, THREAD_MOVED, moved, changed == CHANGED_SOMETHING);
        changes->threads_moved += changed == CHANGED_SOMETHING;
        changes->threads_unmoved += changed == CHANGED_NOTHING;
    }
    return n_seen == n_users ? all : CHANGED_SOMETHING;
}

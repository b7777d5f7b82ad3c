// SPDX-License-Identifier: BSD-3-Clause
// Which threads moved between two looks at a process.
#include "tools/looks_parts.h"
#include "tools/runtime.h"

#include <string.h>

bool
looks_equal_members(const json_t *a, const json_t *b, const char *const *keys)
{
    bool equal = true;
    for (; *keys != NULL && equal; keys++) {
        json_t *one = json_object_get(a, *keys), *other = json_object_get(b, *keys);
        equal = one == other || json_equal(one, other);
    }
    return equal;
}

json_t *
looks_find(const json_t *array, const json_t *object, const char *const *keys, size_t hint)
{
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(array, (hint + i) % count);
        if (looks_equal_members(item, object, keys))
            return item;
    }
    return NULL;
}

/** Whether an entry of a stack is the MPI call that the thread is in. */
static bool
is_call(const json_t *entry, const char *call)
{
    const char *function = json_string_value(json_object_get(entry, "function"));
    return function != NULL && call != NULL && runtime_is_call(function, call);
}

/** Whether an entry of a stack is in none of the runtimes' files. */
static bool
is_outside(const json_t *entry)
{
    const char *module = json_string_value(json_object_get(entry, "module"));
    return module != NULL && runtime_of_file(module) == RUNTIME_NONE;
}

/** Where the user's part of a stack begins: what libraries do inside of a call is no movement.
 * A stripped program's frames have no names, and are then known by their file. */
static size_t
users_part(const json_t *thread)
{
    static const char *const place[] = {"function", "file", "line", NULL};
    const char *call = json_string_value(json_object_get(thread, "call"));
    const json_t *frame = json_object_get(thread, "frame");
    bool has_name = json_object_get(frame, "function") != NULL;
    size_t i, after_call = 0, outside = 0;
    json_t *entry;
    json_array_foreach (json_object_get(thread, "stack"), i, entry) {
        if (has_name && looks_equal_members(frame, entry, place))
            return i;
        if (is_call(entry, call))
            after_call = i + 1;
        if (outside == 0 && is_outside(entry))
            outside = i;
    }
    return after_call != 0 || has_name ? after_call : outside;
}

/** The entry behind the one at i that is of another frame: functions that were inlined have the
 * address of the one that they are in, and are known by debug information alone.
 */
static size_t
next_frame(const json_t *stack, size_t i)
{
    static const char *const address[] = {"address", NULL};
    const json_t *entry = json_array_get(stack, i);
    do
        i++;
    while (i < json_array_size(stack) &&
           looks_equal_members(entry, json_array_get(stack, i), address));
    return i;
}

/** Whether two stacks have the same addresses, from entries on: names that could be read once only
 * are no movement.
 */
static bool
are_same_addresses(const json_t *old, size_t i, const json_t *new, size_t k)
{
    static const char *const address[] = {"address", NULL};
    while (i < json_array_size(old) && k < json_array_size(new)) {
        if (!looks_equal_members(json_array_get(old, i), json_array_get(new, k), address))
            return false;
        i = next_frame(old, i);
        k = next_frame(new, k);
    }
    return i == json_array_size(old) && k == json_array_size(new);
}

/** Whether a thread is where it was: in the same call made from the same place, or, outside of MPI,
 * in the same place.
 */
static bool
is_same_thread_state(const json_t *before, const json_t *after)
{
    static const char *const call[] = {"call", NULL}, *const frame[] = {"frame", NULL};
    const json_t *old = json_object_get(before, "stack"), *new = json_object_get(after, "stack");
    size_t i = users_part(before), k = users_part(after);
    bool has_addresses = i < json_array_size(old) || k < json_array_size(new);
    return looks_equal_members(before, after, call) && are_same_addresses(old, i, new, k) &&
           (has_addresses || looks_equal_members(before, after, frame));
}

static enum look_result
compare_thread(const json_t *before, const json_t *after)
{
    static const char *const ends[] = {"stack_complete", NULL};
    if (is_same_thread_state(before, after))
        return LOOK_SAME;
    return looks_equal_members(before, after, ends) ? LOOK_MOVED : LOOK_UNSURE;
}

/** Whether a thread runs code of the user's, or may: those of libraries come and go. */
static bool
is_users(const json_t *thread)
{
    return json_object_get(thread, "call") != NULL || json_object_get(thread, "frame") != NULL;
}

static size_t
count_users(const json_t *threads)
{
    size_t i, count = 0;
    json_t *thread;
    json_array_foreach (threads, i, thread)
        count += is_users(thread);
    return count;
}

enum look_result
looks_compare_threads(const json_t *before, json_t *after, struct look_changes *changes)
{
    static const char *const names[] = {"tid", NULL};
    const json_t *olds = json_object_get(before, "threads"),
                 *news = json_object_get(after, "threads");
    size_t i, n_seen = 0; // of those that ran code of the user's before
    json_t *thread;
    enum look_result all = LOOK_SAME;
    json_array_foreach (news, i, thread) {
        const json_t *old = looks_find(olds, thread, names, i);
        enum look_result result = old != NULL ? compare_thread(old, thread) : LOOK_MOVED;
        bool was_users = old != NULL && is_users(old);
        n_seen += was_users;
        if (!was_users && !is_users(thread))
            continue;
        all = result > all ? result : all;
        if (old == NULL || !is_users(thread) || result == LOOK_UNSURE)
            continue;
        json_object_set_new(thread, "moved", json_boolean(result == LOOK_MOVED));
        changes->threads_moved += result == LOOK_MOVED;
        changes->threads_unmoved += result == LOOK_SAME;
    }
    return n_seen == count_users(olds) ? all : LOOK_MOVED;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/waits/window_locks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/waits/handle_members.h"
#include "mqshow/waits/handle_partners.h"

#include <string.h>

enum {
    LOCKS_MAX = 1 << 16,        // of a window
    OPENMPI_LOCK_EXCLUSIVE = 1, // MPI_LOCK_EXCLUSIVE; a shared lock is 2 there,
    MPICH_LOCK_EXCLUSIVE = 234, // and 235
};

/** What is read of windows. */
struct search {
    const struct request_handles *handles;
    struct report *report;
    bool any;       // there is a window
    int64_t window; // number of the one that is read; -1: not known
    size_t first;   // number of its first lock
    bool is_whole;  // all of its locks were given
};

static struct window_lock *
add_lock(const struct search *search)
{
    struct report *report = search->report;
    struct window_lock *lock =
        ALLOC_ADD(report->locks.items, report->locks.count, report->locks.capacity);
    record_init(&window_lock_type, lock);
    SET(lock, WINDOW_LOCK_WINDOW, window, search->window);
    return lock;
}

static bool
take_lock(void *context, const mqs_object_member *member)
{
    struct search *search = context;
    size_t count = search->report->locks.count - search->first;
    struct window_lock *lock;
    switch (member->member) {
    case mqs_member_id:
        search->window = member->value;
        break;
    case mqs_member_epoch:
        if (strcmp(member->text, "lock all") == 0)
            add_lock(search);
        break;
    case mqs_member_locked:
        if (count == LOCKS_MAX)
            return false;
        lock = add_lock(search);
        SET(lock, WINDOW_LOCK_TARGET, target, (int32_t) member->value);
        break;
    case mqs_member_locked_exclusively: // of the lock before it
        if (count == 0)
            return false;
        lock = &search->report->locks.items[search->report->locks.count - 1];
        if (member->value != 0)
            SET(lock, WINDOW_LOCK_EXCLUSIVE, exclusive, true);
        break;
    case mqs_member_shared_locks: // behind all others
        search->is_whole = true;
        break;
    default:
        break;
    }
    return true;
}

static bool
add_window(void *context, const mqs_object *window)
{
    struct search *search = context;
    search->any = true;
    search->window = -1;
    search->first = search->report->locks.count;
    search->is_whole = false;
    return handle_members_each(search->handles, window, take_lock, search) && search->is_whole &&
           search->window >= 0;
}

void
window_locks_add(struct report *report, const struct request_handles *handles)
{
    struct search search = {.handles = handles, .report = report};
    if (handle_objects_each(handles, mqs_object_window, add_window, &search) && search.any)
        report->has |= UINT32_C(1) << PROCESS_LOCKS;
    else
        report->locks.count = 0;
}

/** A window whose lock a call gets. */
struct asked_window {
    int64_t number;  // -1: not known
    int64_t awaited; // rank in MPI_COMM_WORLD whose lock was asked for first and not got; -1: none
};

static bool
take_asked(void *context, const mqs_object_member *member)
{
    struct asked_window *window = context;
    if (member->member == mqs_member_id)
        window->number = member->value;
    if (member->member == mqs_member_lock_awaited && window->awaited < 0)
        window->awaited = member->value;
    return true;
}

struct asked_lock
window_lock_of_call(const struct request_handles *handles, uint64_t window, const int *rank,
                    int type)
{
    mqs_object object = {.known = 0};
    struct asked_window asked = {-1, -1};
    int32_t target = -1;
    bool is_known = handle_query(handles, mqs_object_window, window, &object) &&
                    handle_members_each(handles, &object, take_asked, &asked) && asked.number >= 0;
    if (is_known && rank)
        target = partner_in_window(handles, &object, *rank);
    // A call may have to get the lock of another process first.
    if (asked.awaited >= 0 && asked.awaited != target)
        is_known = false;
    return (struct asked_lock){
        .known = is_known && (!rank || target >= 0),
        .exclusive = rank && (type == OPENMPI_LOCK_EXCLUSIVE || type == MPICH_LOCK_EXCLUSIVE),
        .window = asked.number,
        .target = target,
    };
}

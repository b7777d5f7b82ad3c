// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/waits/window_locks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/waits/handle_members.h"
#include "mqshow/waits/handle_partners.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOCKS_MAX = 1 << 16,        // of a window
    OPENMPI_LOCK_EXCLUSIVE = 1, // MPI_LOCK_EXCLUSIVE; a shared lock is 2 there,
    MPICH_LOCK_EXCLUSIVE = 234, // and 235
};

/** What is read of a window. */
struct locked {
    int64_t window;                     // number; -1: not known
    bool is_whole;                      // all locks were given
    bool all;                           // by MPI_Win_lock_all
    struct partners targets, exclusive; // exclusive: numbers of those of the targets
};

static bool
take_member(void *context, const mqs_object_member *member)
{
    struct locked *locked = context;
    struct partners *targets = &locked->targets, *exclusive = &locked->exclusive;
    switch (member->member) {
    case mqs_member_id:
        locked->window = member->value;
        break;
    case mqs_member_epoch:
        locked->all = strcmp(member->text, "lock all") == 0;
        break;
    case mqs_member_locked:
        if (targets->count == LOCKS_MAX)
            return false;
        *ALLOC_ADD(targets->items, targets->count, targets->capacity) = (int32_t) member->value;
        break;
    case mqs_member_locked_exclusively:
        if (member->value != 0)
            *ALLOC_ADD(exclusive->items, exclusive->count, exclusive->capacity) = member->index;
        break;
    case mqs_member_shared_locks: // behind all others
        locked->is_whole = true;
        break;
    default:
        break;
    }
    return true;
}

static void
locked_deinit(struct locked *locked)
{
    free(locked->targets.items);
    free(locked->exclusive.items);
}

static struct window_lock *
add_lock(struct report *report, int64_t window)
{
    struct window_lock *lock =
        ALLOC_ADD(report->locks.items, report->locks.count, report->locks.capacity);
    record_init(&window_lock_type, lock);
    SET(lock, WINDOW_LOCK_WINDOW, window, window);
    return lock;
}

/** What is asked of all windows. */
struct search {
    const struct request_handles *handles;
    struct report *report;
    bool any;
};

static bool
add_window(void *context, const mqs_object *window)
{
    struct search *search = context;
    struct locked locked = {.window = -1};
    bool is_known = handle_members_each(search->handles, window, take_member, &locked) &&
                    locked.is_whole && locked.window >= 0;
    search->any = true;
    if (is_known && locked.all)
        add_lock(search->report, locked.window);
    for (size_t i = 0, k = 0; is_known && i < locked.targets.count; i++) {
        struct window_lock *lock = add_lock(search->report, locked.window);
        SET(lock, WINDOW_LOCK_TARGET, target, locked.targets.items[i]);
        if (k < locked.exclusive.count && (size_t) locked.exclusive.items[k] == i) {
            SET(lock, WINDOW_LOCK_EXCLUSIVE, exclusive, true);
            k++;
        }
    }
    locked_deinit(&locked);
    return is_known;
}

void
window_locks_add(struct report *report, const struct request_handles *handles)
{
    struct search search = {handles, report, false};
    if (handle_objects_each(handles, mqs_object_window, add_window, &search) && search.any)
        report->has |= UINT32_C(1) << PROCESS_LOCKS;
    else
        report->locks.count = 0;
}

struct asked_lock
window_lock_of_call(const struct request_handles *handles, uint64_t window, const int *rank,
                    int type)
{
    mqs_object object = {.known = 0};
    struct locked locked = {.window = -1};
    int32_t target = -1;
    bool is_known = handle_query(handles, mqs_object_window, window, &object) &&
                    handle_members_each(handles, &object, take_member, &locked) &&
                    locked.window >= 0;
    locked_deinit(&locked);
    if (is_known && rank)
        target = partner_in_window(handles, &object, *rank);
    return (struct asked_lock){
        .known = is_known && (!rank || target >= 0),
        .exclusive = rank && (type == OPENMPI_LOCK_EXCLUSIVE || type == MPICH_LOCK_EXCLUSIVE),
        .window = locked.window,
        .target = target,
    };
}

// SPDX-License-Identifier: BSD-3-Clause
// Which processes of the job a thread waits for outside of MPI's queues: those that hold what it
// needs, or are to come, or have a lock of a window.
#include "mqshow/verdict/thread_activity.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/** Whether locks are of the same window and part of it. */
static bool
is_same_lock(const struct window_lock *one, const struct window_lock *other)
{
    return HAS(one, WINDOW_LOCK_WINDOW) && HAS(other, WINDOW_LOCK_WINDOW) &&
           one->window == other->window &&
           (!HAS(one, WINDOW_LOCK_TARGET) || !HAS(other, WINDOW_LOCK_TARGET) ||
            one->target == other->target);
}

static bool
is_exclusive(const struct window_lock *lock)
{
    return HAS(lock, WINDOW_LOCK_EXCLUSIVE) && lock->exclusive;
}

enum has_lock { LOCK_NOT_HELD, LOCK_HELD, LOCK_NOT_KNOWN };

/** Whether one of the threads waits for a lock, or for locks of all of its window: which of these
 * it has is not known, but that they are shared. @param only_all whether only the latter counts */
static bool
is_asked(const struct report *report, const struct window_lock *lock, bool only_all)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        if (HAS(thread, THREAD_LOCK) && is_same_lock(&thread->lock, lock) &&
            !(only_all && HAS(&thread->lock, WINDOW_LOCK_TARGET)))
            return true;
    }
    return false;
}

/** Whether a process has a lock that is in the way of another one. Those that its threads wait for
 * may be among those that it has. */
static enum has_lock
has_lock(const struct report *report, const struct window_lock *awaited)
{
    if (!HAS(report, PROCESS_LOCKS) || (is_exclusive(awaited) && is_asked(report, awaited, true)))
        return LOCK_NOT_KNOWN;
    for (size_t i = 0; i < report->locks.count; i++) {
        const struct window_lock *lock = &report->locks.items[i];
        if (is_same_lock(lock, awaited) && (is_exclusive(lock) || is_exclusive(awaited)) &&
            !is_asked(report, lock, false))
            return LOCK_HELD;
    }
    return LOCK_NOT_HELD;
}

/** Of the processes of a window, those that have the lock that a thread waits for, where that is
 * known. @return their number */
static size_t
keep_owners(const struct job_index *job, const struct thread_record *record, uint32_t *processes,
            size_t count)
{
    uint32_t *owners = alloc_zeroed(count, sizeof *owners);
    size_t kept = 0;
    bool is_known = true;
    for (size_t i = 0; i < count && is_known; i++) {
        enum has_lock has = has_lock(job->processes[processes[i]].report, &record->lock);
        is_known = has != LOCK_NOT_KNOWN;
        if (has == LOCK_HELD)
            owners[kept++] = processes[i];
    }
    is_known &= kept > 0; // nobody has it between two owners
    if (is_known)
        memcpy(processes, owners, kept * sizeof *owners);
    free(owners);
    return is_known ? kept : count;
}

uint32_t *
thread_holders(const struct job_index *job, const struct job_thread *thread, size_t *ret_count,
               size_t *ret_others)
{
    const struct thread_record *record = thread->record;
    uint32_t *found = alloc_zeroed(record->holders.count + record->partners.count, sizeof *found);
    *ret_count = *ret_others = 0;
    for (size_t i = 0; i < record->holders.count; i++) {
        int32_t process = job_index_neighbour(job, thread->process, record->holders.items[i]);
        if (process == NOBODY)
            ++*ret_others;
        else
            found[(*ret_count)++] = (uint32_t) process;
    }
    for (size_t i = 0; i < record->partners.count; i++) {
        const struct job_place *place =
            job_index_place(job, job->processes[thread->process].world, record->partners.items[i]);
        if (place)
            found[(*ret_count)++] = place->process;
        else
            ++*ret_others;
    }
    if (HAS(record, THREAD_LOCK) && *ret_others == 0)
        *ret_count = keep_owners(job, record, found, *ret_count);
    return found;
}

// SPDX-License-Identifier: BSD-3-Clause
// What a thread does: in which MPI call it is, or what it waits for otherwise, from its stack and
// from what OpenMP says of it.
#ifndef MQSHOW_VERDICT_THREAD_ACTIVITY_H
#define MQSHOW_VERDICT_THREAD_ACTIVITY_H

#include "mqshow/base/mpi_calls.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/verdict/job_index.h"

struct entry;

enum doing {
    DOING_WORK, // runs the user's code, or polls
    DOING_REST, // sleeps until a time is over, at most, or until something comes from outside of
                // the job, and may then do anything
    DOING_MESSAGES,   // in a call that waits for operations
    DOING_COLLECTIVE, // in a collective call
    DOING_BARRIER,    // at a barrier of its parallel region
    DOING_LOCK,       // waits for something that another thread of the process can give
    DOING_TASKS,      // waits for OpenMP tasks that threads of the process execute
    DOING_ABSENT,     // waits for others of its team, of which some do not exist
    DOING_OUTSIDE,    // waits for what another process of the job does outside of the queues: for a
                      // file lock, a pipe, the epoch of a window
    DOING_IDLE,       // waits for work: nothing waits for it
    DOING_HELP,       // a thread of a library: it runs no code of the user
    DOING_UNKNOWN
};

struct thread_activity {
    enum doing doing;
    bool guessed;                // a lock: only the stack says so, not what it is
    const struct mpi_call *call; // where it is in one that waits
    const struct entry *entry;   // in a collective on a communicator that is certain; NULL: none
};

/** Judges a thread. */
struct thread_activity
thread_activity_of(const struct job_index *job, const struct job_thread *thread);

/** Whether several samples saw a thread move. */
bool thread_has_moved(const struct job_thread *thread);

/** Whether a thread waits for a device, such as a GPU. */
bool thread_waits_for_device(const struct job_thread *thread);

/** Whether a thread is in a collective of devices, in which it waits for processes of which it is
 * not known which they are. */
bool thread_waits_for_ranks(const struct job_thread *thread);

/** Whether it is known what a thread waits for in a futex. */
bool thread_has_object(const struct thread_record *record);

/** Whether it is also known which thread has that, or is to end. */
bool thread_has_owner(const struct thread_record *record);

/** Whether a thread waits for the end of that thread. */
bool thread_joins(const struct thread_record *record);

/** Whether that thread is not one of its process. */
bool thread_lacks_owner(const struct job_index *job, const struct job_thread *thread);

/** Whether a thread is at the barrier that ends its region. */
bool thread_is_at_end(const struct job_thread *thread);

/** How many of a thread's team do not exist in its process, at least: that has fewer threads. */
int64_t thread_absent(const struct job_index *job, const struct job_thread *thread);

/** Whether a thread waits for another thread of its process. */
bool thread_waits_inside(const struct thread_activity *activity);

/** Whether a thread in a call of MPI is seen to make progress with communication, or to yield until
 * there is some; false: it may do other work of the call, at a file for instance. */
bool thread_communicates(const struct job_thread *thread);

/** The call for messages that the library makes within the thread's call and in which it waits, by
 * its stack: a receive of MPI-IO's; NULL: none. */
const struct mpi_call *thread_inner_call(const struct job_thread *thread);

/** What is known of that, beyond that it does; NULL: nothing. */
const struct omp_wait_record *
thread_wait(const struct job_index *job, const struct job_thread *thread);

/** The processes of which one must act before a thread's call, of the system or of MPI, ends, in
 * the order of its record, to free().
 * @param ret_others how many others there are, which are not of the job or were not read
 */
uint32_t *thread_holders(const struct job_index *job, const struct job_thread *thread,
                         size_t *ret_count, size_t *ret_others);

/** A call to the system, or to a device, in which a thread waits for something outside of the job.
 */
struct system_call {
    const char *name;       // of the C function; NULL: none
    const char *one, *many; // "waits for a file lock", "wait for a file lock"
    bool for_ever;          // nothing but another process ends it
    bool device, ranks;     // it waits for a device; for others in a collective of devices
    bool library;           // which function is not known: the name is a library's
};

/** "device", "system call", "computes" of none: what it is as a cause. */
const char *system_call_word(const struct system_call *call);

/** Appends "waits for a file lock in flock()". */
void system_call_add(struct strbuf *words, const struct system_call *call, bool many);

/** The call to the system or to a device that the user's code is in, if that is known. */
struct system_call thread_system_call(const struct job_thread *thread);

#endif

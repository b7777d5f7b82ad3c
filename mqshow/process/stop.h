// SPDX-License-Identifier: BSD-3-Clause
// Stopping a process while it is read, and letting it go on.
//
// Whatever ends this program, a signal or SIGKILL included, the kernel detaches every thread that
// it has seized, and the thread goes on. That this holds at every moment, nothing is remembered
// here that the kernel would not know: a signal that stopped a thread stays with the thread.
#ifndef MQSHOW_PROCESS_STOP_H
#define MQSHOW_PROCESS_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stopped_thread {
    pid_t tid;
    bool halted;    // seen to have stopped
    bool gone;      // it has ended
    bool by_signal; // it was stopped by a signal before, and goes back to that when let go
};

struct stop {
    pid_t pid;
    struct stopped_thread *threads;
    size_t count;
    size_t capacity;
    size_t left; // threads that did not stop in time
};

/** Keeps this program from being stopped itself (Ctrl-Z) while it holds others; `false` ends that.
 */
void stop_hold(bool hold);

/** Asks every thread of a process to stop, without waiting.
 * @return 0, or the errno of the first thread that could not be seized: nothing is held then
 */
int stop_begin(struct stop *stop, pid_t pid);

/** Waits until every thread has stopped, those included that were born meanwhile.
 * @return number of threads that did not stop in time; their memory can be read all the same
 */
size_t stop_wait(struct stop *stop);

/** Lets every thread go on, and delivers the signals that arrived. One that was stopped by a signal
 * is so again afterwards, unless it gets no processor for 1 s. */
void stop_end(struct stop *stop);

/** Why a process cannot be seized and what to do about it, to free(): the same words for all of a
 * job that have the same reason.
 */
char *stop_explain(pid_t pid, int error);

/** Which threads did not stop, and why, to free(); NULL: all did. */
char *stop_explain_left(const struct stop *stop);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in a futex of GNU's C library or C++ runtime, and who is to end that.
//
// Functions on the stack say which sort of object the word of the futex is a part of; the value
// that the thread expects there says which part. What is not proved is left out.
#ifndef MQSHOW_STACK_FUTEX_OBJECT_H
#define MQSHOW_STACK_FUTEX_OBJECT_H

#include "mqshow/stack/threads.h"

struct futex_object {
    char *name;  // "mutex queue_lock", "a thread" of which the end is awaited; NULL: not known
    pid_t owner; // the thread that has it, or is to end; the process may have it no more; 0: not
                 // known
};

/** Finds it, for a thread that waits in a futex of its process alone. Its name is for free(). */
struct futex_object futex_object_find(const struct threads *threads, const struct thread *thread,
                                      const struct image *image);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of the threads of a process.
//
// What is read is confirmed by the process: code objects are of its PyCode_Type, a thread's state
// names its interpreter. Lists are limited; what was found before bad data is kept.
#ifndef MQSHOW_PYTHON_PYTHON_H
#define MQSHOW_PYTHON_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct image;

/** A function of a Python program. Texts are escaped, never NULL. */
struct python_frame {
    char *function, *file;
    int line;   // 0: not known
    bool entry; // the outermost of those that one activation of the interpreter evaluates
};

struct python_thread {
    pid_t tid;
    struct python_frame *frames; // innermost first
    size_t n_frames, capacity;
};

/** A global interpreter lock that a thread holds. */
struct python_gil {
    uint64_t addr;
    pid_t holder;
};

/** The last one that nothing has caught, so that the interpreter has printed it. */
struct python_exception {
    char *type;                  // its name, escaped; NULL: there is none, or it is not known
    struct python_frame *frames; // of its traceback, innermost first, as far as they are known
    size_t n_frames, capacity;
};

struct python {
    struct python_gil *gils;
    size_t n_gils, gils_capacity;
    struct python_thread *threads;
    size_t n_threads, capacity;
    struct python_exception exception; // of the main interpreter; gone when it has ended
    char *problem; // why not all was read; NULL: all was, or the process has no interpreter
};

/** Reads them; the process must stand still. python_deinit() frees it. */
void python_read(struct python *python, const struct image *image);

/** Who holds the lock that a thread in a call to the system waits for.
 * @param addr first argument of the call
 * @return 0: it waits for no such lock, or nobody is known to hold it
 */
pid_t python_gil_holder(const struct python *python, pid_t tid, uint64_t addr);

/** The frames of a thread; NULL: it runs no Python. */
const struct python_thread *python_thread(const struct python *python, pid_t tid);

void python_deinit(struct python *python);

/** Makes it none. */
void python_exception_deinit(struct python_exception *exception);

#endif

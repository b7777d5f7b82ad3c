// SPDX-License-Identifier: BSD-3-Clause
// A program that runs for us, and whose lines are read as they come.
#ifndef MQSHOW_BASE_SUBPROCESS_H
#define MQSHOW_BASE_SUBPROCESS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A command line. */
struct arguments {
    char **items; // ends with NULL
    size_t count, capacity;
};

/** Adds a copy of each; the last argument is NULL. */
void arguments_add(struct arguments *arguments, ...) __attribute__((sentinel));

void arguments_deinit(struct arguments *arguments);

/** One of its two outputs. */
struct subprocess_stream {
    int fd; // -1: it has ended
    char *line;
    size_t length, capacity;
};

struct subprocess {
    pid_t pid;        // 0: it does not run
    int end_signal;   // the signal by which it is asked to end
    int64_t patience; // on clock_us(), until it has to end; 0: it was not asked to
    struct subprocess_stream streams[2]; // standard output and standard error
    size_t first, count;                 // nodes that it is for
};

/** Starts a program, which reads nothing and gets its `end_signal` when this one ends.
 * @return false with errno set
 */
bool subprocess_start(struct subprocess *subprocess, char *const *argv);

/** What is done with a line, which ends with no '\n'. */
typedef void (*subprocess_line_ft)(void *context, const struct subprocess *subprocess,
                                   bool is_error, char *line);

/** Takes what has arrived on one output. A line that does not end is cut. */
void subprocess_receive(struct subprocess *subprocess, int stream, subprocess_line_ft take,
                        void *context);

/** Whether both outputs have ended. */
bool subprocess_is_over(const struct subprocess *subprocess);

/** Sends the program, if it still runs, and all that it has started its `end_signal`. */
void subprocess_terminate(struct subprocess *subprocess);

/** Ends them: terminates, and forces what does not comply soon. Several programs are best
 * terminated before the first of them is waited for. */
void subprocess_end(struct subprocess *subprocess);

#endif

// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Running other programs: with their output captured and a deadline, or in the background.
 */
#ifndef MQS_TESTS_LIVE_RUN_H
#define MQS_TESTS_LIVE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

enum { RUN_MAX_ARGS = 192 };

/** A command line that is put together word by word. */
struct command {
    const char *words[RUN_MAX_ARGS + 1];
    int count;
};

/** Appends words up to a NULL; aborts when there are too many. The words are not copied. */
void command_add(struct command *command, ...) __attribute__((sentinel));

/** Appends the words of a text that are parted by single spaces. Changes the text. */
void command_add_text(struct command *command, char *text);

/** What a program printed, and how it ended. */
struct outcome {
    char *out, *err; /**< its standard output and error, NUL terminated, on the heap */
    int status;      /**< of waitpid() */
    bool timed_out;  /**< it was killed at the deadline */
};

/** Runs a command to its end, or for `seconds` at most. Free the outcome with outcome_deinit(). */
struct outcome run(const struct command *command, int seconds);

void outcome_deinit(struct outcome *outcome);

/** Starts a command in a session of its own, which ends with this program.
 * @param variables what to set in its environment, "NAME=VALUE", up to a NULL
 * @param output    file for its standard output and error
 * @return its process id
 */
pid_t run_in_background(const struct command *command, char *const *variables, const char *output);

/** Makes the processes that their parents leave behind children of this one. Call it first. */
void run_adopt_orphans(void);

/** Kills every process that descends from this one, and waits for them. */
void run_kill_all(void);

/** Seconds since some moment in the past. */
double run_clock(void);

void run_sleep_ms(long milliseconds);

/** The content of a file, NUL terminated, on the heap; NULL if it cannot be read. */
char *run_read_file(const char *path);

/** A formatted text on the heap. */
char *run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

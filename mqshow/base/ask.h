// SPDX-License-Identifier: BSD-3-Clause
// What a program prints: a question to a resource manager.
#ifndef MQSHOW_BASE_ASK_H
#define MQSHOW_BASE_ASK_H

#include <stdbool.h>

struct arguments;

/** What it has printed, within limits; neither is trusted. */
struct answer {
    char *text;      // lines that end with '\n'; "": nothing
    char *complaint; // on standard error, as one line; NULL: nothing
};

/** Whether the PATH leads to a program. */
bool ask_is_there(const char *program);

/** Runs a program, whose words are freed, and takes what it prints.
 * @param seconds after which it is ended, which is complained about
 */
struct answer ask(struct arguments *words, int seconds);

void answer_deinit(struct answer *answer);

#endif

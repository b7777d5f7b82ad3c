// SPDX-License-Identifier: BSD-3-Clause
// What there is to tell the user about a process: a few lines, each once.
#ifndef MQS_MESSAGES_H
#define MQS_MESSAGES_H

#include <stdbool.h>

enum {
    MESSAGES = 16,      // kept; what comes later is counted
    MESSAGE_TEXT = 384, // bytes with the NUL; longer ones are cut
};

struct messages {
    unsigned count;
    unsigned lost; // that found no room
    char text[MESSAGES][MESSAGE_TEXT];
    char more[64];
};

/** Forgets all. */
void messages_clear(struct messages *messages);

/** Keeps a line, unless it is there already. @return whether it is new */
bool messages_add(struct messages *messages, const char *text);

/** Line number `index`; NULL past the last. The last line may tell how many were lost. */
const char *messages_at(struct messages *messages, unsigned index);

#endif

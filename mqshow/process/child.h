// SPDX-License-Identifier: BSD-3-Clause
// A copy of this program that works for it: it takes requests from one pipe and answers with
// packets in another. It ends when its parent does.
#ifndef MQSHOW_PROCESS_CHILD_H
#define MQSHOW_PROCESS_CHILD_H

#include "mqshow/process/packet.h"

#include <sys/types.h>

struct child {
    pid_t pid; // 0: it does not run
    int requests, replies;
    struct packet packet; // what has arrived of a reply
};

/** What it does, until it exits. */
typedef void (*child_ft)(void *context, int requests, int replies);

/** Starts it. @return false when that cannot be */
bool child_start(struct child *child, child_ft work, void *context);

/** Ends it at once, unless it has ended. @return the signal or status that it ended with */
const char *child_kill(struct child *child);

/** Ends it when it has nothing to do: it sees the end of its requests. */
void child_end(struct child *child);

/** In another child: closes the pipes of one that the parent has. */
void child_leave(const struct child *other);

#endif

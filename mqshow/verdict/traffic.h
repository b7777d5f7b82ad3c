// SPDX-License-Identifier: BSD-3-Clause
// Whether messages are on their way between two processes, as the numbers of messages sent and
// received tell. Two samples at different times will do: a process that is seen to wait for a
// message goes on waiting as long as no more are sent than it has received.
#ifndef MQSHOW_VERDICT_TRAFFIC_H
#define MQSHOW_VERDICT_TRAFFIC_H

#include "mqshow/verdict/job_index.h"

enum traffic {
    TRAFFIC_UNKNOWN, // not both have such numbers
    TRAFFIC_NONE,    // all that was sent has arrived
    TRAFFIC_MOVING,  // some have not
    TRAFFIC_AHEAD    // the receiver was read later, and has received what was sent meanwhile
};

/** A communicator, a sender and a receiver, and what they have counted. */
struct channel {
    uint32_t comm; // of the receiver
    uint32_t to, from;
    int64_t sent, received;
};

struct channels {
    const struct job_index *job;
    struct channel *items; // by communicator, receiver, sender
    size_t count, capacity;
    bool *whole; // by communicator: all members have such numbers
};

void channels_init(struct channels *channels, const struct job_index *job);
void channels_deinit(struct channels *channels);

/** Whether messages are on their way to a member of a communicator.
 * @param from one of the peers; NULL: any of them
 */
enum traffic channels_ask(const struct channels *channels, const struct job_member *to,
                          const struct job_member *from);

#endif

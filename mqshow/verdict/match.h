// SPDX-License-Identifier: BSD-3-Clause
// Sends, unexpected messages and receives put together as MPI would match them.
#ifndef MQSHOW_VERDICT_MATCH_H
#define MQSHOW_VERDICT_MATCH_H

#include "mqshow/verdict/traffic.h"

/** A message that is on its way or has arrived, or a receive: what matching looks at. */
struct envelope_of {
    uint32_t comm; // of the receiver
    uint32_t to;   // process
    int32_t from;  // rank among the peers; ANY
    int32_t tag;   // ANY
    int32_t stage; // what comes first
    uint32_t order;
    uint32_t op;
};

struct envelopes {
    struct envelope_of *items;
    size_t count, capacity;
};

/** Sets fate, certain, match, paired and too_long of all operations. */
void match_all(struct jobview *view, const struct channels *channels);

/** Steps of match_all(): which sends are the unexpected messages of the receivers, or what their
 * receives have taken already; and which receives will take which messages.
 * @param messages those that no receive has taken yet, for match_receives()
 */
void match_records(struct jobview *view, struct envelopes *messages);
void match_receives(struct jobview *view, struct envelopes *messages);

/** Adds an envelope. */
void envelopes_add(struct envelopes *envelopes, struct envelope_of envelope);

/** Orders by communicator, receiver, sender, tag, stage, order. */
void envelopes_sort(struct envelopes *envelopes);

/** Compares communicator, receiver, sender and tag of envelopes, which
 * buckets begin with. */
int envelopes_compare(const void *a, const void *b);

#endif

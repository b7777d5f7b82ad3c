// SPDX-License-Identifier: BSD-3-Clause
// The nonblocking collectives of a process that are not complete.
#ifndef MQS_NONBLOCKING_H
#define MQS_NONBLOCKING_H

#include "mqs/adapter.h"
#include "mqs_ext.h"

enum { NONBLOCKING_MAX = 256 };

/** What is known of each, in the order in which it was found. */
struct nonblocking_table {
    uint32_t count;
    bool is_part; // there are more
    struct nonblocking_item {
        uint32_t comm;
        int64_t sequence; // NO_SEQUENCE: not known
        taddr request;    // 0: not known
        bool persistent;
        bool has_other;   // than receives for which no message has come
        uint32_t n_peers; // more than MQS_NBC_PEERS_MAX: not all of them are known
        int32_t peers[MQS_NBC_PEERS_MAX];
    } items[NONBLOCKING_MAX];
};

/** Takes what was found of one. */
void nonblocking_add(struct nonblocking_table *table, const struct nonblocking *found);

/** Puts a request of which no sequence is known together with what was found of messages, where
 * there is but one of each on a communicator; after all were added. */
void nonblocking_pair(struct nonblocking_table *table);

/** Gives the one of a communicator with this index among its own.
 * @return STATUS_END past the last, STATUS_UNSUPPORTED if there may be more */
enum status nonblocking_get(const struct nonblocking_table *table, uint32_t comm, int index,
                            mqs_nonblocking_collective *ret);

#endif

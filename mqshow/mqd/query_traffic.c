// SPDX-License-Identifier: BSD-3-Clause
// Asking a library how many messages went to and came from the processes of a communicator.
#include "mqshow/base/alloc.h"
#include "mqshow/mqd/query.h"

#include <stdlib.h>

enum { TRAFFIC_MAX = 4096 }; // processes; of who talks with more, nothing is reported

void
query_traffic(struct query *query, struct communicator *comm)
{
    bool known = HAS(comm, comm->inter ? COMM_REMOTE_GROUP : COMM_GROUP);
    const struct ranks *peers = comm->inter ? &comm->remote_group : &comm->group;
    if (!known || query->dll->mqs_get_comm_traffic == NULL)
        return;
    for (int64_t i = 0; i < peers->count; i++) {
        struct peer_traffic traffic = {.rank = (int32_t) ranks_get(peers, i)};
        int code = query->dll->mqs_get_comm_traffic(query->process, (int) i, &traffic.sent,
                                                    &traffic.received);
        bool is_silent = traffic.sent == 0 && traffic.received == 0;
        if (code != mqs_ok ||
            (!is_silent && (traffic.rank < 0 || comm->traffic.count >= TRAFFIC_MAX))) {
            comm->traffic.count = 0;
            return;
        }
        comm->traffic.items = alloc_grow(comm->traffic.items, comm->traffic.count,
                                         &comm->traffic.capacity, sizeof traffic);
        if (!is_silent)
            comm->traffic.items[comm->traffic.count++] = traffic;
    }
    comm->has |= 1u << COMM_TRAFFIC;
}

// SPDX-License-Identifier: BSD-3-Clause
// Asking a library how many messages went to and came from the processes of a communicator.
#include "tools/alloc.h"
#include "tools/gather.h"

#include <stdlib.h>

enum { TRAFFIC_MAX = 4096 }; // processes; of who talks with more, nothing is told

void
gather_traffic(struct gathering *gathering, struct communicator *comm)
{
    const int *peers = comm->inter ? comm->remote_group : comm->group;
    int64_t size = comm->inter ? comm->remote_size : comm->size;
    size_t capacity = 0;
    if (peers == NULL || gathering->dll->mqs_get_comm_traffic == NULL)
        return;
    for (int64_t i = 0; i < size; i++) {
        struct traffic traffic = {.rank = peers[i]};
        int code = gathering->dll->mqs_get_comm_traffic(gathering->process, (int) i, &traffic.sent,
                                                        &traffic.received);
        bool is_silent = traffic.sent == 0 && traffic.received == 0;
        if (code != mqs_ok || (!is_silent && (peers[i] < 0 || comm->n_traffic >= TRAFFIC_MAX))) {
            free(comm->traffic);
            comm->traffic = NULL;
            comm->n_traffic = 0;
            return;
        }
        comm->traffic = alloc_grow(comm->traffic, comm->n_traffic, &capacity, sizeof traffic);
        if (!is_silent)
            comm->traffic[comm->n_traffic++] = traffic;
    }
}

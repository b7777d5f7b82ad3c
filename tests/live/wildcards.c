// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with specific and wildcard receives interleaved on two communicators, over which they
// then wait: MPI_Waitall, MPI_Waitany, MPI_Waitsome, MPI_Wait. With the argument "others" no
// receive is from the rank itself: where messages of a node do not go through the network, a
// receive from the node and one from another node have no order, since no message is for both.
#include "live.h"

#include <string.h>

// Who: the distance from the own rank, or anyone.
enum { MYSELF = 0, NEXT = 1, OPPOSITE = 2, PREVIOUS = 3, ANYONE = 4 };

enum { RECEIVES = 10 };

static const struct {
    int who, tag, count;
} plan[RECEIVES] = {
    {ANYONE, 5, 1},           {PREVIOUS, 5, 2},
    {PREVIOUS, 7, 3}, // the only message is for this one
    {ANYONE, MPI_ANY_TAG, 4}, {OPPOSITE, MPI_ANY_TAG, 5},
    {PREVIOUS, 7, 6},         {MYSELF, 8, 7},
    {ANYONE, 5, 8},           {NEXT, 0, 0},
    {OPPOSITE, 32767, 9},
};

enum { TAKEN = 2 };

static bool only_others;

static int
peer(int who, int rank)
{
    if (who == MYSELF && only_others)
        who = NEXT;
    return who == ANYONE ? MPI_ANY_SOURCE : (rank + who) % 4;
}

// Posts the plan, then takes the one message, which must go to plan[TAKEN]; leaves the other
// requests.
static void
post_plan(const struct live *live, struct truth_comm *comm, MPI_Request requests[RECEIVES])
{
    struct post posts[RECEIVES];
    for (int i = 0; i < RECEIVES; i++)
        posts[i] = post_receive(comm, peer(plan[i].who, live->rank), plan[i].tag, plan[i].count,
                                MPI_FLOAT);
    MPI_Barrier(truth_handle(comm));
    MPI_Send(NULL, 0, MPI_FLOAT, (live->rank + 1) % 4, 7, truth_handle(comm));
    post_collect(&posts[TAKEN]);
    for (int i = 0; i < RECEIVES; i++)
        requests[i] = posts[i].request;
}

// The tags of all requests that are left.
static int
list_tags(int tags[2 * RECEIVES])
{
    int count = 0;
    for (int i = 0; i < 2 * RECEIVES; i++) {
        if (i % RECEIVES != TAKEN)
            tags[count++] = plan[i % RECEIVES].tag;
    }
    return count;
}

static void
wait_for(int rank, MPI_Request requests[2 * RECEIVES])
{
    int index, indices[2 * RECEIVES], tags[2 * RECEIVES], count = list_tags(tags);
    MPI_Status statuses[2 * RECEIVES];
    if (rank == 0) {
        TRUTH_CALL("MPI_Waitall", 2, "all", tags, count);
        truth_write();
        MPI_Waitall(2 * RECEIVES, requests, statuses);
    } else if (rank == 1) {
        TRUTH_CALL("MPI_Waitany", 2, "any", tags, count);
        truth_write();
        MPI_Waitany(2 * RECEIVES, requests, &index, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        TRUTH_CALL("MPI_Waitsome", 2, "any", tags, count);
        truth_write();
        MPI_Waitsome(2 * RECEIVES, requests, &index, indices, statuses);
    } else {
        TRUTH_CALL("MPI_Wait", 2, "all", &plan[RECEIVES - 1].tag, 1);
        truth_write();
        MPI_Wait(&requests[RECEIVES - 1], MPI_STATUS_IGNORE);
    }
}

int
main(int argc, char **argv)
{
    MPI_Comm second;
    MPI_Request requests[2 * RECEIVES];
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    only_others = argc > 1 && strcmp(argv[1], "others") == 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    post_plan(&live, live_name(second, "second"), requests);
    post_plan(&live, live.world, requests + RECEIVES);
    wait_for(live.rank, requests);
    return 1;
}

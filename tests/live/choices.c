// SPDX-License-Identifier: BSD-3-Clause
// Three ranks: the second one is in MPI_Recv from the first; what the first one needs and whether
// the last one can give it is what the cases differ in.
//
//   choices waitany     the first is in MPI_Waitany for both others, the last computes
//   choices waitall     the same with MPI_Waitall, which needs both
//   choices others      the first is in MPI_Waitany for the second and for a barrier of all
//   choices any         the first is in MPI_Recv from any source, the last computes
//   choices nobody      the same, but the last is in MPI_Recv from the first, too
//   choices computing   the first two are in MPI_Recv from the last, which computes
#include "live.h"
#include "truth_verdict.h"

#include <string.h>

enum { RANKS = 3, FIRST = 0, SECOND = 1, LAST = 2, TAG = 61 };

static void
receive_from(const struct live *live, int source)
{
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(source));
    truth_unmatched(live->world, "receives", TAG);
    block_in_receive(live->world, source, TAG, 2, MPI_DOUBLE);
}

static void
wait_for_both(const struct live *live, const char *call, const char *needs)
{
    int index;
    MPI_Status statuses[2];
    struct post posts[] = {post_receive(live->world, SECOND, TAG, 2, MPI_DOUBLE),
                           post_receive(live->world, LAST, TAG, 2, MPI_DOUBLE)};
    MPI_Request requests[] = {posts[0].request, posts[1].request};
    truth_unmatched(live->world, "receives", TAG);
    truth_unmatched(live->world, "receives", TAG);
    truth_wait(call, needs, &TRUTH_RANKS(SECOND, LAST));
    truth_write();
    if (strcmp(call, "MPI_Waitany") == 0)
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    else
        MPI_Waitall(2, requests, statuses);
}

static void
waitany(const struct live *live)
{
    wait_for_both(live, "MPI_Waitany", "any");
}

static void
wait_for_others(const struct live *live)
{
    int index;
    struct post post = post_receive(live->world, SECOND, TAG, 2, MPI_DOUBLE);
    MPI_Request requests[] = {post.request, MPI_REQUEST_NULL};
    truth_unmatched(live->world, "receives", TAG);
    // Neither of the others has begun the barrier.
    truth_wait("MPI_Waitany", "any", &TRUTH_RANKS(SECOND, LAST));
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    truth_write();
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void
waitall(const struct live *live)
{
    wait_for_both(live, "MPI_Waitall", "all");
}

static void
from_any(const struct live *live)
{
    truth_wait("MPI_Recv", "any", &TRUTH_RANKS(SECOND, LAST));
    truth_unmatched(live->world, "receives", TAG);
    block_in_receive(live->world, MPI_ANY_SOURCE, TAG, 2, MPI_DOUBLE);
}

static void
from_first(const struct live *live)
{
    receive_from(live, FIRST);
}

static void
from_last(const struct live *live)
{
    receive_from(live, LAST);
}

static void
computes(const struct live *live)
{
    (void) live;
    truth_write();
    live_compute();
}

// NOT_TOLD: there are two, and either will do.
enum cycles { NONE, OF_FIRST_TWO, NOT_TOLD };

static const struct {
    const char *name, *verdict;
    enum cycles cycles;
    void (*hang[RANKS])(const struct live *);
} cases[] = {
    {"waitany", "no deadlock seen", NONE, {waitany, from_first, computes}},
    {"waitall", "deadlock", OF_FIRST_TWO, {waitall, from_first, computes}},
    {"others", "no deadlock seen", NONE, {wait_for_others, from_first, computes}},
    {"any", "no deadlock seen", NONE, {from_any, from_first, computes}},
    {"nobody", "deadlock", NOT_TOLD, {from_any, from_first, from_first}},
    {"computing", "no deadlock seen", NONE, {from_last, from_last, computes}},
};

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, RANKS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc < 2 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        truth_verdict(cases[i].verdict);
        if (cases[i].cycles == OF_FIRST_TWO)
            truth_cycle(&TRUTH_RANKS(FIRST, SECOND));
        if (cases[i].cycles == NOT_TOLD)
            truth_cycles_unknown();
        cases[i].hang[live.rank](&live);
    }
    return 1;
}

// SPDX-License-Identifier: BSD-3-Clause
// Two ranks: the second one asks and waits for the answer; the first one never gets the question,
// because it was sent with another tag or on another communicator than it is received with.
//
//   mismatch tag | communicator
#include "live.h"
#include "truth_verdict.h"

#include <string.h>

enum { CLIENT = 1, SERVER = 0, QUESTION = 41, ANSWER = 42, WRONG = 43 };

static void
serve(const struct live *live, struct truth_comm *comm, struct truth_comm *used, int tag)
{
    gate_pass(used, CLIENT);
    truth_unexpected(used, CLIENT, tag, EAGER_BYTES);
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(CLIENT));
    truth_unmatched(used, "unexpected", tag);
    truth_unmatched(comm, "receives", QUESTION);
    truth_near_miss(live->rank, comm == used ? "other tag" : "other communicator", tag);
    block_in_receive(comm, CLIENT, QUESTION, EAGER_BYTES, MPI_BYTE);
}

static void
ask(struct truth_comm *comm, struct truth_comm *used, int tag)
{
    send_unexpected(used, SERVER, tag, EAGER_BYTES);
    gate_open(used, SERVER);
    truth_wait("MPI_Recv", "all", &TRUTH_RANKS(SERVER));
    truth_unmatched(comm, "receives", ANSWER);
    block_in_receive(comm, SERVER, ANSWER, EAGER_BYTES, MPI_BYTE);
}

int
main(int argc, char **argv)
{
    MPI_Comm copies[2];
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 2);
    bool other_tag = argc > 1 && strcmp(argv[1], "tag") == 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[1]);
    struct truth_comm *right = live_name(copies[0], "right"),
                      *wrong = live_name(copies[1], "wrong");
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, 1));
    if (live.rank == SERVER)
        serve(&live, right, other_tag ? right : wrong, other_tag ? WRONG : QUESTION);
    else
        ask(right, other_tag ? right : wrong, other_tag ? WRONG : QUESTION);
    return 1;
}

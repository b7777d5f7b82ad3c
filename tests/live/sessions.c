// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with communicators that are made of groups of a session, and of no other communicator:
// what number one has in a process's tables is that process's own. Where there are no sessions, as
// before MPI 4, MPI_COMM_WORLD takes part.
//
//   sessions queues    operations are pending on them
//   sessions barrier   all but the last one are in a barrier on one of them; that one is
//                      in MPI_Recv
#include "live.h"
#include "truth_verdict.h"

#include <string.h>

// Open MPI 5 has them, and says that it is MPI 3.1.
#ifdef OMPI_MAJOR_VERSION
#define HAS_SESSIONS (MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5)
#else
#define HAS_SESSIONS (MPI_VERSION >= 4)
#endif

enum { RANKS = 4, LAST = RANKS - 1, SENT_TAG = 21, AWAITED_TAG = 22 };

static MPI_Group world;
static bool lacks_sessions = !HAS_SESSIONS; // so does PML ucx of Open MPI 5.0

static MPI_Comm
make(MPI_Group group, const char *tag)
{
    MPI_Comm comm;
#if HAS_SESSIONS
    if (!lacks_sessions && MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                      &comm) == MPI_SUCCESS)
        return comm;
    lacks_sessions = true;
#endif
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag[0], &comm);
    return comm;
}

static void
open_session(void)
{
#if HAS_SESSIONS
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
#else
    MPI_Comm_group(MPI_COMM_WORLD, &world);
#endif
}

// Processes have different numbers of communicators, so that no two have the same number left.
static void
shift_numbers(const struct live *live)
{
    for (int i = 0; i < live->rank; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        live_name(comm, (const char *[]){"own 1", "own 2", "own 3"}[i]);
    }
}

static MPI_Comm
bridge_halves(const struct live *live, MPI_Comm half, MPI_Group mine, MPI_Group theirs)
{
    MPI_Comm comm;
    if (lacks_sessions)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, live->rank % 2 == 0 ? 1 : 2, 77, &comm);
#if HAS_SESSIONS
    else
        MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "bridge", MPI_INFO_NULL,
                                         MPI_ERRORS_ARE_FATAL, &comm);
#endif
    (void) mine, (void) theirs;
    // It has a communicator of its own half inside.
    truth_hidden_comms(1);
    return comm;
}

// A message to the next member that it does not receive, and a receive that nobody sends to.
static void
use(struct truth_comm *comm)
{
    int rank, size;
    MPI_Comm_rank(truth_handle(comm), &rank);
    MPI_Comm_size(truth_handle(comm), &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    send_unexpected(comm, next, SENT_TAG, 8 + rank);
    gate_open(comm, next);
    gate_pass(comm, previous);
    truth_unexpected(comm, previous, SENT_TAG, 8 + previous);
    post_receive(comm, next, AWAITED_TAG, 1 + rank, MPI_SHORT);
    post_receive(comm, MPI_ANY_SOURCE, AWAITED_TAG, 1, MPI_INT);
}

static void
leave_queues(const struct live *live)
{
    static const int halves[2][2] = {{2, 0}, {1, 3}};
    MPI_Group group, others;
    MPI_Comm comm = make(world, "whole"), half;
    use(live_name(comm, "whole"));
    MPI_Comm_dup(comm, &comm);
    use(live_name(comm, "copy of whole"));
    MPI_Group_incl(world, 2, halves[live->rank % 2], &group);
    MPI_Group_incl(world, 2, halves[1 - live->rank % 2], &others);
    half = make(group, live->rank % 2 == 0 ? "even" : "odd");
    use(live_name(half, live->rank % 2 == 0 ? "even" : "odd"));
    use(live_name(bridge_halves(live, half, group, others), "bridge"));
    use(truth_comm(make(world, "unnamed")));
    live_park();
}

static void
wait_in_barrier(const struct live *live)
{
    struct truth_comm *solver = live_name(make(world, "solver"), "solver");
    truth_verdict("deadlock");
    truth_cycle(&TRUTH_RANKS(0, LAST));
    if (live->rank == LAST) {
        truth_wait("MPI_Recv", "all", &TRUTH_RANKS(0));
        truth_unmatched(solver, "receives", SENT_TAG);
        block_in_receive(solver, 0, SENT_TAG, 1, MPI_INT);
    }
    truth_collective(solver, "barrier");
    truth_wait("MPI_Barrier", "all", &TRUTH_RANKS(LAST));
    truth_incomplete(solver, "barrier", &TRUTH_RANKS(0, 1, 2), &TRUTH_RANKS(LAST), NULL);
    truth_write();
    MPI_Barrier(truth_handle(solver));
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, RANKS);
    open_session();
    shift_numbers(&live);
    if (argc > 1 && strcmp(argv[1], "queues") == 0)
        leave_queues(&live);
    wait_in_barrier(&live);
    return 1;
}

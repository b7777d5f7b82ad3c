// SPDX-License-Identifier: BSD-3-Clause
// What holds ranks up: processes that are stopped or dead, ranks that are elsewhere, mistakes.
#include "tests/verdict/check_verdict.h"

/** All ranks but one are in a barrier. */
static json_t *
barrier_without(int ranks, int but)
{
    json_t *job = made_job(ranks);
    for (int i = 0; i < ranks; i++)
        if (i != but)
            made_collective(job, i, 0, "barrier");
    return job;
}

/** Takes from a process all that a debugger cannot read of it. */
static void
forget(const json_t *job, int rank)
{
    json_t *process = made_process(job, rank);
    json_object_del(process, "communicators");
    json_object_del(process, "threads");
}

static void
set_state(const json_t *job, int rank, const char *state, const char *signal)
{
    json_object_set_new(made_process(job, rank), "state", json_string(state));
    if (signal != NULL)
        json_object_set_new(made_process(job, rank), "signal", json_string(signal));
}

static void
expect_line(json_t *job, const char *kind, const char *line, const char *what, const char *ranks)
{
    json_t *judged = judge(job), *cause = json_object_get(judged, "cause");
    check_text(judged, line);
    ck_assert_str_eq(json_string_value(json_object_get(judged, "kind")), kind);
    ck_assert_str_eq(json_string_value(json_object_get(cause, "what")), what);
    check_member(cause, "ranks", ranks);
    json_decref(judged);
}

/** Three ranks have begun a nonblocking collective, and each awaits a message of the next one. */
static json_t *
nonblocking_ring(int waiting)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++) {
        json_t *of = made_nonblocking(job, i, 0, 5, (i + 1) % 3);
        if (i < waiting)
            made_wait(job, i, 0, "MPI_Wait", "all", of, (json_t *) NULL);
    }
    return job;
}

static json_t *
nonblocking_of(const json_t *job, int rank)
{
    return json_array_get(json_object_get(made_communicator(job, rank, 0), "nonblocking"), 0);
}

START_TEST(nonblocking_misfit)
{
    json_t *job = nonblocking_ring(3), *still;
    json_t *judged = judge(json_deep_copy(job));
    check_member(judged, "kind", "\"unknown\"");
    check_text(judged, "possible deadlock: ranks 0-2 wait for nonblocking collectives that do not "
                       "fit each other");
    json_decref(judged);
    made_settled(job);
    still = json_deep_copy(job);
    judged = judge(job);
    check_member(judged, "kind", "\"deadlock\"");
    check_member(judged, "cycles", "[[0,1,2]]");
    check_fact(judged, "all have begun it, and none of its messages comes: do they call the same "
                       "one, with the same root and sizes?");
    json_decref(judged);
    // One has got its message, whose data may be on its way, or is done with it.
    job = json_deep_copy(still);
    json_object_set_new(nonblocking_of(job, 1), "unmatched", json_false());
    expect(job, "unknown", "[]");
    // An older document does not tell.
    job = json_deep_copy(still);
    json_object_del(nonblocking_of(job, 1), "unmatched");
    expect(job, "unknown", "[]");
    // A persistent one may be in its next turn.
    json_object_set_new(nonblocking_of(still, 1), "persistent", json_true());
    expect(still, "unknown", "[]");
}
END_TEST

START_TEST(nonblocking_and_work)
{
    // It sends what the others need when it comes to call MPI.
    json_t *job = nonblocking_ring(2);
    expect(json_deep_copy(job), "no deadlock seen", "[]");
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 0, 7), (json_t *) NULL);
    made_settled(job);
    expect_line(job, "deadlock", "DEADLOCK: ranks 0 -> 1 -> 2 -> 0 wait for each other", "cycle",
                "[0,1,2]");
}
END_TEST

// Whose communicators are gone in MPI_Finalize has not begun what it has sent nothing in.
START_TEST(nonblocking_and_finalize)
{
    for (int settled = 0; settled < 2; settled++) {
        json_t *job = made_job(2);
        made_wait(job, 1, 0, "MPI_Wait", "all", made_nonblocking(job, 1, 0, 5, 0), (json_t *) NULL);
        made_call(job, 0, 0, "MPI_Finalize");
        json_object_set_new(made_process(job, 0), "communicators", json_array());
        if (settled)
            made_settled(job);
        expect(job, settled ? "deadlock" : "unknown", settled ? "[[0,1]]" : "[]");
    }
}
END_TEST

START_TEST(nonblocking_is_done)
{
    // The others are done with it, though one of them was to send: it has, or it was another one.
    json_t *job = nonblocking_ring(1);
    for (int i = 1; i < 3; i++)
        json_object_del(made_communicator(job, i, 0), "nonblocking");
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    json_t *still = json_deep_copy(job);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_text(judged, "possible deadlock: ");
    json_decref(judged);
    made_settled(still);
    expect(still, "deadlock", "[[0,1]]");
}
END_TEST

/** Rank 0 waits for one of two that it has begun, of which it is not known which request is whose;
 * rank 1 has sent what belongs to those before `next`, and waits for a message of rank 0. */
static json_t *
one_of_two(int next)
{
    json_t *job = made_job(2), *array, *requests[2];
    for (int i = 0; i < 2; i++) {
        json_t *of = made_nonblocking(job, 0, 0, 5 + i, 1);
        requests[i] = json_pack("{s:O}", "request", json_object_get(of, "request"));
        json_object_del(of, "request");
        json_object_set_new(of, "unmatched", json_boolean(5 + i >= next));
    }
    array = json_object_get(made_communicator(job, 0, 0), "nonblocking");
    for (int i = 0; i < 2; i++)
        json_array_append_new(array, requests[i]);
    made_wait(job, 0, 0, "MPI_Wait", "all", requests[0], (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    json_object_set_new(made_communicator(job, 1, 0), "next_nonblocking", json_integer(next));
    made_settled(job);
    return job;
}

START_TEST(nonblocking_one_of_two)
{
    expect(one_of_two(5), "deadlock", "[[0,1]]");
    // Of one of them the messages are there: it may be the one that is waited for.
    expect(one_of_two(6), "unknown", "[]");
    // A request more than there are collectives: one of them is over.
    json_t *job = one_of_two(5);
    json_array_append_new(json_object_get(made_communicator(job, 0, 0), "nonblocking"),
                          json_pack("{s:s}", "request", "0x99"));
    expect(job, "unknown", "[]");
}
END_TEST

START_TEST(nonblocking_on_two)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        made_comm(job, i, "mesh", 8, i, json_pack("[i,i]", 0, 1));
        made_wait(job, i, 0, "MPI_Wait", "all", made_nonblocking(job, i, i, 1, 1 - i),
                  (json_t *) NULL);
        json_object_set_new(made_communicator(job, i, 1 - i), "next_nonblocking", json_integer(1));
    }
    expect_line(job, "deadlock",
                "DEADLOCK: rank 0 waits for a nonblocking collective on MPI_COMM_WORLD, rank 1 for "
                "one on mesh",
                "nonblocking collectives", "[0,1]");
}
END_TEST

START_TEST(stopped)
{
    json_t *job = barrier_without(4, 2);
    set_state(job, 2, "stopped", "SIGSTOP");
    expect_line(job, "hang", "rank 2 is stopped (SIGSTOP): ranks 0,1,3 wait for it", "stopped",
                "[2]");
}
END_TEST

START_TEST(stopped_in_a_cycle)
{
    // What it waits for may be there: it cannot look.
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    set_state(job, 1, "stopped", NULL);
    made_settled(job);
    json_object_set_new(made_process(job, 1), "settled", json_false());
    expect_line(job, "hang", "rank 1 is stopped: rank 0 waits for it", "stopped", "[1]");
}
END_TEST

START_TEST(held)
{
    json_t *job = barrier_without(3, 1), *process = made_process(job, 1);
    forget(job, 1);
    set_state(job, 1, "traced", NULL);
    json_object_set_new(process, "tracer", json_integer(19556));
    json_object_set_new(process, "tracer_name", json_string("gdb"));
    expect_line(job, "hang", "rank 1 is held by gdb (pid 19556): ranks 0,2 wait for it", "traced",
                "[1]");
}
END_TEST

START_TEST(dead)
{
    // A receiver that nothing is known of, either.
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Send", "all", made_send(job, 0, 1, 7), (json_t *) NULL);
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 1, 7), (json_t *) NULL);
    forget(job, 1);
    set_state(job, 1, "zombie", "SIGKILL");
    expect_line(job, "hang", "rank 1 is dead (SIGKILL): ranks 0,2 wait for it", "dead", "[1]");
}
END_TEST

// What another thread of the one that waits does cannot end the wait.
START_TEST(gone_for_a_thread)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_sleeping(job, 0, "clock_nanosleep", "time", true);
    made_openmp(job, 0, "work_parallel", 2);
    made_settled(job);
    forget(job, 1);
    set_state(job, 1, "gone", NULL);
    expect_line(job, "hang", "rank 1 is gone: rank 0 waits for it", "gone", "[1]");
}
END_TEST

START_TEST(two_states)
{
    json_t *job = barrier_without(5, 2);
    json_object_del(made_communicator(job, 3, 0), "collectives");
    forget(job, 3);
    set_state(job, 2, "stopped", "SIGSTOP");
    set_state(job, 3, "gone", NULL);
    json_t *judged = judge(job);
    check_text(judged, "rank 3 is gone: ranks 0,1,4 wait for it");
    check_fact(judged, "rank 2 is stopped (SIGSTOP)");
    json_decref(judged);
}
END_TEST

START_TEST(stopped_in_the_middle)
{
    // The receive has met the long message, whose data only the sender can bring.
    json_t *job = made_job(2);
    json_t *receive = made_receive(job, 0, 1, 7);
    json_object_set_new(receive, "status", json_string("matched"));
    made_wait(job, 0, 0, "MPI_Recv", "all", receive, (json_t *) NULL);
    set_state(job, 1, "stopped", "SIGSTOP");
    expect_line(job, "hang", "rank 1 is stopped (SIGSTOP): rank 0 waits for it", "stopped", "[1]");
}
END_TEST

START_TEST(stopped_in_a_barrier)
{
    // Rank 1 may have left it, while rank 0 waits for what rank 2 has not sent yet.
    json_t *job = barrier_without(3, 1);
    json_object_del(made_communicator(job, 1, 0), "collectives");
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_settled(job);
    expect(json_deep_copy(job), "deadlock", "[[0,1]]");
    set_state(job, 2, "stopped", "SIGSTOP");
    expect_line(json_deep_copy(job), "hang", "rank 2 is stopped (SIGSTOP): ranks 0,1 wait for it",
                "stopped", "[2]");
    forget(job, 2);
    set_state(job, 2, "zombie", "SIGKILL");
    expect_line(job, "hang", "rank 2 is dead (SIGKILL): ranks 0,1 wait for it", "dead", "[2]");
}
END_TEST

START_TEST(nobody_waits_for_it)
{
    json_t *job = made_job(2);
    set_state(job, 1, "stopped", "SIGSTOP");
    expect_line(job, "no deadlock seen",
                "rank 1 is stopped (SIGSTOP); no deadlock seen of the others", "stopped", "[1]");
}
END_TEST

/** A rank is stopped that has counted a message, which is not there, to one that waits for it. */
static json_t *
stopped_while_it_sends(void)
{
    json_t *job = made_job(3);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 1, 7), (json_t *) NULL);
    made_traffic(job, 0, 1, 5, 4);
    made_traffic(job, 1, 0, 4, 4);
    set_state(job, 0, "stopped", "SIGSTOP");
    return job;
}

// What does not come while its receiver waits has not left the sender.
START_TEST(stopped_in_a_send)
{
    json_t *job = stopped_while_it_sends();
    expect_line(json_deep_copy(job), "unknown",
                "rank 0 is stopped (SIGSTOP); cannot tell whether rank 1 waits for it", "stopped",
                "[0]");
    made_settled(job);
    expect_line(job, "hang", "rank 0 is stopped (SIGSTOP): ranks 1,2 wait for it", "stopped",
                "[0]");
}
END_TEST

// Rank 2 waits for rank 1, to whom rank 0 has given its part of the broadcast, or is yet to.
START_TEST(stopped_before_or_behind_a_broadcast)
{
    json_t *job = made_job(3);
    made_collective(job, 2, 0, "bcast");
    json_object_set_new(
        json_array_get(json_object_get(made_communicator(job, 2, 0), "collectives"), 0), "peers",
        json_pack("[i]", 1));
    set_state(job, 0, "stopped", "SIGSTOP");
    expect_line(job, "unknown",
                "rank 0 is stopped (SIGSTOP); cannot tell whether rank 2 waits for it", "stopped",
                "[0]");
}
END_TEST

START_TEST(stopped_and_not_needed)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    set_state(job, 2, "stopped", "SIGSTOP");
    expect_line(job, "deadlock", "DEADLOCK: ranks 0 -> 1 -> 0 wait for each other in MPI_Recv",
                "cycle", "[0,1]");
}
END_TEST

START_TEST(all_have_ended)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++) {
        set_state(job, i, i < 2 ? "gone" : "zombie", NULL);
        forget(job, i);
    }
    json_t *judged = judge(job);
    ck_assert_str_eq(json_string_value(json_object_get(judged, "text")), "ranks 0,1 are gone");
    json_decref(judged);
}
END_TEST

START_TEST(in_finalize)
{
    // It has given up its communicators, and is a member of the others' all the same.
    json_t *job = barrier_without(4, 2);
    made_call(job, 2, 0, "MPI_Finalize");
    json_object_set_new(made_process(job, 2), "communicators", json_array());
    made_settled(job);
    expect_line(
        job, "deadlock",
        "DEADLOCK: rank 2 is in MPI_Finalize, ranks 0,1,3 are in MPI_Barrier on MPI_COMM_WORLD",
        "collectives", "[2]");
}
END_TEST

START_TEST(in_finalize_without_communicators)
{
    // MPICH's communicators are gone in MPI_Finalize, and the last rank is dead.
    json_t *job = made_job(3);
    for (int i = 0; i < 2; i++) {
        made_call(job, i, 0, "MPI_Finalize");
        json_object_set_new(made_process(job, i), "communicators", json_array());
    }
    forget(job, 2);
    set_state(job, 2, "zombie", "SIGKILL");
    made_settled(job);
    expect_line(job, "hang", "rank 2 is dead (SIGKILL): ranks 0,1 wait for it", "dead", "[2]");
}
END_TEST

START_TEST(sends_to_one_in_finalize)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Ssend", "all", made_send(job, 0, 1, 7), (json_t *) NULL);
    made_call(job, 1, 0, "MPI_Finalize");
    json_object_set_new(made_process(job, 1), "communicators", json_array());
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

static void
set_phase(const json_t *job, int rank, const char *phase)
{
    json_object_set_new(made_process(job, rank), "mpi", json_pack("{s:s}", "phase", phase));
}

START_TEST(past_finalize)
{
    json_t *job = barrier_without(3, 1);
    json_object_set_new(made_process(job, 1), "communicators", json_array());
    set_phase(job, 1, "not in use");
    expect_line(job, "hang", "rank 1 is past MPI_Finalize: ranks 0,2 wait for it",
                "after MPI_Finalize", "[1]");
}
END_TEST

START_TEST(before_init)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++)
        json_object_set_new(made_process(job, i), "communicators", json_array());
    for (int i = 0; i < 2; i++)
        made_call(job, i, 0, "MPI_Init");
    json_object_set_new(made_process(job, 2), "mpi",
                        json_pack("{s:s}", "phase", "before MPI_Init"));
    expect_line(job, "no deadlock seen",
                "no deadlock seen: rank 2 has not called MPI_Init in compute at solve.c:88, ranks "
                "0,1 wait",
                "computes", "[2]");
}
END_TEST

START_TEST(without_a_library)
{
    // They may not have loaded it yet; what has moved goes on, whatever is not known of it.
    json_t *job = made_job(3);
    for (int i = 1; i < 3; i++)
        json_object_set_new(made_process(job, i), "communicators", json_array());
    json_t *judged = judge(json_deep_copy(job));
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "unseen", "[\"the MPI library of ranks [1,2]\"]");
    json_decref(judged);
    for (int i = 1; i < 3; i++)
        json_object_set_new(made_process(job, i), "settled", json_false());
    judged = judge(job);
    check_text(judged, "no deadlock seen: ranks 1,2 moved between two samples");
    check_member(judged, "unseen", "[]");
    json_decref(judged);
}
END_TEST

START_TEST(other_tag)
{
    json_t *job = made_job(4);
    made_wait(job, 1, 0, "MPI_Ssend", "all", made_rendezvous(job, 1, 3, 99), (json_t *) NULL);
    made_wait(job, 3, 0, "MPI_Recv", "all", made_receive(job, 3, 1, 0), (json_t *) NULL);
    expect_line(job, "deadlock", "DEADLOCK: rank 1 sends tag 99 to rank 3, which receives tag 0",
                "message", "[1,3]");
}
END_TEST

START_TEST(messages_sent_ahead)
{
    // Two messages that the receiver will take later are no mistake.
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    for (int tag = 8; tag < 10; tag++)
        json_object_del(made_op(job, 0, 0, "unexpected", 1, tag, 4), "request");
    expect_line(job, "deadlock", "DEADLOCK: ranks 0 -> 1 -> 0 wait for each other in MPI_Recv",
                "cycle", "[0,1]");
}
END_TEST

START_TEST(one_component)
{
    // Ranks 2 and 3 are in a barrier of their own, and are no part of the knot of 0 and 1.
    json_t *job = made_job(4);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    for (int i = 2; i < 4; i++)
        made_comm(job, i, "pair", 5, i - 2, json_pack("[i, i]", 2, 3));
    made_collective(job, 2, 1, "barrier");
    json_t *judged = judge(job);
    check_text(judged, "DEADLOCK: ranks 0 -> 1 -> 0 wait for each other in MPI_Recv");
    check_member(judged, "facts", "[]");
    json_decref(judged);
}
END_TEST

/** A thread whose stack ends in a lock. */
static void
lock(const json_t *job, int rank, const char *function)
{
    json_t *thread = json_array_get(json_object_get(made_process(job, rank), "threads"), 0);
    json_array_insert_new(
        json_object_get(thread, "stack"), 0,
        json_pack("{s:s, s:s}", "function", function, "module", "/lib/x86_64-linux-gnu/libc.so.6"));
}

START_TEST(lock_of_its_own)
{
    // Nobody holds it, for all that is known: a queue that is filled by a clock or a signal.
    json_t *job = made_job(2);
    lock(job, 0, "__pthread_cond_wait");
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "cycles", "[]");
    check_text(judged, "rank 0 waits for another thread, rank 1 waits for it");
    check_member(judged, "unseen", "[\"who ends the wait for another thread in rank 0\"]");
    check_member(json_object_get(judged, "cause"), "ranks", "[0]");
    json_decref(judged);
}
END_TEST

START_TEST(root_of_a_gather)
{
    // Ranks 2 and 3 have been in the gather, rank 1 has not: all three are in the next barrier.
    json_t *job = barrier_without(4, 0);
    made_collective(job, 0, 0, "gather");
    json_object_set_new(
        json_array_get(json_object_get(made_communicator(job, 0, 0), "collectives"), 0), "peers",
        json_pack("[i]", 1));
    made_settled(job);
    json_t *judged = judge(json_deep_copy(job));
    check_member(judged, "cycles", "[[0,1]]");
    check_fact(judged, "cycle: 0 -> 1 -> 0");
    json_decref(judged);
    expect_line(
        job, "deadlock",
        "DEADLOCK: rank 0 is in MPI_Gather waiting for rank 1, ranks 1-3 are in MPI_Barrier",
        "not entered", "[1]");
}
END_TEST

START_TEST(in_different_calls)
{
    // Nobody but ranks 0 and 1 is in the barrier; rank 2 receives, rank 3 probes.
    json_t *job = made_job(4);
    made_collective(job, 0, 0, "barrier");
    made_collective(job, 1, 0, "barrier");
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 0, 7), (json_t *) NULL);
    made_wait(job, 3, 0, "MPI_Waitall", "all", made_receive(job, 3, 1, 7), (json_t *) NULL);
    made_settled(job);
    expect_line(job, "deadlock",
                "DEADLOCK: rank 2 is in MPI_Recv, rank 3 is in MPI_Waitall, ranks 0,1 are in "
                "MPI_Barrier",
                "not entered", "[2,3]");
}
END_TEST

START_TEST(file_operation)
{
    // It writes, or waits for the others: only the queues tell.
    json_t *job = barrier_without(4, 1);
    made_call(job, 1, 0, "MPI_File_write_all");
    made_settled(job);
    expect(json_deep_copy(job), "unknown", "[]");
    json_object_set_new(made_communicator(job, 1, 0), "collectives",
                        json_pack("[{s:s, s:b}]", "name", "allreduce", "active", 1));
    expect_line(job, "deadlock",
                "DEADLOCK: rank 1 is in MPI_File_write_all, ranks 0,2,3 are in MPI_Barrier",
                "collectives", "[1]");
}
END_TEST

/** A thread of rank 1 in a collective call on a file, which was given a communicator. */
static json_t *
opens_file(const char *function)
{
    json_t *job = barrier_without(3, 1);
    json_t *thread = json_array_get(json_object_get(made_process(job, 1), "threads"), 0);
    made_call(job, 1, 0, "MPI_File_open");
    json_object_set_new(thread, "communicator", json_string("0x1000"));
    json_object_set_new(thread, "stack",
                        json_pack("[{s:s, s:s}]", "function", function, "module",
                                  "/lib/x86_64-linux-gnu/libc.so.6"));
    json_object_set_new(made_communicator(job, 1, 0), "address", json_string("0x1000"));
    made_settled(job);
    return job;
}

START_TEST(file_opened)
{
    // The others may have left it, as long as it works at the file.
    expect(opens_file("__open64"), "unknown", "[]");
    expect_line(opens_file("__sched_yield"), "deadlock",
                "DEADLOCK: rank 1 is in MPI_File_open, ranks 0,2 are in MPI_Barrier", "collectives",
                "[1]");
}
END_TEST

START_TEST(file_lock)
{
    json_t *job = barrier_without(3, 1);
    lock(job, 1, "flock");
    made_settled(job);
    expect_line(job, "hang",
                "rank 1 waits for a file lock in flock() in compute at solve.c:88: ranks 0,2 wait "
                "for it",
                "system call", "[1]");
}
END_TEST

START_TEST(all_read)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        lock(job, i, "__GI___libc_read");
        json_t *thread = json_array_get(json_object_get(made_process(job, i), "threads"), 0);
        json_object_set_new(thread, "frame", json_object());
    }
    made_settled(job);
    json_t *judged = judge(json_deep_copy(job));
    check_member(json_array_get(json_object_get(judged, "groups"), 0), "situation",
                 "\"in read()\"");
    json_decref(judged);
    expect_line(job, "no deadlock seen", "no deadlock seen: ranks 0,1 read in read()",
                "system call", "[0,1]");
}
END_TEST

START_TEST(some_read)
{
    // Each in its words, the most probable cause first.
    json_t *job = made_job(4);
    made_collective(job, 0, 0, "barrier");
    made_collective(job, 3, 0, "barrier");
    made_call(job, 1, 0, "MPI_Iprobe");
    lock(job, 2, "read");
    expect_line(job, "no deadlock seen",
                "no deadlock seen: rank 2 reads in read(), rank 1 polls, ranks 0,3 wait for them",
                "system call", "[2]");
}
END_TEST

START_TEST(one_is_not_seen)
{
    json_t *job = barrier_without(4, 1);
    json_array_remove(json_object_get(job, "processes"), 3);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(json_object_get(json_array_get(json_object_get(judged, "waits"), 0), "collective"),
                 "not_seen", "1");
    json_decref(judged);
}
END_TEST

START_TEST(without_names)
{
    json_t *job = made_job(1);
    json_t *thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
    json_object_set_new(thread, "frame", json_object());
    json_t *judged = judge(job);
    check_member(json_array_get(json_object_get(judged, "groups"), 0), "situation",
                 "\"in an unnamed function\"");
    json_decref(judged);
}
END_TEST

/** What the program has called is left out of a line that would be too long. */
START_TEST(computes_in_a_library)
{
    static const char function[] = "a_function_whose_name_is_so_long_that_the_line_has_no_room";
    static const char file[] = "/usr/lib/python3/dist-packages/jax/array.py";
    json_t *job = made_job(2);
    json_t *thread = json_array_get(json_object_get(made_process(job, 1), "threads"), 0);
    json_t *frame = json_pack("{s:s, s:s, s:i, s:s}", "function", function, "file", file, "line", 3,
                              "language", "python");
    json_object_set(thread, "frame", frame);
    json_object_set_new(thread, "stack",
                        json_pack("[o, {s:s, s:s, s:i, s:s}]", frame, "function", "step", "file",
                                  "/home/me/job.py", "line", 6, "language", "python"));
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_settled(job);
    expect_line(job, "no deadlock seen",
                "no deadlock seen: rank 1 computes in step at job.py:6, rank 0 waits for it",
                "computes", "[1]");
}
END_TEST

#define LIBC  "libc.so.6"
#define SOLVE "solve||/home/me/a.out"

/** Frames from the innermost on, "function|symbol|module", and what is said of the exit; none is
 * said where only words look like it. */
static const struct {
    const char *says; // NULL: nothing
    const char *frames[6];
} endings[] = {
    {"exit() from solve at solve.c:9",
     {"finalize||/home/me/a.out", "||" LIBC, "exit||" LIBC, SOLVE}},
    {"exit() from solve at solve.c:9", {"exit@@GLIBC_2.2.5||" LIBC, SOLVE}},
    {"exit()", {"exit||" LIBC, "||/home/me/stripped"}},
    {"main has returned",
     {"exit||" LIBC, "||" LIBC, "__libc_start_main||" LIBC, "_start||/home/me/a.out"}},
    {"quick_exit() from solve at solve.c:9", {"quick_exit||" LIBC, SOLVE}},
    {"abort() from solve at solve.c:9",
     {"on_abort||/home/me/a.out", "raise||" LIBC, "abort||" LIBC, SOLVE}},
    {"std::terminate() from solve at solve.c:9",
     {"||/usr/lib/libstdc++.so.6", "std::terminate|_ZSt9terminatev|/usr/lib/libstdc++.so.6",
      "__cxa_throw||/usr/lib/libstdc++.so.6", SOLVE}},
    {"STOP from solve at solve.c:9",
     {"exit||" LIBC, "_gfortran_stop_numeric||/usr/lib/libgfortran.so.5", SOLVE}},
    {"ERROR STOP from solve at solve.c:9",
     {"exit||" LIBC, "_gfortran_error_stop_string||/usr/lib/libgfortran.so.5", SOLVE}},
    {"Python's interpreter ends",
     {"ompi_mpi_finalize||libmpi.so.40", "||/usr/bin/python3.11",
      "Py_RunMain||/usr/bin/python3.11"}},
    {"Python's interpreter ends",
     {"at_end|python|", "_PyEval_EvalFrameDefault||/usr/bin/python3.11",
      "Py_FinalizeEx||/usr/bin/python3.11", "Py_RunMain||/usr/bin/python3.11"}},
    {"Python's interpreter ends by SystemExit",
     {"||/usr/bin/python3.11", "Py_Exit||/usr/lib/libpython3.11.so.1.0",
      "Py_RunMain||/usr/lib/libpython3.11.so.1.0"}},
    {"Python's interpreter ends",
     {"||/usr/bin/python3.11", "Py_Exit||/usr/bin/python3.11", "leave||/home/me/extension.so",
      "Py_RunMain||/usr/bin/python3.11"}},
    {NULL,
     {"solve|python|", "_PyEval_EvalFrameDefault||/usr/bin/python3.11",
      "Py_RunMain||/usr/bin/python3.11"}},
    {NULL,
     {"Py_FinalizeEx||/usr/lib/libpython3.11.so.1.0",
      SOLVE}}, // it is embedded, and the program goes on
    {NULL, {"exit||/home/me/a.out", SOLVE}},
    {NULL, {"std::terminate|_ZSt9terminatev|/home/me/a.out", SOLVE}},
    {NULL, {"pthread_exit||" LIBC, SOLVE}},
};

/** Puts frames into the stack of a rank's thread. */
static void
set_stack(const json_t *job, int rank, const char *const *frames)
{
    json_t *thread = json_array_get(json_object_get(made_process(job, rank), "threads"), 0),
           *stack = json_array();
    for (; *frames; frames++) {
        char function[64] = "", symbol[64] = "", module[64] = "";
        const char *first = strchr(*frames, '|'), *second = strchr(first + 1, '|');
        snprintf(function, sizeof function, "%.*s", (int) (first - *frames), *frames);
        snprintf(symbol, sizeof symbol, "%.*s", (int) (second - first - 1), first + 1);
        snprintf(module, sizeof module, "%s", second + 1);
        bool is_python = strcmp(symbol, "python") == 0;
        json_t *frame = json_object();
        if (*function)
            json_object_set_new(frame, "function", json_string(function));
        if (*symbol)
            json_object_set_new(frame, is_python ? "language" : "symbol", json_string(symbol));
        if (*module)
            json_object_set_new(frame, "module", json_string(module));
        if (strcmp(*frames, SOLVE) == 0) {
            json_object_set_new(frame, "file", json_string("/home/me/solve.c"));
            json_object_set_new(frame, "line", json_integer(9));
        }
        json_array_append_new(stack, frame);
    }
    json_object_set_new(thread, "stack", stack);
    json_object_set_new(thread, "stack_complete", json_true());
}

START_TEST(exits)
{
    char line[200];
    json_t *job = barrier_without(3, 1);
    made_call(job, 1, 0, "MPI_Finalize");
    set_stack(job, 1, endings[_i].frames);
    made_settled(job);
    snprintf(line, sizeof line,
             "DEADLOCK: rank 1 is %s%s%sin MPI_Finalize%s ranks 0,2 are in MPI_Barrier",
             endings[_i].says ? "exiting: " : "", endings[_i].says ? endings[_i].says : "",
             endings[_i].says ? ", " : "", endings[_i].says ? ";" : ",");
    json_t *judged = judge(job);
    const char *text = json_string_value(json_object_get(judged, "text"));
    ck_assert_msg(strncmp(text, line, strlen(line)) == 0, "%s: %s", line, text);
    ck_assert_uint_le(strlen(text), 140);
    if (endings[_i].says)
        check_member(json_object_get(judged, "cause"), "what", "\"exiting\"");
    json_decref(judged);
}
END_TEST

/** Which exception it was, and the program's line of its traceback; none is named where Python's
 * interpreter does not end, or ends by SystemExit. */
START_TEST(exits_after_an_exception)
{
    static const struct {
        const char *says, *end;
    } cases[] = {
        {"exiting after LinAlgError from solve at job.py:12, in ",
         "Py_FinalizeEx||/usr/bin/python3.11"},
        {"exiting: Python's interpreter ends by SystemExit, in ", "Py_Exit||/usr/bin/python3.11"},
        {"in ", "PyRun_AnyFileExFlags||/usr/bin/python3.11"},
    };
    const char *frames[] = {"at_end|python|", cases[_i].end, "Py_RunMain||/usr/bin/python3.11",
                            NULL};
    char line[200];
    json_t *job = barrier_without(3, 1);
    made_call(job, 1, 0, "MPI_Allreduce");
    set_stack(job, 1, frames);
    json_object_set_new(made_process(job, 1), "uncaught_exception",
                        json_pack("{s:s, s:[{s:s, s:s, s:i, s:s}, {s:s, s:s, s:i, s:s}]}", "type",
                                  "LinAlgError", "stack", "function", "raise_it", "file",
                                  "/usr/lib/python3/dist-packages/numpy/linalg/linalg.py", "line",
                                  3, "language", "python", "function", "solve", "file",
                                  "/home/me/job.py", "line", 12, "language", "python"));
    made_settled(job);
    snprintf(line, sizeof line, "DEADLOCK: rank 1 is %sMPI_Allreduce", cases[_i].says);
    json_t *judged = judge(job);
    const char *text = json_string_value(json_object_get(judged, "text"));
    ck_assert_msg(strncmp(text, line, strlen(line)) == 0, "%s: %s", line, text);
    const char *rank = "Python's interpreter ends after LinAlgError from solve at job.py:12";
    char *document = json_dumps(judged, 0);
    ck_assert_int_eq(_i == 0, strstr(document, rank) != NULL);
    free(document);
    json_decref(judged);
}
END_TEST

START_TEST(exits_while_another_receives)
{
    json_t *job = made_job(2);
    made_call(job, 0, 0, "MPI_Finalize");
    set_stack(job, 0, endings[0].frames);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "text",
                 "\"DEADLOCK: rank 0 is exiting: exit() from solve at solve.c:9, in MPI_Finalize; "
                 "rank 1 is in MPI_Recv\"");
    check_member(json_object_get(judged, "cause"), "ranks", "[0]");
    json_decref(judged);
}
END_TEST

// Who exits each in a way of its own exits, too.
START_TEST(exit_in_several_ways)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 2; i++) {
        made_call(job, i, 0, "MPI_Finalize");
        set_stack(job, i, endings[3 * i].frames);
    }
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 0, 7), (json_t *) NULL);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "text",
                 "\"DEADLOCK: ranks 0,1 are exiting, in MPI_Finalize; rank 2 is in MPI_Recv\"");
    check_member(json_object_get(judged, "cause"), "what", "\"exiting\"");
    json_decref(judged);
}
END_TEST

/** Rank 0 exits, ranks 1 and 2 are elsewhere, and two threads rest. */
static json_t *
exits_beside_others(const char *call)
{
    json_t *job = made_job(3);
    made_call(job, 0, 0, "MPI_Finalize");
    set_stack(job, 0, (const char *const[]){"exit||" LIBC, "||/home/me/stripped", NULL});
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_collective(job, 2, 0, call);
    for (int i = 1; i < 3; i++)
        made_sleeping(job, i, "clock_nanosleep", "time", true);
    made_settled(job);
    return job;
}

static void
expect_text(json_t *job, const char *text)
{
    json_t *judged = judge(job);
    ck_assert_str_eq(json_string_value(json_object_get(judged, "text")), text);
    ck_assert_uint_le(strlen(text), 140);
    json_decref(judged);
}

// What does not fit is left out; no name is cut.
START_TEST(exits_unless_threads_send)
{
    expect_text(exits_beside_others("scan"),
                "DEADLOCK unless one of 2 threads that rest sends: rank 0 is exiting: exit(), in "
                "MPI_Finalize; rank 1 is in MPI_Recv, rank 2 is in MPI_Scan");
    expect_text(exits_beside_others("allreduce"),
                "DEADLOCK unless one of 2 threads that rest sends: rank 0 is exiting, in "
                "MPI_Finalize; rank 1 is in MPI_Recv, rank 2 is in MPI_Allreduce");
}
END_TEST

// Its words are those of the line with the thread's place, but for that.
START_TEST(other_communicator_unless_a_thread_sends)
{
    static const char name[] = "a_communicator_whose_name_leaves_no_room_in_the_line";
    json_t *job = made_job(2), *receive;
    for (int i = 0; i < 2; i++)
        made_comm(job, i, name, 8, i, json_pack("[i,i]", 0, 1));
    receive = made_op(job, 1, 1, "receives", 0, 7, 8);
    made_wait(job, 0, 0, "MPI_Ssend", "all", made_rendezvous(job, 0, 1, 7), (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", receive, (json_t *) NULL);
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    made_settled(job);
    expect_text(job, "DEADLOCK unless rank 1's thread 2001 sends: rank 0 sends tag 7 to rank 1, "
                     "which receives on another communicator");
}
END_TEST

Suite *
suite_causes(void)
{
    const TTest *const tests[] = {stopped,
                                  nonblocking_misfit,
                                  nonblocking_and_work,
                                  nonblocking_and_finalize,
                                  nonblocking_is_done,
                                  nonblocking_one_of_two,
                                  nonblocking_on_two,
                                  stopped_in_a_cycle,
                                  held,
                                  dead,
                                  two_states,
                                  stopped_and_not_needed,
                                  all_have_ended,
                                  stopped_in_the_middle,
                                  stopped_in_a_send,
                                  stopped_before_or_behind_a_broadcast,
                                  nobody_waits_for_it,
                                  in_finalize,
                                  in_finalize_without_communicators,
                                  sends_to_one_in_finalize,
                                  before_init,
                                  all_read,
                                  some_read,
                                  one_is_not_seen,
                                  without_names,
                                  without_a_library,
                                  gone_for_a_thread,
                                  stopped_in_a_barrier,
                                  past_finalize,
                                  other_tag,
                                  messages_sent_ahead,
                                  one_component,
                                  lock_of_its_own,
                                  root_of_a_gather,
                                  in_different_calls,
                                  file_operation,
                                  file_opened,
                                  file_lock,
                                  computes_in_a_library,
                                  exits_while_another_receives,
                                  exit_in_several_ways,
                                  exits_unless_threads_send,
                                  other_communicator_unless_a_thread_sends};
    Suite *suite = suite_create("causes");
    TCase *tcase = tcase_create("causes");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, exits, 0, sizeof endings / sizeof *endings);
    tcase_add_loop_test(tcase, exits_after_an_exception, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}

// SPDX-License-Identifier: BSD-3-Clause
// Communicators: which are the same one, and collectives on them.
#include "tests/verdict/check_verdict.h"

START_TEST(missing_member)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 3; i++)
        made_collective(job, i, 0, "barrier");
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"no deadlock seen\"");
    check_text(judged,
               "no deadlock seen: rank 3 computes in compute at solve.c:88, ranks 0-2 wait");
    check_member(judged, "collectives",
                 "[{\"communicator\":\"MPI_COMM_WORLD\",\"communicator_id\":0,\"name\":\"barrier\","
                 "\"in\":[0,1,2],\"missing\":[3]}]");
    json_decref(judged);
}
END_TEST

START_TEST(missing_member_waits)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 3; i++)
        made_collective(job, i, 0, "barrier");
    made_wait(job, 3, 0, "MPI_Recv", "all", made_receive(job, 3, 1, 7), (json_t *) NULL);
    expect(json_deep_copy(job), "unknown", "[[1,3]]");
    made_settled(job);
    expect(job, "deadlock", "[[1,3]]");
}
END_TEST

START_TEST(different_collectives)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++)
        made_collective(job, i, 0, i < 2 ? "barrier" : "allreduce");
    made_settled(job);
    expect(job, "deadlock", "[[0,2]]");
}
END_TEST

START_TEST(parts_of_a_collective)
{
    // The queues tell of the reduce that an allreduce is made of.
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        made_collective(job, i, 0, i == 0 ? "reduce" : "bcast");
        made_call(job, i, 0, "MPI_Allreduce");
    }
    expect(json_incref(job), "no deadlock seen", "[]");
    // All are in it, and yet it does not end.
    made_settled(job);
    expect(job, "unknown", "[]");
}
END_TEST

START_TEST(all_are_in_it)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++)
        made_collective(job, i, 0, "barrier");
    expect(job, "no deadlock seen", "[]");
}
END_TEST

START_TEST(sibling_splits)
{
    // Two halves with one id: 0 waits for 1, 2 for 3, and nobody for the other half.
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++)
        made_comm(job, i, "half", 3, i % 2,
                  i < 2 ? json_pack("[i, i]", 0, 1) : json_pack("[i, i]", 2, 3));
    made_op(job, 0, 1, "receives", 1, 7, 4);
    made_op(job, 3, 1, "receives", 0, 7, 4);
    made_collective(job, 2, 1, "barrier");
    json_t *judged = judge(job);
    check_member(
        judged, "collectives",
        "[{\"communicator\":\"half\",\"communicator_id\":3,\"name\":\"barrier\",\"in\":[2],"
        "\"missing\":[3]}]");
    ck_assert_uint_eq(json_array_size(json_object_get(judged, "unmatched")), 2);
    json_decref(judged);
}
END_TEST

/** Ranks 0 and 1 on one side, 2 on the other; each side has its own id and name. */
static json_t *
intercommunicator(void)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 2; i++)
        made_inter(job, i, made_comm(job, i, "left", 3, i, json_pack("[i, i]", 0, 1)),
                   json_pack("[i]", 2));
    made_inter(job, 2, made_comm(job, 2, "right", 4, 0, json_pack("[i]", 2)),
               json_pack("[i, i]", 0, 1));
    return job;
}

START_TEST(intercommunicator_matches)
{
    json_t *job = intercommunicator();
    made_wait(job, 2, 0, "MPI_Recv", "all", made_op(job, 2, 1, "receives", 1, 7, 4),
              (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Send", "all", made_op(job, 1, 1, "sends", 0, 7, 4), (json_t *) NULL);
    expect(job, "no deadlock seen", "[]");
}
END_TEST

START_TEST(intercommunicator_cycle)
{
    json_t *job = intercommunicator();
    made_wait(job, 2, 0, "MPI_Recv", "all", made_op(job, 2, 1, "receives", 1, 7, 4),
              (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_op(job, 1, 1, "receives", 0, 7, 4),
              (json_t *) NULL);
    expect(job, "deadlock", "[[1,2]]");
}
END_TEST

START_TEST(missing_ranks)
{
    json_t *job = made_job(4);
    json_array_remove(json_object_get(job, "processes"), 3);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 3, 7), (json_t *) NULL);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "unseen", "[\"1 of the 4 ranks of MPI_COMM_WORLD: [3]\"]");
    json_decref(judged);
    // Of a cycle among those that are there, nobody else can help out.
    job = made_job(4);
    json_array_remove(json_object_get(job, "processes"), 3);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(several_worlds)
{
    // A job of two that has started another one: both count from 0.
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++) {
        json_t *process = made_process(job, i);
        json_object_set_new(process, "rank", json_integer(i % 2));
        json_object_set_new(process, "world", json_string(i < 2 ? "first" : "second"));
        json_object_set_new(made_communicator(job, i, 0), "group", json_pack("[i, i]", 0, 1));
        json_object_set_new(made_communicator(job, i, 0), "size", json_integer(2));
        json_object_set_new(made_communicator(job, i, 0), "local_rank", json_integer(i % 2));
    }
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 1, 7), (json_t *) NULL);
    made_wait(job, 3, 0, "MPI_Recv", "all", made_receive(job, 3, 0, 7), (json_t *) NULL);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"deadlock\"");
    check_member(judged, "cycles", "[[2,3]]");
    check_member(judged, "ranks_are", "\"indices of processes\"");
    json_decref(judged);
}
END_TEST

START_TEST(unread_cores)
{
    // Two cores are truncated: the others keep their ranks.
    json_t *job = made_job(4), *processes = json_object_get(job, "processes");
    for (int i = 2; i < 4; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 5 - i, 7), (json_t *) NULL);
    for (int i = 0; i < 2; i++)
        json_array_set_new(processes, (size_t) i,
                           json_pack("{s:o, s:s, s:[], s:[]}", "core",
                                     json_sprintf("/tmp/core.%d", i), "image", "", "communicators",
                                     "messages"));
    json_t *judged = judge(job);
    check_member(judged, "cycles", "[[2,3]]");
    ck_assert_ptr_null(json_object_get(judged, "ranks_are"));
    const json_t *groups = json_object_get(judged, "groups");
    check_member(json_array_get(groups, 1), "ranks", "\"[]\"");
    check_member(json_array_get(groups, 1), "count", "2");
    check_member(json_array_get(groups, 0), "ranks", "\"[2,3]\"");
    json_decref(judged);
}
END_TEST

START_TEST(communicator_across_worlds)
{
    // Two jobs of one rank each, and a communicator of both.
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        json_t *process = made_process(job, i), *world = made_communicator(job, i, 0);
        json_object_set_new(process, "rank", json_integer(0));
        json_object_set_new(process, "world", json_string(i == 0 ? "first" : "second"));
        json_object_set_new(world, "group", json_pack("[i]", 0));
        json_object_set_new(world, "size", json_integer(1));
        json_object_set_new(world, "local_rank", json_integer(0));
        made_comm(job, i, "family", 5, i,
                  i == 0 ? json_pack("[i, i]", 0, -1) : json_pack("[i, i]", -1, 0));
        made_wait(job, i, 0, "MPI_Recv", "all", made_op(job, i, 1, "receives", 1 - i, 7, 4),
                  (json_t *) NULL);
    }
    made_uncounted(job);
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(equal_situations)
{
    json_t *job = made_job(5);
    for (int i = 0; i < 5; i++)
        if (i != 3)
            made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 3, 7), (json_t *) NULL);
    json_t *judged = judge(job);
    check_member(judged, "groups",
                 "[{\"ranks\":\"[0-2,4]\",\"count\":4,\"situation\":\"MPI_Recv in exchange at "
                 "ring.c:17\"},{\"ranks\":\"[3]\",\"count\":1,\"situation\":\"in compute at "
                 "solve.c:88\"}]");
    json_decref(judged);
}
END_TEST

Suite *
suite_groups(void)
{
    const TTest *const tests[] = {missing_member,
                                  missing_member_waits,
                                  different_collectives,
                                  all_are_in_it,
                                  sibling_splits,
                                  parts_of_a_collective,
                                  missing_ranks,
                                  intercommunicator_matches,
                                  intercommunicator_cycle,
                                  equal_situations,
                                  several_worlds,
                                  unread_cores,
                                  communicator_across_worlds};
    Suite *suite = suite_create("groups");
    TCase *tcase = tcase_create("groups");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

// SPDX-License-Identifier: BSD-3-Clause
// Messages: who waits for which, and which never match.
#include "tests/verdict/check_verdict.h"

#include "mqshow/verdict/export.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Every rank is in MPI_Recv from the next one. */
static json_t *
ring(int ranks)
{
    json_t *job = made_job(ranks);
    for (int i = 0; i < ranks; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, (i + 1) % ranks, 7),
                  (json_t *) NULL);
    return job;
}

static char *
made_csv(const json_t *job)
{
    struct verdict verdict;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    export_csv(&verdict, out);
    verdict_deinit(&verdict);
    document_destroy(document);
    fclose(out);
    return text;
}

START_TEST(sends_to_each_other)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Send", "all", made_rendezvous(job, i, 1 - i, 7), (json_t *) NULL);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"deadlock\"");
    check_member(judged, "cycles", "[[0,1]]");
    check_text(judged, "DEADLOCK: ranks 0 -> 1 -> 0 wait for each other in MPI_Send");
    json_decref(judged);
}
END_TEST

START_TEST(cycles_of_receives)
{
    expect(ring(2), "deadlock", "[[0,1]]");
    expect(ring(3), "deadlock", "[[0,1,2]]");
    expect(ring(16), "deadlock", "[[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]]");
}
END_TEST

START_TEST(receives_from_itself)
{
    expect(ring(1), "deadlock", "[[0]]");
}
END_TEST

START_TEST(two_cycles)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, i ^ 1, 7), (json_t *) NULL);
    expect(job, "deadlock", "[[0,1],[2,3]]");
}
END_TEST

START_TEST(message_on_its_way)
{
    json_t *job = ring(3);
    made_traffic(job, 1, 0, 5, 2);
    made_traffic(job, 0, 1, 2, 4);
    expect(job, "no deadlock seen", "[]");
    job = ring(3);
    made_traffic(job, 1, 0, 65540, 2);
    made_traffic(job, 0, 1, 2, 4);
    expect(job, "deadlock", "[[0,1,2]]");
}
END_TEST

START_TEST(uncounted_messages)
{
    json_t *job = ring(3);
    made_uncounted(job);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "cycles", "[[0,1,2]]");
    check_text(judged, "possible deadlock");
    check_fact(judged, "one sample cannot rule out");
    json_decref(judged);
    job = ring(3);
    made_uncounted(job);
    made_settled(job);
    expect(job, "deadlock", "[[0,1,2]]");
    job = ring(3);
    made_uncounted(job);
    json_object_set_new(made_process(job, 1), "settled", json_false());
    expect(job, "no deadlock seen", "[]");
}
END_TEST

START_TEST(wrong_tag)
{
    json_t *job = ring(2);
    made_op(job, 0, 0, "unexpected", 1, 8, 4);
    json_t *judged = judge(job), *first = json_array_get(json_object_get(judged, "unmatched"), 0);
    json_t *near = json_array_get(json_object_get(first, "near_misses"), 0);
    check_member(judged, "cycles", "[[0,1]]");
    check_member(near, "why", "\"other tag\"");
    check_member(near, "rank", "0");
    json_decref(judged);
}
END_TEST

START_TEST(unknown_tag)
{
    json_t *job = ring(2);
    json_object_del(made_op(job, 0, 0, "unexpected", 1, 8, 4), "tag");
    json_t *judged = judge(job), *first = json_array_get(json_object_get(judged, "unmatched"), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(first, "near_misses")), 0);
    json_decref(judged);
}
END_TEST

START_TEST(wrong_communicator)
{
    json_t *job = ring(2);
    for (int i = 0; i < 2; i++)
        made_comm(job, i, "wrong", 3, i, json_pack("[i, i]", 0, 1));
    made_op(job, 0, 1, "unexpected", 1, 7, 4);
    json_t *judged = judge(job), *first = json_array_get(json_object_get(judged, "unmatched"), 0);
    json_t *near = json_array_get(json_object_get(first, "near_misses"), 0);
    check_member(judged, "cycles", "[[0,1]]");
    check_member(near, "why", "\"other communicator\"");
    check_member(near, "communicator", "\"wrong\"");
    json_decref(judged);
}
END_TEST

START_TEST(too_long)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_op(job, 0, 0, "receives", 1, 7, 4),
              (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Send", "all", made_send(job, 1, 0, 7), (json_t *) NULL);
    // Seen once, the send may be one that an earlier receive has taken, and its sender not know.
    json_t *judged = judge(json_deep_copy(job));
    check_member(judged, "unmatched", "[]");
    json_decref(judged);
    made_settled(job);
    judged = judge(job);
    json_t *first = json_array_get(json_object_get(judged, "unmatched"), 0);
    check_member(judged, "cycles", "[]");
    check_member(json_array_get(json_object_get(first, "near_misses"), 0), "why",
                 "\"message longer than the receive\"");
    json_decref(judged);
}
END_TEST

START_TEST(matching_order)
{
    // The first receive takes any tag, so the second one gets the second message.
    json_t *job = made_job(2);
    json_t *first = made_receive(job, 0, -1, -1), *second = made_receive(job, 0, 1, 8);
    made_wait(job, 0, 0, "MPI_Waitall", "all", first, second, (json_t *) NULL);
    made_send(job, 1, 0, 8);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 9), (json_t *) NULL);
    made_uncounted(job);
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(waits_for_any)
{
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Waitany", "any", made_receive(job, 0, 1, 7),
              made_receive(job, 0, 2, 7), (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"no deadlock seen\"");
    check_text(judged,
               "no deadlock seen: rank 2 computes in compute at solve.c:88, ranks 0,1 wait");
    json_decref(judged);
}
END_TEST

START_TEST(one_is_in_the_system)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    json_t *stack = json_object_get(
        json_array_get(json_object_get(made_process(job, 1), "threads"), 0), "stack");
    json_array_insert_new(
        stack, 0,
        json_pack("{s:s, s:s}", "function", "__GI___poll", "module", "/lib/x86_64/libc.so.6"));
    json_t *judged = judge(job);
    check_text(judged, "no deadlock seen: rank 1 waits for input or output in poll(), rank 0 waits "
                       "for it");
    json_decref(judged);
}
END_TEST

START_TEST(waits_for_all)
{
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Waitall", "all", made_receive(job, 0, 2, 7),
              made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(any_source)
{
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, -1, 7), (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    expect(json_deep_copy(job), "no deadlock seen", "[]");
    made_wait(job, 2, 0, "MPI_Recv", "all", made_receive(job, 2, 0, 7), (json_t *) NULL);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(one_computes)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 3; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 3, 7), (json_t *) NULL);
    expect(job, "no deadlock seen", "[]");
}
END_TEST

START_TEST(candidates)
{
    // Which of two operations a thread waits for is not known: one would do.
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Wait", "all", made_receive(job, 0, 1, 7), made_receive(job, 0, 2, 7),
              (json_t *) NULL);
    json_t *thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
    json_object_set_new(json_object_get(thread, "awaits"), "certain", json_false());
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    expect(job, "unknown", "[]");
}
END_TEST

START_TEST(others)
{
    // Something that is in no queue will do, too, or is needed as well.
    static const struct {
        const char *call, *needs, *kind;
    } calls[] = {{"MPI_Waitany", "any", "unknown"}, {"MPI_Waitall", "all", "deadlock"}};
    for (size_t i = 0; i < 2; i++) {
        json_t *job = made_job(2);
        made_wait(job, 0, 0, calls[i].call, calls[i].needs, made_receive(job, 0, 1, 7),
                  (json_t *) NULL);
        made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
        json_t *thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
        json_object_set_new(json_object_get(thread, "awaits"), "others", json_true());
        json_t *judged = judge(job);
        ck_assert_str_eq(json_string_value(json_object_get(judged, "kind")), calls[i].kind);
        json_decref(judged);
    }
}
END_TEST

START_TEST(without_threads)
{
    json_t *job = ring(2);
    for (int i = 0; i < 2; i++) {
        json_t *comm = made_communicator(job, i, 0);
        json_object_del(made_process(job, i), "threads");
        json_object_set_new(json_array_get(json_object_get(comm, "receives"), 0), "blocked",
                            json_true());
    }
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "cycles", "[[0,1]]");
    check_member(judged, "unseen", "[\"what the threads do in ranks [0,1]\"]");
    json_decref(judged);
}
END_TEST

/** A message that was counted and is in no queue was received, if all queues are known. */
START_TEST(sent_into_the_unknown)
{
    static const char *const incomplete[] = {NULL, "receives", "unexpected"};
    for (size_t i = 0; i <= sizeof incomplete / sizeof *incomplete; i++) {
        json_t *job = made_job(2), *comm = made_communicator(job, 1, 0);
        made_wait(job, 0, 0, "MPI_Send", "all", made_send(job, 0, 1, 7), (json_t *) NULL);
        made_traffic(job, 0, 1, 1, 0);
        made_traffic(job, 1, 0, 0, 1);
        const char *partner = i == 0 ? "there\r\n" : "unknown\r\n";
        const char *status = i == 3 ? ",receives,,not read," : ",incomplete,";
        if (i == 3)
            json_object_del(comm, "receives");
        else if (i > 0)
            json_object_set_new(comm, "incomplete", json_pack("[s]", incomplete[i]));
        char *csv = made_csv(job);
        ck_assert_msg(strstr(csv, partner) != NULL, "%s", csv);
        ck_assert_msg((strstr(csv, status) != NULL) == (i > 0), "%s", csv);
        free(csv);
        json_t *judged = judge(job);
        check_member(judged, "kind", i == 0 ? "\"no deadlock seen\"" : "\"unknown\"");
        json_decref(judged);
    }
}
END_TEST

/** A spreadsheet must not take a name of the program for a formula. */
START_TEST(no_formulas)
{
    static const char *const names[] = {"=1+1", "+1", "-1", "@SUM(A1)"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *job = made_job(2);
        json_object_set_new(made_process(job, 0), "image", json_string(names[i]));
        made_receive(job, 0, 1, 7);
        char *csv = made_csv(job), cell[32];
        snprintf(cell, sizeof cell, ",\"'%s", names[i]);
        ck_assert_msg(strstr(csv, cell) != NULL, "%s is not in %s", cell, csv);
        free(csv);
        json_decref(job);
    }
}
END_TEST

Suite *
suite_messages(void)
{
    const TTest *const tests[] = {sends_to_each_other,
                                  no_formulas,
                                  cycles_of_receives,
                                  receives_from_itself,
                                  two_cycles,
                                  message_on_its_way,
                                  uncounted_messages,
                                  wrong_tag,
                                  unknown_tag,
                                  wrong_communicator,
                                  too_long,
                                  matching_order,
                                  one_is_in_the_system,
                                  waits_for_any,
                                  waits_for_all,
                                  any_source,
                                  one_computes,
                                  candidates,
                                  others,
                                  sent_into_the_unknown,
                                  without_threads};
    Suite *suite = suite_create("messages");
    TCase *tcase = tcase_create("messages");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

// SPDX-License-Identifier: BSD-3-Clause
// Arguments of calls that contradict the operations that were found for them.
#include "tests/verdict/check_verdict.h"

#include <stdlib.h>
#include <string.h>

/** Two ranks that are in MPI_Recv from each other, tag 7, and of which the first was given this. */
static json_t *
receives(int comm, int peer, int tag)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        made_comm(job, i, "ring", 4, i, json_pack("[s]", "0-1"));
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    }
    made_arguments(job, 0, 0, comm, peer, tag);
    return job;
}

static json_t *
thread_of(const json_t *job)
{
    return json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
}

static json_t *
receive_of(const json_t *job)
{
    return json_array_get(json_object_get(made_communicator(job, 0, 0), "receives"), 0);
}

/** Checks what a job is taken for, and the message of its first rank. @param words NULL: none */
static void
expect_message(json_t *job, const char *kind, const char *words)
{
    struct document *document = made_document(job);
    const struct report *report = &document->reports[0];
    const char *message = report->messages.count > 0 ? report->messages.items[0] : NULL;
    ck_assert_msg(!message == !words && (!words || strstr(message, words)), "the message is: %s",
                  message ? message : "none");
    ck_assert_int_eq(report->incomplete, words != NULL);
    document_destroy(document);
    json_t *judged = judge(job);
    check_member(judged, "kind", kind);
    json_decref(judged);
}

START_TEST(agree)
{
    expect_message(receives(0, 1, 7), "\"deadlock\"", NULL);
}
END_TEST

START_TEST(contradict)
{
    static const struct {
        int comm, peer, tag;
        const char *words;
    } cases[] = {
        {0, 1, 42,
         "MPI_Recv of thread 1000 was given tag 42, the request that was found for it has "
         "tag 7: it is another call's, or the layout of MPI's structs does not fit"},
        {0, 0, 7, "was given peer 0, the request that was found for it has peer 1"},
        {0, -1, 7, "was given any peer, the request that was found for it has peer 1"},
        {0, 1, -1, "was given any tag, the request that was found for it has tag 7"},
        {1, 1, 7,
         "was given another communicator, the request that was found for it has "
         "MPI_COMM_WORLD"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_message(receives(cases[i].comm, cases[i].peer, cases[i].tag), "\"unknown\"",
                       cases[i].words);
}
END_TEST

/** What a layout of another release once made of a receive from rank 1. */
START_TEST(not_from_itself)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 0, 0), (json_t *) NULL);
    json_t *judged = judge(json_deep_copy(job));
    check_text(judged, "DEADLOCK: rank 0 waits for itself");
    json_decref(judged);
    made_arguments(job, 0, 0, 0, 1, 42);
    expect_message(job, "\"unknown\"", "was given peer 1");
}
END_TEST

/** What another operation of the same queue has is not believed either. */
START_TEST(all_of_the_queue)
{
    json_t *job = receives(0, 1, 42);
    made_receive(job, 0, 1, 8);
    struct document *document = made_document(job);
    const struct communicator *comm = &document->reports[0].comms.items[0];
    for (size_t i = 0; i < comm->receives.count; i++)
        ck_assert(!HAS(&comm->receives.items[i], OP_PEER) &&
                  !HAS(&comm->receives.items[i], OP_TAG));
    ck_assert(!communicator_has_whole_queue(comm, mqs_pending_receives));
    ck_assert(communicator_has_whole_queue(comm, mqs_pending_sends));
    ck_assert_uint_eq(document->reports[0].threads.items[0].awaits.requests.count, 0);
    document_destroy(document);
    json_decref(job);
}
END_TEST

START_TEST(not_compared)
{
    json_t *job = receives(0, 1, 42);
    json_object_set_new(receive_of(job), "status", json_string("matched"));
    struct document *document = made_document(job);
    ck_assert_uint_eq(document->reports[0].messages.count, 0);
    document_destroy(document);
    json_decref(job);

    job = receives(0, 1, 42); // a tool's MPI_Recv, which calls the library's
    json_object_set_new(thread_of(job), "stack",
                        json_pack("[{s:s}, {s:s}, {s:s}]", "function", "PMPI_Recv", "function",
                                  "MPI_Recv", "function", "exchange"));
    expect_message(job, "\"deadlock\"", NULL);

    job = receives(0, 1, 42); // of several requests none is the call's
    made_wait(job, 0, 0, "MPI_Recv", "all", receive_of(job), made_receive(job, 0, 1, 42),
              (json_t *) NULL);
    expect_message(job, "\"deadlock\"", NULL);
}
END_TEST

/** Buffer and length that contradict leave what the call waits for as it is. */
START_TEST(data)
{
    static const struct {
        int count, bytes;
        const char *buffer, *words;
    } cases[] = {
        {4, 16, "0x1000", NULL},
        {4, 16, "0x1008", "given buffer 0x1008, the request that was found for it has 0x1000"},
        {3, 16, "0x1000", "was given 3 elements, the request that was found for it has 16 bytes"},
        {0, 16, "0x1008", "was given 0 elements, the request that was found for it has 16 bytes"},
        {0, 0, "0x1008", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *job = receives(0, 1, 7), *given = json_object_get(thread_of(job), "arguments");
        json_object_set_new(receive_of(job), "buffer", json_string("0x1000"));
        json_object_set_new(receive_of(job), "bytes", json_integer(cases[i].bytes));
        json_object_set_new(given, "buffer", json_string(cases[i].buffer));
        json_object_set_new(given, "count", json_integer(cases[i].count));
        expect_message(job, "\"deadlock\"", cases[i].words);
    }
}
END_TEST

Suite *
suite_arguments(void)
{
    const TTest *const tests[] = {agree,        contradict, not_from_itself, all_of_the_queue,
                                  not_compared, data};
    Suite *suite = suite_create("arguments");
    TCase *tcase = tcase_create("arguments");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

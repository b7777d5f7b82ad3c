// SPDX-License-Identifier: BSD-3-Clause
// What communicators are called: names, ids and ranks of those that are made up.
#include "tests/verdict/check_verdict.h"

#include <stdbool.h>
#include <string.h>

enum { RANKS = 100 };

/** The label of communicator `comm` of a rank. */
static const char *
label_of(const json_t *job, int rank, int comm)
{
    return json_string_value(json_object_get(made_communicator(job, rank, comm), "label"));
}

static void
expect_label(const json_t *job, int rank, int comm, const char *label)
{
    const char *is = label_of(job, rank, comm);
    if (is == NULL || strcmp(is, label) != 0)
        ck_abort_msg("communicator %d of rank %d is \"%s\" instead of \"%s\"", comm, rank,
                     is != NULL ? is : "without label", label);
}

/** Members as compact JSON. */
static json_t *
members(const char *text)
{
    json_t *array = json_loads(text, 0, NULL);
    ck_assert_msg(array != NULL, "%s", text);
    return array;
}

/** One communicator of rank 0 in a job of 100, and its label. */
static const struct {
    const char *name;
    int id;
    const char *group; // NULL: not known
    const char *label;
} single[] = {
    {"ring", 3, "[\"0-99\"]", "ring"},
    {"solver", 3, "[0,3]", "solver [0,3]"},
    {"solver", 3, "[3,0]", "solver [0,3]"},
    {"solver", 3, "[1,0]", "solver [0,1]"},
    {"solver", 3, "[5,0,1,2,4]", "solver [0-2,4,5]"},
    {"solver", 3, "[\"0-98\"]", "solver [0-98]"},
    {"solver", 3, "[0,0]", "solver [0]"},
    {"solver", 3, NULL, "solver"},
    {"solver", 3, "[0,-1,1]", "solver"},
    {"solver", 3, "[-1,-1]", "solver"},
    {"solver", 3, "[0,2,4,6,8,10,12,14,16,18,20]", "solver #3 [0,2,4,6,8,10,12,14,16,...]"},
    {"", 3, "[0,3]", "comm 3 [0,3]"},
    {"", 3, "[\"0-99\"]", "comm 3 [0-99]"},
    {"", 3, "[0,-1]", "comm 3"},
    {"", 3, NULL, "comm 3"},
    {"", 3, "[0,2,4,6,8,10,12,14,16,18,20]", "comm 3 [0,2,4,6,8,10,12,14,16,...]"},
    {"MPI COMMUNICATOR 3 SPLIT FROM 0", 3, "[0,3]", "MPI_Comm_split of MPI_COMM_WORLD #3 [0,3]"},
    {"MPI COMMUNICATOR 3 DUP FROM 0", 3, "[\"0-99\"]", "MPI_Comm_dup of MPI_COMM_WORLD #3"},
    {"MPI COMMUNICATOR 3 SPLIT_TYPE FROM 0", 3, "[\"0-49\"]",
     "MPI_Comm_split_type of MPI_COMM_WORLD #3 [0-49]"},
    {"MPI COMMUNICATOR 3 GROUP FROM 0", 3, "[0]", "MPI_Comm_create_group of MPI_COMM_WORLD #3 [0]"},
    {"MPI COMMUNICATOR 3 CREATE FROM 2", 3, "[0]", "MPI_*_create of comm 2 #3 [0]"},
    {"MPI COMMUNICATOR 3 CREATE FROM 0", 3, NULL, "MPI_*_create of comm 0 #3"},
    {"MPI_COMMUNICATOR 3", 3, "[0,3]", "comm 3 [0,3]"},
    {"MPI_COMMUNICATOR 0x55d0c0a87f2300000", 3, "[0,3]", "comm 3 [0,3]"},
    {"MPI COMM 3 DUP FROM 0", 3, "[\"0-99\"]", "MPI_Comm_dup of MPI_COMM_WORLD #3"},
    {"MPI COMM 3 SPLIT FROM 0xfffffffe00000000", 3, "[0]",
     "MPI_Comm_split of comm 4294967294 #3 [0]"},
    {"MPI COMM 0x300000000 FROM GROUP", 3, "[0,3]", "comm 3 [0,3]"},
    {"MPI INTERCOMM 0x300000000 FROM GROUP", 3, "[0,3]", "comm 3 [0,3]"},
    // These are names that somebody has given.
    {"MPI COMMUNICATOR 4 DUP FROM 0", 3, "[0]", "MPI COMMUNICATOR 4 DUP FROM 0 [0]"},
    {"MPI COMMUNICATOR 3 MADE FROM 0", 3, "[0]", "MPI COMMUNICATOR 3 MADE FROM 0 [0]"},
    {"MPI COMM 3 FROM GROUP too", 3, "[0]", "MPI COMM 3 FROM GROUP too [0]"},
    {"MPI COMM 3", 3, "[0]", "MPI COMM 3 [0]"},
    {"MPI COMMUNICATOR DUP FROM 0", 3, "[0]", "MPI COMMUNICATOR DUP FROM 0 [0]"},
    {"MPI COMMUNICATOR 3 DUP FROM -1", 3, "[0]", "MPI COMMUNICATOR 3 DUP FROM -1 [0]"},
    {"MPI COMM 0xffffffffffffffffffff DUP FROM 0", 3, "[0]",
     "MPI COMM 0xffffffffffffffffffff DUP FROM 0 [0]"},
    {"MPI COMMUNICATOR 3 DUP FROM 0 too", 3, "[0]", "MPI COMMUNICATOR 3 DUP FROM 0 too [0]"},
    {"0123456789012345678901234567890123456789012345678901234567890123", 3, "[0]",
     "012345678901234567890123456789012345678901234567890123456789... [0]"},
    {"01234567890123456789012345678901234567890123456789012345678\xc3\xa9xxxxxx", 3, "[0]",
     "01234567890123456789012345678901234567890123456789012345678... [0]"},
};

START_TEST(of_one_communicator)
{
    json_t *job = made_job(RANKS);
    int comm = made_comm(job, 0, single[_i].name, single[_i].id, 0,
                         members(single[_i].group != NULL ? single[_i].group : "[0]"));
    if (single[_i].group == NULL)
        json_object_del(made_communicator(job, 0, comm), "group");
    made_labels(job);
    expect_label(job, 0, 0, "MPI_COMM_WORLD");
    expect_label(job, 0, comm, single[_i].label);
    json_decref(job);
}
END_TEST

START_TEST(equal_names)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++) {
        made_comm(job, i, "ring", 3, i, members("[0,1,2,3]"));
        made_comm(job, i, "half", 4, i / 2, members(i % 2 == 0 ? "[0,2]" : "[1,3]"));
        made_comm(job, i, "MPI_COMM_SELF", 1, 0, json_pack("[i]", i));
    }
    // Rank 0 has one more that has not come to be elsewhere, or is gone there already.
    made_comm(job, 0, "ring", 9, 0, members("[0,1,2,3]"));
    made_comm(job, 0, "half", 10, 0, members("[0,2]"));
    made_labels(job);
    for (int i = 0; i < 4; i++) {
        expect_label(job, i, 1, "ring #3");
        expect_label(job, i, 2, i % 2 == 0 ? "half #4 [0,2]" : "half [1,3]");
        ck_assert_str_ne(label_of(job, i, 3), label_of(job, (i + 1) % 4, 3));
    }
    expect_label(job, 0, 4, "ring #9");
    expect_label(job, 0, 5, "half #10 [0,2]");
    json_decref(job);
}
END_TEST

/** Each process has names of its own. */
START_TEST(name_of_one_rank)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++)
        made_comm(job, i, i == 1 ? "mine" : "", 3, i, members("[0,1,2]"));
    made_labels(job);
    for (int i = 0; i < 3; i++)
        expect_label(job, i, 1, "mine");
    json_decref(job);
}
END_TEST

START_TEST(made_of_others)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++) {
        const char *half = i % 2 == 0 ? "[0,2]" : "[1,3]";
        made_comm(job, i, "a name that is too long to be given in full", 3, i,
                  members("[0,1,2,3]"));
        made_comm(job, i, "MPI COMMUNICATOR 4 SPLIT FROM 3", 4, i / 2, members(half));
        made_comm(job, i, "MPI COMMUNICATOR 5 DUP FROM 4", 5, i / 2, members(half));
        // Its number was given to another one, which has not all of its members.
        made_comm(job, i, "MPI COMMUNICATOR 6 DUP FROM 4", 6, i, members("[0,1,2,3]"));
    }
    made_labels(job);
    expect_label(job, 3, 2, "MPI_Comm_split of a name that is too long to b... #4 [1,3]");
    expect_label(job, 2, 3, "MPI_Comm_dup of comm 4 #5 [0,2]");
    expect_label(job, 0, 4, "MPI_Comm_dup of comm 4 #6");
    json_decref(job);
}
END_TEST

START_TEST(intercommunicators)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++) {
        const char *own = i < 2 ? "[0,1]" : "[2,3]", *other = i < 2 ? "[2,3]" : "[0,1]";
        made_inter(job, i, made_comm(job, i, "", 3, i % 2, members(own)), members(other));
        made_inter(job, i, made_comm(job, i, i == 3 ? "bridge" : "", 4, i % 2, members(own)),
                   members(other));
        made_inter(job, i,
                   made_comm(job, i, "MPI COMMUNICATOR 5 DUP FROM 3", 5, i % 2, members(own)),
                   members(other));
    }
    made_labels(job);
    for (int i = 0; i < 4; i++) {
        expect_label(job, i, 1, "intercomm 3 [0,1]-[2,3]");
        expect_label(job, i, 2, "bridge [0,1]-[2,3]");
        expect_label(job, i, 3, "MPI_Comm_dup of intercomm 3 #5 [0,1]-[2,3]");
    }
    json_decref(job);
}
END_TEST

/** A job and the one that it has spawned: each knows the ranks of its own processes only. */
START_TEST(two_jobs)
{
    json_t *job = made_job(2), *children = made_job(3);
    for (int i = 0; i < 5; i++) {
        bool is_child = i >= 2;
        json_t *of = is_child ? children : job;
        int rank = is_child ? i - 2 : i;
        const char *own = is_child ? "[0,1,2]" : "[0,1]",
                   *other = is_child ? "[-1,-1]" : "[-1,-1,-1]";
        made_inter(of, rank,
                   made_comm(of, rank, is_child ? "MPI_COMM_PARENT" : "", 7, rank, members(own)),
                   members(other));
        made_comm(of, rank, "", 8, i, members(is_child ? "[-1,-1,0,1,2]" : "[0,1,-1,-1,-1]"));
        json_object_set_new(made_process(of, rank), "world", json_string(is_child ? "b" : "a"));
    }
    json_array_extend(json_object_get(job, "processes"), json_object_get(children, "processes"));
    made_labels(job);
    for (int i = 0; i < 5; i++) {
        expect_label(job, i, 0, "MPI_COMM_WORLD");
        expect_label(job, i, 1, "MPI_COMM_PARENT #7");
        expect_label(job, i, 2, "comm 8");
    }
    json_decref(children);
    json_decref(job);
}
END_TEST

/** A document may be of another version, or of somebody who means no good. */
START_TEST(are_made_anew)
{
    json_t *job = made_job(2);
    int comm = made_comm(job, 0, "", 3, 0, members("[0]"));
    json_object_set_new(made_communicator(job, 0, comm), "label", json_string("made up"));
    json_object_set_new(made_communicator(job, 0, 0), "id", json_string("none"));
    json_array_append_new(json_object_get(made_process(job, 0), "communicators"), json_object());
    json_array_append_new(json_object_get(made_process(job, 0), "communicators"), json_null());
    made_labels(job);
    expect_label(job, 0, comm, "comm 3 [0]");
    expect_label(job, 0, comm + 1, "comm 0");
    json_decref(job);
}
END_TEST

START_TEST(in_the_verdict)
{
    json_t *job = made_job(2);
    int comm = made_comm(job, 0, "", 3, 0, members("[1,0]"));
    made_comm(job, 1, "", 3, 1, members("[1,0]"));
    made_wait(job, 0, 0, "MPI_Recv", "all", made_op(job, 0, comm, "receives", 1, 5, 4),
              (json_t *) NULL);
    made_labels(job);
    json_t *judged = judge(job);
    const json_t *unmatched = json_array_get(json_object_get(judged, "unmatched"), 0);
    check_member(unmatched, "communicator", "\"comm 3 [0,1]\"");
    json_decref(judged);
}
END_TEST

Suite *
suite_labels(void)
{
    const TTest *const tests[] = {equal_names, name_of_one_rank, made_of_others, intercommunicators,
                                  two_jobs,    are_made_anew,    in_the_verdict};
    Suite *suite = suite_create("labels");
    TCase *tcase = tcase_create("labels");
    tcase_add_loop_test(tcase, of_one_communicator, 0, (int) (sizeof single / sizeof *single));
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

// SPDX-License-Identifier: BSD-3-Clause
// What several looks at the same processes say moved.
#include "tests/check_run.h"
#include "mqshow/report/changes.h"
#include "mqshow/report/progress.h"
#include "tests/verdict/made_job.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMM(queue, operations) \
    "'communicators':[{'id':3,'name':'a','" queue "':[" operations "]}],'threads':[]"
#define RECEIVES(operations)     COMM("receives", operations)
#define PENDING(request)         "{'request':'0x" request "','peer':1,'tag':5,'status':'pending'}"
#define MATCHED(request)         "{'request':'0x" request "','peer':1,'tag':5,'status':'matched'}"
#define THREADS(threads)         "'communicators':[],'threads':[" threads "]"
#define LACKS(members, messages) members ",'incomplete':true,'messages':[" messages "]"
#define FRAME                    "'frame':{'function':'f','line':7}"
#define OUTER(address)           "{'function':'f','line':7,'address':'0x2'},{'address':'0x" address "'}"
#define IN_RECV(inner, outer) \
    "{'tid':7,'call':'MPI_Recv'," FRAME ",'stack':[{'address':'0x" inner "'}," OUTER(outer) "]}"
#define NAMELESS(inner, outer)                                                                  \
    "{'tid':7,'call':'MPI_Barrier','frame':{},'stack':[{'module':'/lib/"                        \
    "libucp.so.0','address':'0x" inner "'},{'module':'/lib/libmpich.so.12','address':'0x" inner \
    "'},{'module':'/home/me/a.out','address':'0x" outer "'}]}"
#define EXITS(inner, outer)                                                                  \
    "{'tid':7,'call':'MPI_Finalize','stack':[{'module':'/lib/libc.so.6','address':'0x" inner \
    "'},{'function':'ompi_mpi_finalize','module':'/lib/libmpi.so.40','address':'0x" inner    \
    "'},{'module':'/usr/bin/python3.11','address':'0x" outer "'}]}"
#define LARGE(inner, outer)                                                          \
    "{'tid':7,'call':'MPI_Recv','frame':{},'stack':[{'address':'0x" inner            \
    "','module':'/home/me/libinner.so'},{'function':'PMPI_Recv_c','address':'0x2'}," \
    "{'address':'0x" outer "'}]}"
#define AT(address) \
    "{'tid':7," FRAME ",'stack':[{'function':'f','line':7,'address':'0x" address "'}]}"
#define FUNNELED(main, address)                                                               \
    "'mpi':{'thread_level_number':1},'communicators':[],'threads':[{'tid':7,'mpi_main':" main \
    "," FRAME ",'stack':[{'function':'f','line':7,'address':'0x" address "'}]}]"
#define BESIDE_FINALIZE(address)                                                                 \
    "{'tid':6,'call':'MPI_Finalize','frame':{},'stack':[{'function':'g','address':'0x1'}]}," AT( \
        address)
#define HELPER(address)                                                                          \
    "{'tid':7,'name':'cuda-EvtHandlr'," FRAME ",'stack_complete':true,'stack':[{'module':'/lib/" \
    "libcuda.so.1','address':'0x" address "'}]}"
#define PYTHON(function, line) "{'function':'" function "','language':'python','line':" line "}"
#define IN_PYTHON(outer)                                                                      \
    "{'tid':7,'call':'MPI_Recv','frame':{'function':'f','line':7},'stack':[{'address':'0x1'}" \
    "," PYTHON("f", "7") "," outer ",{'address':'0x2'}]}"

// Two looks at one process; what is as it was, what moved, what is new or gone.
static const struct {
    const char *before, *after;
    bool same;
    size_t unmoved, moved, threads_unmoved, threads_moved;
    const char *changes; // "+" new, "-" gone, in order
} cases[] = {
    {RECEIVES(""), RECEIVES(""), true, 0, 0, 0, 0, ""},
    {RECEIVES(PENDING("1")), RECEIVES(PENDING("1")), true, 1, 0, 0, 0, ""},
    {RECEIVES(PENDING("1")), RECEIVES(MATCHED("1")), false, 0, 1, 0, 0, ""},
    {RECEIVES(PENDING("1")), RECEIVES(PENDING("2")), false, 0, 0, 0, 0, "-+"},
    {RECEIVES(PENDING("1")), COMM("sends", PENDING("1")), false, 0, 0, 0, 0, "-+"},
    {RECEIVES(PENDING("1") "," PENDING("1")), RECEIVES(PENDING("1")), false, 1, 0, 0, 0, "-"},
    {RECEIVES(""), RECEIVES(PENDING("1") "," PENDING("2")), false, 0, 0, 0, 0, "++"},
    // Where a call is inside of MPI does not matter, where it was made from does.
    {THREADS(IN_RECV("1", "3")), THREADS(IN_RECV("9", "3")), true, 0, 0, 1, 0, ""},
    {THREADS(IN_RECV("1", "3")), THREADS(IN_RECV("1", "4")), false, 0, 0, 0, 1, ""},
    {THREADS(LARGE("1", "3")), THREADS(LARGE("9", "3")), true, 0, 0, 1, 0, ""},
    {THREADS(LARGE("1", "3")), THREADS(LARGE("1", "4")), false, 0, 0, 0, 1, ""},
    {THREADS(NAMELESS("1", "3")), THREADS(NAMELESS("9", "3")), true, 0, 0, 1, 0, ""},
    {THREADS(NAMELESS("1", "3")), THREADS(NAMELESS("1", "4")), false, 0, 0, 0, 1, ""},
    {THREADS(EXITS("1", "3")), THREADS(EXITS("9", "3")), true, 0, 0, 1, 0, ""},
    {THREADS(EXITS("1", "3")), THREADS(EXITS("1", "4")), false, 0, 0, 0, 1, ""},
    {THREADS(AT("1")), THREADS(AT("1")), true, 0, 0, 1, 0, ""},
    {THREADS(AT("1")), THREADS(AT("2")), false, 0, 0, 0, 1, ""},
    {THREADS(AT("1")), THREADS(IN_RECV("1", "3")), false, 0, 0, 0, 1, ""},
    // A thread that may not call MPI moves for its process alone, one of a library not even that.
    {FUNNELED("true", "1"), FUNNELED("true", "2"), false, 0, 0, 0, 1, ""},
    {FUNNELED("false", "1"), FUNNELED("false", "2"), true, 0, 0, 0, 1, ""},
    {THREADS(HELPER("1")), THREADS(HELPER("2")), true, 0, 0, 0, 0, ""},
    {THREADS(BESIDE_FINALIZE("1")), THREADS(BESIDE_FINALIZE("2")), true, 0, 0, 1, 1, ""},
    {THREADS(AT("1")), THREADS(""), false, 0, 0, 0, 0, ""},
    {THREADS("{'tid':8,'stack':[{'address':'0x1'}]}"), THREADS("{'tid':8,'stack':[]}"), true, 0, 0,
     0, 0, ""},
    // Functions of Python have lines, the interpreter's code is where it was.
    {THREADS(IN_PYTHON(PYTHON("g", "3"))), THREADS(IN_PYTHON(PYTHON("g", "3"))), true, 0, 0, 1, 0,
     ""},
    {THREADS(IN_PYTHON(PYTHON("g", "3"))), THREADS(IN_PYTHON(PYTHON("g", "4"))), false, 0, 0, 0, 1,
     ""},
    {THREADS(IN_PYTHON(PYTHON("f", "7"))),
     THREADS(IN_PYTHON(PYTHON("f", "7") "," PYTHON("f", "7"))), false, 0, 0, 0, 1, ""},
    // What no look can read keeps nothing from being compared.
    {LACKS(RECEIVES(PENDING("1")), "'no group'"), LACKS(RECEIVES(""), "'no group'"), false, 0, 0, 0,
     0, "-"},
    {LACKS(RECEIVES(PENDING("1")), "'no group'"), LACKS(RECEIVES(PENDING("1")), "'no group'"), true,
     1, 0, 0, 0, ""},
    // Names that only one look could read are no movement.
    {THREADS(AT("1")), THREADS("{'tid':7,'stack':[{'address':'0x1'}]}"), true, 0, 0, 0, 0, ""},
    {THREADS("{'tid':7,'stack':[{'address':'0x1'}]}"), THREADS(AT("1")), true, 0, 0, 1, 0, ""},
};

enum { CASES = sizeof cases / sizeof *cases };

// A document of processes with these members, in single quotes.
static json_t *
parse(const char *pid, const char *members)
{
    char text[2000];
    json_error_t error;
    snprintf(text, sizeof text, "{'processes':[{'pid':%s,'rank':0,%s}]}", pid, members);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *ret = json_loads(text, 0, &error);
    ck_assert_msg(ret != NULL, "column %d: %s in %s", error.column, error.text, text);
    return ret;
}

// The document of processes with these members.
static struct document *
document_of(const char *pid, const char *members)
{
    json_t *job = parse(pid, members);
    struct document *document = made_document(job);
    json_decref(job);
    return document;
}

START_TEST(tells_what_moved)
{
    struct document *before = document_of("1", cases[_i].before);
    struct document *after = document_of("1", cases[_i].after);
    struct changes changes = {.items = NULL};
    char told[8] = "";
    changes_find(before, after, &changes);
    ck_assert_uint_eq(changes.unmoved, cases[_i].unmoved);
    ck_assert_uint_eq(changes.moved, cases[_i].moved);
    ck_assert_uint_eq(changes.threads_unmoved, cases[_i].threads_unmoved);
    ck_assert_uint_eq(changes.threads_moved, cases[_i].threads_moved);
    for (size_t i = 0; i < changes.count; i++)
        strcat(told, changes.items[i].is_new ? "+" : "-");
    ck_assert_str_eq(told, cases[_i].changes);
    ck_assert(HAS(&after->reports[0], PROCESS_SETTLED));
    ck_assert(after->reports[0].settled == cases[_i].same);
    changes_deinit(&changes);
    document_destroy(after);
    document_destroy(before);
}
END_TEST

// Two looks at one process, of which one could not read what the other one shows.
static const struct {
    const char *before, *after;
} unsure[] = {
    {RECEIVES(PENDING("1")), LACKS(RECEIVES(""), "'no queue'")},
    {LACKS(RECEIVES(""), "'no queue'"), RECEIVES(PENDING("1"))},
    {LACKS(RECEIVES(PENDING("1")), "'no group'"), LACKS(RECEIVES(""), "'no group','no queue'")},
    {THREADS(IN_RECV("1", "3")), LACKS(THREADS(""), "'no stacks'")},
    {LACKS(THREADS(""), "'no process'"), THREADS(IN_RECV("1", "3"))},
    {THREADS("{'tid':7,'call':'MPI_Recv','stack':[{'address':'0x1'}],'stack_complete':true}"),
     THREADS("{'tid':7,'stack':[],'stack_complete':false}")},
};

enum { UNSURE = sizeof unsure / sizeof *unsure };

START_TEST(says_nothing_of_what_could_not_be_read)
{
    struct document *before = document_of("1", unsure[_i].before);
    struct document *after = document_of("1", unsure[_i].after);
    struct changes changes = {.items = NULL};
    changes_find(before, after, &changes);
    ck_assert(!HAS(&after->reports[0], PROCESS_SETTLED));
    ck_assert_uint_eq(changes.count, 0);
    ck_assert_uint_eq(changes.threads_moved, 0);
    changes_deinit(&changes);
    document_destroy(after);
    document_destroy(before);
}
END_TEST

START_TEST(marks_what_is_in_both_looks)
{
    struct document *before = document_of("1", RECEIVES(PENDING("1") "," PENDING("2")));
    struct document *after =
        document_of("1", RECEIVES(MATCHED("1") "," PENDING("3") "," PENDING("2")));
    struct changes changes = {.items = NULL};
    changes_find(before, after, &changes);
    const struct operation *receives = after->reports[0].comms.items[0].receives.items;
    ck_assert(HAS(&receives[0], OP_MOVED) && receives[0].moved);
    ck_assert(!HAS(&receives[1], OP_MOVED));
    ck_assert(HAS(&receives[2], OP_MOVED) && !receives[2].moved);
    ck_assert_uint_eq(changes.count, 1);
    ck_assert_ptr_eq(change_operation(&changes.items[0]), &receives[1]);
    changes_deinit(&changes);
    document_destroy(after);
    document_destroy(before);
}
END_TEST

START_TEST(knows_processes_again)
{
    struct document *before = document_of("1", RECEIVES(PENDING("1")));
    struct document *after = document_of("2", RECEIVES(PENDING("1")));
    struct changes changes = {.items = NULL};
    changes_find(before, after, &changes);
    ck_assert_uint_eq(changes.unmoved, 0);
    ck_assert_uint_eq(changes.count, 2);
    ck_assert_ptr_eq(changes.items[0].report, &after->reports[0]);
    ck_assert_ptr_eq(changes.items[1].report, &before->reports[0]);
    changes_deinit(&changes);
    document_destroy(after);
    document_destroy(before);
}
END_TEST

// A document that has this very thread in an MPI call.
static struct document *
this_thread(const char *more)
{
    int pid = (int) getpid();
    json_t *thread = json_pack("{s:i, s:s}", "tid", pid, "call", "MPI_Recv");
    json_t *job =
        json_pack("{s:[{s:i, s:[o], s:s}]}", "processes", "pid", pid, "threads", thread, more, "");
    struct document *document = made_document(job);
    json_decref(job);
    return document;
}

/** A document that has a thread of another machine in an MPI call. */
static struct document *
other_thread(int ran_ns, int turns, int sleeps)
{
    json_t *thread = json_pack("{s:i, s:s, s:i, s:i, s:b}", "tid", 1, "call", "MPI_Recv", "ran_ns",
                               ran_ns, "turns", turns, "sleeps", sleeps);
    json_t *job = json_pack("{s:[{s:i, s:[o], s:s}]}", "processes", "pid", 1, "threads", thread,
                            "host", "there");
    struct document *document = made_document(job);
    json_decref(job);
    return document;
}

static void
run_for_ms(int ms)
{
    clock_t end = clock() + (clock_t) ms * CLOCKS_PER_SEC / 1000;
    while (clock() < end)
        continue;
}

/** Measures this thread again, as after another sample. */
static bool
has_made_progress(struct progress *progress, struct document *document)
{
    progress_measure(&document->reports[0]);
    progress_note(progress, document);
    return progress_made(progress, &document->reports[0]);
}

START_TEST(waits_until_threads_have_run)
{
    struct progress progress;
    struct document *document = this_thread("image");
    progress_measure(&document->reports[0]);
    progress_init(&progress, document);
    ck_assert(!progress_made(&progress, &document->reports[0]));
    run_for_ms(50);
    ck_assert(has_made_progress(&progress, document));
    progress_deinit(&progress);
    document_destroy(document);
}
END_TEST

// What a machine does not report of its threads is not known, whatever threads there are here.
START_TEST(knows_no_progress_of_others)
{
    struct progress progress;
    struct document *document = this_thread("host"), *here = this_thread("image");
    progress_init(&progress, document);
    run_for_ms(50);
    progress_note(&progress, document);
    ck_assert(!progress_made(&progress, &document->reports[0]));
    // It was in no call before.
    ck_assert(!has_made_progress(&progress, here));
    progress_deinit(&progress);
    document_destroy(here);
    document_destroy(document);
}
END_TEST

START_TEST(reads_the_progress_of_others)
{
    struct progress progress;
    struct document *first = other_thread(1000, 5, 0), *same = other_thread(1000, 5, 0),
                    *ran = other_thread(90000000, 6, 0), *slept = other_thread(1000, 5, 1);
    progress_init(&progress, first);
    progress_note(&progress, same);
    ck_assert(!progress_made(&progress, &same->reports[0]));
    progress_note(&progress, ran);
    ck_assert(progress_made(&progress, &ran->reports[0]));
    progress_deinit(&progress);
    progress_init(&progress, first);
    progress_note(&progress, slept);
    ck_assert(progress_made(&progress, &slept->reports[0]));
    progress_deinit(&progress);
    document_destroy(slept);
    document_destroy(ran);
    document_destroy(same);
    document_destroy(first);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("looks");
    TCase *tcase = tcase_create("looks");
    tcase_add_loop_test(tcase, tells_what_moved, 0, CASES);
    tcase_add_loop_test(tcase, says_nothing_of_what_could_not_be_read, 0, UNSURE);
    tcase_add_test(tcase, marks_what_is_in_both_looks);
    tcase_add_test(tcase, knows_processes_again);
    tcase_add_test(tcase, waits_until_threads_have_run);
    tcase_add_test(tcase, knows_no_progress_of_others);
    tcase_add_test(tcase, reads_the_progress_of_others);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}

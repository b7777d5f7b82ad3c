// SPDX-License-Identifier: BSD-3-Clause
// The comparison that judges the live tests: what it lets pass and what it finds.
#include "compare.h"

#include "tests/check_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char record[] =
    "{'pid':7,'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
    "{'peer':1,'world_peer':-1,'tag':'any'},{'peer':1,'tag':5}],"
    "'sends':[{'peer':1,'tag':1},{'peer':0,'tag':2},{'peer':1,'tag':3}],"
    "'collectives':[{'name':'barrier','active':true}]},{'size':3}],"
    "'openmp':{'threads':[{'tid':9,'level':1,'region':{'level':1,'parent':{'level':0,'parent':null}"
    "},"
    "'tasks':[{'implicit':false,'file':'../b.c'}],'waits_for':{'symbol':'name'}}]},"
    "'communicator_count':2}";

// What agrees with the record, in the cases where something behind it does not.
#define GOOD_QUEUES                                                       \
    "'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["    \
    "{'peer':1,'tag':'any'},{'peer':1,'tag':5}],"                         \
    "'sends':[{'peer':1,'tag':1},{'peer':0,'tag':2},{'peer':1,'tag':3}]," \
    "'collectives':[{'name':'barrier','active':true}]},{'size':3}],"
#define GOOD_REGIONS                                                                              \
    "'openmp':{'regions':[{'id':'x','level':0,'parent':null},{'id':'y','level':1,'parent':'x'}]," \
    "'threads':[{'tid':9,'level':1,'region':'y',"

// Each report is what follows the pid of the process; the difference NULL means that they agree.
static const struct {
    const char *report;
    const char *difference;
} cases[] = {
    {"'rank':0,'communicators':[{'name':'b','size':3},{'name':'a','id':4,'group':[0,1],'receives':["
     "{'peer':1,'tag':'any','bytes':4},{'peer':1,'tag':5}],"
     "'sends':[{'peer':0,'tag':2},{'peer':1,'tag':1},{'peer':1,'tag':3}],'collectives':["
     "{'name':'bcast','active':false},{'name':'barrier','active':true}]}],"
     "'openmp':{'regions':[{'id':'x','level':0,'parent':null},{'id':'y','level':1,'parent':'x'}],"
     "'threads':[{'tid':8},{'tid':9,'level':1,'region':'y','tasks':[{'implicit':false,'file':"
     "'/a/b.c'},{}],'waits_for':{'symbol':'.a_name.v'}}]}",
     NULL},
    {"'rank':1", "rank 0 (pid 7).rank: expected 0, found 1"},
    {"'rank':0,'communicators':[{'name':'b','size':3}]",
     "rank 0 (pid 7).communicators[\"a\"]: expected {"},
    {"'rank':0,'communicators':[{'name':'a','group':[1,0]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].group[0]: expected 0, found 1"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':[]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].receives[0]: expected {"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'world_peer':0,'tag':'any'},{'peer':1,'tag':5}]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].receives[0].world_peer: expected -1, found 0"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'tag':5},{'peer':1,'tag':'any'}]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].receives[0].tag: expected \"any\", found 5"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'tag':'any'},{'peer':1,'tag':5},{'peer':1,'tag':6}]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].receives[2]: expected nothing, found {"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'tag':'any'},{'peer':1,'tag':5}],"
     "'sends':[{'peer':1,'tag':3},{'peer':0,'tag':2},{'peer':1,'tag':1}]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].sends[1].tag: expected 1, found 3"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'tag':'any'},{'peer':1,'tag':5}],"
     "'sends':[{'peer':1,'tag':1},{'peer':0,'tag':2},{'peer':1,'tag':3}]},{'size':3}]",
     "rank 0 (pid 7).communicators[\"a\"].collectives: expected [{"},
    {"'rank':0,'communicators':[{'name':'a','group':[0,1],'receives':["
     "{'peer':1,'tag':'any'},{'peer':1,'tag':5}],"
     "'sends':[{'peer':1,'tag':1},{'peer':0,'tag':2},{'peer':1,'tag':3}],"
     "'collectives':[{'name':'barrier','active':true}]},{'size':4}]",
     "rank 0 (pid 7).communicators[nothing]: expected {"},
    {GOOD_QUEUES "'openmp':{'threads':[{'tid':9,'level':1,'region':'y'}]}",
     "rank 0 (pid 7).openmp.threads[9].region: expected {"},
    {GOOD_QUEUES
     "'openmp':{'regions':[{'id':'y','level':1,'parent':'y'}],'threads':[{'tid':9,'level':1,"
     "'region':'y'}]}",
     "rank 0 (pid 7).openmp.threads[9].region.parent: expected {"},
    {GOOD_QUEUES GOOD_REGIONS "'tasks':[]}]}",
     "rank 0 (pid 7).openmp.threads[9].tasks[0]: expected {"},
    {GOOD_QUEUES GOOD_REGIONS "'tasks':[{'implicit':false,'file':'c.c'}]}]}",
     "rank 0 (pid 7).openmp.threads[9].tasks[0].file: expected \"../b.c\", found \"c.c\""},
    {GOOD_QUEUES GOOD_REGIONS
     "'tasks':[{'implicit':false,'file':'b.c'}],'waits_for':{'symbol':'nam'}}]}",
     "rank 0 (pid 7).openmp.threads[9].waits_for.symbol: expected \"name\", found \"nam\""},
};

enum { CASES = sizeof cases / sizeof *cases };

// JSON in single quotes, so that it can be read in C.
static json_t *
parse(const char *text)
{
    json_error_t error;
    char *copy = strdup(text);
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *ret = json_loads(copy, 0, &error);
    free(copy);
    ck_assert_msg(ret != NULL, "column %d: %s in %s", error.column, error.text, text);
    return ret;
}

static json_t *
parse_report(const char *members)
{
    char text[2000];
    snprintf(text, sizeof text, "{'processes':[{'pid':6},{'pid':7,%s}]}", members);
    return parse(text);
}

START_TEST(finds_the_difference)
{
    const char *expected = cases[_i].difference;
    json_t *truth = parse(record), *report = parse_report(cases[_i].report);
    char *found = compare_truth(truth, report);
    if (expected == NULL || found == NULL)
        ck_assert_pstr_eq(found, expected);
    else
        ck_assert_msg(strncmp(found, expected, strlen(expected)) == 0, "expected %s, found %s",
                      expected, found);
    free(found);
    json_decref(report);
    json_decref(truth);
}
END_TEST

START_TEST(counts_communicators)
{
    json_t *truth = parse("{'pid':7,'communicators':[],'communicator_count':2}");
    json_t *report = parse_report("'communicators':[{'name':'a'}]");
    char *found = compare_truth(truth, report);
    ck_assert_str_eq(found, "expected 2 communicators, found 1");
    free(found);
    json_decref(report);
    json_decref(truth);
}
END_TEST

START_TEST(misses_a_process)
{
    json_t *truth = parse("{'pid':8,'rank':3}"), *report = parse_report("'rank':0");
    char *found = compare_truth(truth, report);
    ck_assert_ptr_nonnull(found);
    free(found);
    json_decref(report);
    json_decref(truth);
}
END_TEST

START_TEST(compares_reports)
{
    json_t *first = parse("{'processes':[{'pid':1,'mpi':{'layout':'x'},'messages':['m']}]}");
    json_t *second = parse("{'processes':[{'pid':1,'mpi':{'layout':'y'},'messages':[]}]}");
    json_t *third = parse("{'processes':[{'pid':1,'mpi':{'layout':'y','more':1}}]}");
    ck_assert_ptr_null(compare_reports(first, second));
    char *found = compare_reports(first, third);
    ck_assert_str_eq(found, "report.processes[0].mpi.more: expected 1, found nothing");
    free(found);
    json_decref(third);
    json_decref(second);
    json_decref(first);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tcase = tcase_create("compare");
    tcase_add_loop_test(tcase, finds_the_difference, 0, CASES);
    tcase_add_test(tcase, counts_communicators);
    tcase_add_test(tcase, misses_a_process);
    tcase_add_test(tcase, compares_reports);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}

// SPDX-License-Identifier: BSD-3-Clause
// Operations as records: nothing of an object is lost, and damaged records are refused.
#include "tests/check_run.h"
#include "tools/json_write.h"
#include "tools/operations.h"
#include "tools/verdict/sieve.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLETE                                                                            \
    "{'status':'matched','peer':3,'world_peer':-1,'tag':-7,'bytes':5000000000,'count':1,"   \
    "'datatype':'MPI_INT','buffer':'0x7fff00000000','system_buffer':true,'kind':'receive'," \
    "'persistent':false,'request':'0x10','rendezvous':true,'freed':false,'blocked':true,"   \
    "'actual':{'peer':3,'tag':9,'bytes':4},'text':['a','b'],'moved':false}"

// Queues, and what is written of them.
static const struct {
    const char *read, *written; // NULL: the same
} cases[] = {
    {"[]", NULL},
    {"[" COMPLETE "]", NULL},
    {("[" COMPLETE "," COMPLETE ",{'status':'pending'}]"), NULL},
    {"[{'peer':'any','world_peer':'any','tag':'any'}]", NULL},
    {"[{}]", NULL},
    // What is in another order is put into this one.
    {"[{'tag':7,'peer':1}]", "[{'peer':1,'tag':7}]"},
    // What the format does not know is kept.
    {"[{'peer':1,'mood':{'good':[1,2.5,null]}}]", NULL},
    {"[{'peer':'some','tag':-9000000000,'request':'4711','status':'lost','blocked':false,"
     "'actual':{'peer':'any'},'text':['a\\nb'],'datatype':5}]",
     NULL},
    {"[{'peer':-1,'buffer':'0x00','kind':'odd'}]", NULL},
    // What is no object is no operation.
    {"[1,{'peer':1},'x',[]]", "[{'peer':1}]"},
    {"7", NULL},
};

enum { CASES = sizeof cases / sizeof *cases };

// A text with double quotes for single ones, to free().
static char *
quoted(const char *before, const char *text, const char *behind)
{
    char *all = NULL;
    ck_assert_int_ge(asprintf(&all, "%s%s%s", before, text, behind), 0);
    for (char *c = all; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    return all;
}

static const char document_begin[] = "{'processes':[{'communicators':[{'receives':";
static const char document_end[] = "}]}],'messages':[]}";

static json_t *
load(char *text)
{
    json_error_t error;
    uint64_t left = 1 << 20;
    FILE *file = fmemopen(text, strlen(text), "r");
    json_t *document = sieve_load(file, &left, &error);
    fclose(file);
    return document;
}

static json_t *
comm_of(const json_t *document)
{
    const json_t *process = json_array_get(json_object_get(document, "processes"), 0);
    return json_array_get(json_object_get(process, "communicators"), 0);
}

static void
check_written(const json_t *document, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json_write(out, document, JSON_COMPACT);
    fclose(out);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(loses_nothing)
{
    const char *written = cases[_i].written != NULL ? cases[_i].written : cases[_i].read;
    char *text = quoted(document_begin, cases[_i].read, document_end);
    char *expected = quoted(document_begin, written, document_end);
    struct operations operations;
    json_t *sieved = load(text), *parsed = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(sieved);
    check_written(sieved, expected);
    operations_of(comm_of(parsed), mqs_pending_receives, &operations);
    check_written(parsed, expected);
    json_decref(sieved);
    json_decref(parsed);
    free(text);
    free(expected);
}
END_TEST

START_TEST(finds_what_is_no_json)
{
    static const char *const wrong[] = {
        "[{]",   "[{},]",   "[,]",          "[{} {}]", "[{'a':}]", "[{'a':1]",  "[{}",
        "[{}}]", "['\\x']", "[{'a':'\n'}]", "]",       "[",        "[{}],[{}]", "[{}\\u0000]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = quoted(document_begin, wrong[i], document_end);
        json_t *document = load(text);
        if (document != NULL)
            ck_abort_msg("%s is taken for JSON", text);
        free(text);
    }
}
END_TEST

// Queues elsewhere are none, and a text is never taken for a packed queue.
START_TEST(takes_queues_from_their_places_only)
{
    static const char *const same[] = {
        "{'receives':[{'peer':1,'x':2}],'processes':{'communicators':[{'receives':[5]}]}}",
        "{'processes':[[{'communicators':[{'receives':[5]}]}],{'receives':[6]}]}",
        ("{'processes':[{'a':{'communicators':[{'receives':[5]}]},'communicators':"
         "[{'receives':'\\\\u0001queue','a':['communicators']}]}]}"),
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char *text = quoted("", same[i], "");
        json_t *document = load(text), *parsed = json_loads(text, 0, NULL);
        ck_assert_ptr_nonnull(parsed);
        ck_assert(json_equal(document, parsed));
        json_decref(document);
        json_decref(parsed);
        free(text);
    }
}
END_TEST

static json_t *
packed(void)
{
    char *text = quoted("{'receives':[", COMPLETE "," COMPLETE, "]}");
    struct operations operations;
    json_t *comm = json_loads(text, 0, NULL);
    ck_assert(operations_of(comm, mqs_pending_receives, &operations));
    ck_assert_uint_eq(operations.count, 2);
    json_t *queue = json_incref(json_object_get(comm, "receives"));
    json_decref(comm);
    free(text);
    return queue;
}

// Whatever single byte of a reply is another one: it is refused, or can be written.
START_TEST(survives_damage)
{
    json_t *queue = packed();
    ck_assert(operations_check(queue));
    size_t size = json_string_length(queue), refused = 0;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            char *bytes = malloc(size);
            memcpy(bytes, json_string_value(queue), size);
            bytes[i] = (char) (bytes[i] ^ 1 << bit);
            json_t *damaged = json_stringn_nocheck(bytes, size);
            char *text = NULL;
            size_t length;
            FILE *out = open_memstream(&text, &length);
            if (operations_check(damaged))
                json_write(out, damaged, JSON_INDENT(1));
            else
                refused++;
            fclose(out);
            free(text);
            json_decref(damaged);
            free(bytes);
        }
    ck_assert_uint_gt(refused, size);
    json_decref(queue);
}
END_TEST

START_TEST(refuses_other_sizes)
{
    json_t *queue = packed();
    for (size_t size = 0; size < json_string_length(queue); size++) {
        json_t *part = json_stringn_nocheck(json_string_value(queue), size);
        ck_assert(!operations_check(part));
        json_decref(part);
    }
    json_decref(queue);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("operations");
    TCase *tcase = tcase_create("operations");
    tcase_add_loop_test(tcase, loses_nothing, 0, CASES);
    tcase_add_test(tcase, finds_what_is_no_json);
    tcase_add_test(tcase, takes_queues_from_their_places_only);
    tcase_add_test(tcase, survives_damage);
    tcase_add_test(tcase, refuses_other_sizes);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}

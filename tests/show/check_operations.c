// SPDX-License-Identifier: BSD-3-Clause
// Operations as records: nothing of an object is lost, and damaged records are refused.
#include "tests/check_run.h"
#include "mqshow/report/operations.h"
#include "mqshow/report/document.h"
#include "tests/verdict/made_job.h"

#include "mqshow/base/json_out.h"

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
    {"[{'peer':'some','tag':-9000000000,'request':'4711','status':'lost','datatype':5}]", NULL},
    {"[{'actual':{'peer':'any'},'text':['a\\nb'],'blocked':false}]",
     "[{'blocked':false,'actual':{'peer':'any'},'text':['a\\\\x0ab']}]"},
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

// Reads a document. @return what is not of a process; NULL: it is no JSON
static json_t *
load(char *text, struct document *document)
{
    json_error_t error;
    uint64_t left = 1 << 25;
    FILE *file = fmemopen(text, strlen(text), "r");
    json_t *rest = document_load(document, file, &left, &error);
    fclose(file);
    return rest;
}

// The queue of receives as it is written.
static void
check_written(const struct document *document, const char *expected)
{
    json_t *all = made_json(document);
    json_t *comms =
        json_object_get(json_array_get(json_object_get(all, "processes"), 0), "communicators");
    char *text = json_dumps(json_object_get(json_array_get(comms, 0), "receives"),
                            JSON_COMPACT | JSON_ENCODE_ANY);
    ck_assert_str_eq(text, expected);
    free(text);
    json_decref(all);
}

START_TEST(loses_nothing)
{
    const char *written = cases[_i].written != NULL ? cases[_i].written : cases[_i].read;
    char *text = quoted(document_begin, cases[_i].read, document_end);
    char *expected = quoted("", written, "");
    struct document *loaded = document_create(0);
    json_t *rest = load(text, loaded), *parsed = json_loads(text, 0, NULL);
    struct document *read = made_document(parsed);
    ck_assert_ptr_nonnull(rest);
    check_written(loaded, expected);
    check_written(read, expected);
    json_decref(rest);
    json_decref(parsed);
    document_destroy(loaded);
    document_destroy(read);
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
        struct document *document = document_create(0);
        if (load(text, document) != NULL)
            ck_abort_msg("%s is taken for JSON", text);
        document_destroy(document);
        free(text);
    }
}
END_TEST

// Queues elsewhere are none; of members of the same name the last one counts.
START_TEST(takes_queues_from_their_places_only)
{
    static const struct {
        const char *text;
        size_t processes, receives;
    } places[] = {
        {"{'receives':[{'peer':1}],'processes':{'communicators':[{'receives':[{}]}]}}", 0, 0},
        {"{'processes':[[{'communicators':[{'receives':[{}]}]}],{'receives':[{}]}]}", 1, 0},
        {"{'processes':[{'a':{'communicators':[{'receives':[{}]}]},'communicators':"
         "[{'receives':'queue','a':['communicators']}]}]}",
         1, 0},
        {"{'processes':[{'communicators':[{'receives':[{},{}]}]}]}", 1, 2},
        {"{'processes':[{'communicators':[5,[],{'receives':[{},{}]}]}]}", 1, 2},
        {"{'processes':[{'communicators':[{'receives':[{},{}],'receives':[{}]}]}]}", 1, 1},
        {"{'processes':[{'communicators':[{'receives':[{}]},{}],'communicators':[{}]}]}", 1, 0},
        {"{'processes':[{},{'communicators':[{}]}],'processes':[{'communicators':[{'receives':[{}]}"
         "]}]}",
         1, 1},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *text = quoted("", places[i].text, "");
        struct document *document = document_create(0);
        json_t *rest = load(text, document);
        ck_assert_ptr_nonnull(rest);
        ck_assert_uint_eq(document->count, places[i].processes);
        size_t found = 0;
        for (size_t k = 0; k < document->count; k++)
            for (size_t n = 0; n < document->reports[k].comms.count; n++)
                found += document->reports[k].comms.items[n].receives.count;
        ck_assert_uint_eq(found, places[i].receives);
        json_decref(rest);
        document_destroy(document);
        free(text);
    }
}
END_TEST

// An operation may have 16 MiB of text, and no more.
START_TEST(refuses_what_is_too_long)
{
    enum { LENGTH = 1 << 24 };
    for (int i = 0; i < 2; i++) {
        char *blank = malloc(LENGTH + 1);
        memset(blank, ' ', LENGTH);
        blank[i == 0 ? LENGTH - 10 : LENGTH] = '\0';
        char *queue = quoted("[{", blank, "}]");
        char *text = quoted(document_begin, queue, document_end);
        struct document *document = document_create(0);
        json_t *rest = load(text, document);
        ck_assert_int_eq(rest != NULL, i == 0);
        json_decref(rest);
        document_destroy(document);
        free(text);
        free(queue);
        free(blank);
    }
}
END_TEST

// A queue as it goes from process to process.
static char *
packed(size_t *ret_size)
{
    char *text = quoted("[", COMPLETE "," COMPLETE, "]"), *bytes = NULL;
    struct operations operations = {.items = NULL};
    json_t *array = json_loads(text, 0, NULL);
    for (size_t i = 0; i < json_array_size(array); i++)
        operations_read(&operations, json_array_get(array, i));
    struct packed_head head = operations_head(&operations);
    FILE *out = open_memstream(&bytes, ret_size);
    fwrite(&head, sizeof head, 1, out);
    fwrite(operations.items, sizeof *operations.items, operations.count, out);
    fwrite(operations.mores, sizeof *operations.mores, operations.n_mores, out);
    fwrite(operations.texts, 1, operations.texts_size, out);
    fclose(out);
    operations_deinit(&operations);
    json_decref(array);
    free(text);
    return bytes;
}

static bool
take(struct operations *operations, const char *bytes, size_t size)
{
    json_t *text = json_stringn_nocheck(bytes, size);
    bool good = operations_take(operations, text);
    json_decref(text);
    return good;
}

static void
write_all(const struct operations *operations)
{
    const struct record_place place = {.operations = (struct operations *) operations};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct json_out json;
    json_out_begin(&json, out, JSON_INDENT(1));
    for (size_t i = 0; i < operations->count; i++)
        record_write(&json, &operation_type, &operations->items[i], &place);
    json_out_end(&json);
    fclose(out);
    free(text);
}

// Whatever single byte of a reply is another one: it is refused, or can be written.
START_TEST(survives_damage)
{
    size_t size, refused = 0;
    char *bytes = packed(&size);
    struct operations operations = {.items = NULL};
    ck_assert(take(&operations, bytes, size));
    ck_assert_uint_eq(operations.count, 2);
    operations_deinit(&operations);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char) (bytes[i] ^ 1 << bit);
            if (take(&operations, bytes, size))
                write_all(&operations);
            else
                refused++;
            operations_deinit(&operations);
            bytes[i] = (char) (bytes[i] ^ 1 << bit);
        }
    ck_assert_uint_gt(refused, size);
    free(bytes);
}
END_TEST

START_TEST(refuses_other_sizes)
{
    size_t size;
    char *bytes = packed(&size);
    struct operations operations = {.items = NULL};
    for (size_t part = 0; part < size; part++)
        ck_assert(!take(&operations, bytes, part));
    free(bytes);
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
    tcase_add_test(tcase, refuses_what_is_too_long);
    tcase_add_test(tcase, survives_damage);
    tcase_add_test(tcase, refuses_other_sizes);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}

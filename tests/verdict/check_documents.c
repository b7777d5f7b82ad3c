// SPDX-License-Identifier: BSD-3-Clause
// Documents: put together, damaged, hostile, large; and what is written of them.
#include "tests/verdict/check_verdict.h"

#include "mqshow/verdict/export.h"
#include "mqshow/verdict/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A file with this content, until the test ends. */
static const char *
file_with(const char *content)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/check_verdict.XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, strlen(content)), (ssize_t) strlen(content));
    close(fd);
    return path;
}

/** Adds a file and says what is wrong with it. */
static void
expect_problem(const char *content, const char *words)
{
    struct document *document = document_create(0);
    const char *path = file_with(content);
    char *problem = document_add_file(document, path);
    unlink(path);
    if (problem == NULL || strstr(problem, words) == NULL)
        ck_abort_msg("\"%s\" is not in: %s", words, problem != NULL ? problem : "nothing");
    ck_assert_uint_eq(document->count, 0);
    free(problem);
    document_destroy(document);
}

START_TEST(damaged)
{
    expect_problem("{\n\"schema\": \"mqs-ompd/1\",\n\"processes\": [", ":3: invalid JSON");
    expect_problem("", ":1: invalid JSON");
    expect_problem("{\"verdict\": {\"kind\": [1,\n}]}}", ":2: invalid JSON");
    expect_problem("{\"schema\":\"mqs-ompd/2\",\"processes\":[]}", "mqs-ompd/2");
    expect_problem("{\"schema\":\"\\u001b[2J\",\"processes\":[]}", "\\x1b[2J");
    expect_problem("[]", "not a document");
    expect_problem("{\"schema\":\"mqs-ompd/1\"}", "no array");
    expect_problem("{\"schema\":\"mqs-ompd/1\",\"processes\":[1]}", "process 0");
}
END_TEST

static void
add(struct document *document, const char *content)
{
    const char *path = file_with(content);
    char *problem = document_add_file(document, path);
    unlink(path);
    if (problem != NULL)
        ck_abort_msg("%s", problem);
}

// What this version does not know of OpenMP is kept, however many processes there are.
START_TEST(keeps_members_of_openmp)
{
    enum { PROCESSES = 40 };
    json_t *job = json_object(), *processes = json_array();
    for (int i = 0; i < PROCESSES; i++)
        json_array_append_new(processes,
                              json_pack("{s:i, s:{s:[{s:s, s:i}], s:[i]}}", "pid", i + 1, "openmp",
                                        "threads", "id", "7", "mood", i, "moods", i));
    json_object_set_new(job, "processes", processes);
    struct document *document = made_document(job);
    json_t *written = made_json(document);
    for (size_t i = 0; i < PROCESSES; i++) {
        const json_t *omp =
            json_object_get(json_array_get(json_object_get(written, "processes"), i), "openmp");
        const json_t *thread = json_array_get(json_object_get(omp, "threads"), 0);
        const json_t *mood = json_array_get(json_object_get(omp, "moods"), 0);
        ck_assert_int_eq(json_integer_value(mood), (json_int_t) i);
        ck_assert_int_eq(json_integer_value(json_object_get(thread, "mood")), (json_int_t) i);
    }
    json_decref(written);
    json_decref(job);
    document_destroy(document);
}
END_TEST

// What threads of OpenMP wait for is read as it is written; ids that nothing has lead nowhere.
START_TEST(keeps_waits_of_openmp)
{
    static const char text[] =
        "{\"processes\": [{\"pid\": 1, \"openmp\": {\"regions\": [{\"id\": \"r\"}], \"threads\": ["
        "{\"id\": \"a\", \"state_number\": 65, \"state\": \"wait_lock\", \"state_from\": "
        "\"stack\", \"wait\": {"
        "\"kind\": \"nest_lock\", \"call\": \"omp_set_nest_lock\", \"object\": \"0x4711\", "
        "\"name\": \"locks+0x8\", \"holder\": \"b\", \"mood\": 7}}, "
        "{\"id\": \"b\", \"state_number\": 20, \"state\": \"wait_barrier_explicit\", \"wait\": {"
        "\"kind\": \"barrier\", \"region\": \"r\", \"candidates\": [], "
        "\"arrived\": [\"b\"], \"missing\": [\"a\"]}}]}}]}";
    json_t *job = json_loads(text, 0, NULL);
    json_t *threads = json_object_get(
        json_object_get(json_array_get(json_object_get(job, "processes"), 0), "openmp"), "threads");
    struct document *document = made_document(job);
    json_t *written = made_json(document);
    json_t *after = json_object_get(
        json_object_get(json_array_get(json_object_get(written, "processes"), 0), "openmp"),
        "threads");
    ck_assert(threads && json_equal(threads, after));
    json_object_set_new(json_object_get(json_array_get(threads, 0), "wait"), "holder",
                        json_string("nobody"));
    json_array_append_new(
        json_object_get(json_object_get(json_array_get(threads, 1), "wait"), "missing"),
        json_string("nobody"));
    document_destroy(document);
    document = made_document(job);
    const struct openmp *omp = &document->reports[0].omp;
    ck_assert(!HAS(openmp_wait(omp, &omp->threads[0]), OMP_WAIT_HOLDER));
    ck_assert_uint_eq(openmp_wait(omp, &omp->threads[1])->missing.count, 1);
    json_decref(written);
    json_decref(job);
    document_destroy(document);
}
END_TEST

START_TEST(union_of_processes)
{
    static const char first[] = "{\"schema\":\"mqs-ompd/1\",\"processes\":["
                                "{\"pid\":1,\"host\":\"a\",\"rank\":0,\"settled\":true},"
                                "{\"pid\":2,\"host\":\"a\",\"rank\":1}],\"messages\":[\"late\"],"
                                "\"looks\":{\"count\":8,\"seconds\":0.4,\"moved\":false}}";
    static const char second[] = "{\"schema\":\"mqs-ompd/1\",\"processes\":["
                                 "{\"pid\":2,\"host\":\"a\",\"rank\":1,\"image\":\"new\"},"
                                 "{\"pid\":2,\"host\":\"b\",\"rank\":2}]}";
    struct document *document = document_create(0);
    add(document, first);
    // Of a process that says nothing itself it is not known.
    ck_assert(!HAS(&document->reports[1], PROCESS_SETTLED));
    add(document, second);
    json_t *all = made_json(document), *processes = json_object_get(all, "processes");
    ck_assert_uint_eq(json_array_size(processes), 3);
    check_member(json_array_get(processes, 0), "settled", "true");
    check_member(json_array_get(processes, 1), "image", "\"new\"");
    ck_assert_ptr_null(json_object_get(json_array_get(processes, 1), "settled"));
    const json_t *messages = json_object_get(all, "messages");
    ck_assert_uint_eq(json_array_size(messages), 2);
    ck_assert_str_eq(json_string_value(json_array_get(messages, 0)), "late");
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_array_get(messages, 1)), "process 2 of a is in several"));
    json_decref(all);
    document_destroy(document);
}
END_TEST

/** Judges the job with each member of an object replaced. */
static void
try_each(json_t *job, json_t *object, json_t *replacement)
{
    const char *key;
    json_t *member, *copy = json_copy(object);
    json_object_foreach (copy, key, member) {
        json_object_set(object, key, replacement);
        json_decref(judge(json_deep_copy(job)));
        json_object_set(object, key, member);
    }
    json_decref(copy);
}

START_TEST(members_of_other_types)
{
    static const char *const values[] = {
        "null", "-1",   "9223372036854775807", "\"\"", "\"0-99999999\"",
        "[]",   "[[]]", "[-5, \"7-3\", {}]",   "{}",   "1e300",
        "true"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_t *value = json_loads(values[i], JSON_DECODE_ANY, NULL), *job = made_job(2);
        json_t *receive = made_receive(job, 0, 1, 7);
        made_wait(job, 0, 0, "MPI_Recv", "all", receive, (json_t *) NULL);
        made_collective(job, 1, 0, "barrier");
        made_traffic(job, 0, 1, 1, 1);
        made_openmp(job, 1, "wait_barrier", 2);
        try_each(job, job, value);
        try_each(job, made_process(job, 0), value);
        try_each(job, made_communicator(job, 0, 0), value);
        try_each(job, receive, value);
        try_each(job, json_array_get(json_object_get(made_process(job, 0), "threads"), 0), value);
        json_decref(job);
        json_decref(value);
    }
}
END_TEST

static char *
written(const struct verdict *verdict, void (*write)(const struct verdict *verdict, FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    write(verdict, out);
    fclose(out);
    return text;
}

static void
write_text(const struct verdict *verdict, FILE *out)
{
    verdict_print(verdict, out, (struct verdict_style){.alone = true, .all = true});
}

START_TEST(hostile_names)
{
    static const char name[] = "a\",\n\033[2J<script>\\";
    struct verdict verdict;
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        json_object_set_new(made_communicator(job, i, 0), "name", json_string(name));
        json_object_set_new(made_process(job, i), "host", json_string(name));
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
        json_t *thread = json_array_get(json_object_get(made_process(job, i), "threads"), 0);
        json_object_set_new(json_object_get(thread, "frame"), "function", json_string(name));
    }
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    char *text = written(&verdict, write_text), *dot = written(&verdict, export_dot),
         *csv = written(&verdict, export_csv);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_ptr_nonnull(strstr(text, "a\",\\x0a\\x1b[2J<script>\\"));
    ck_assert_ptr_null(strchr(dot, '\033'));
    ck_assert_ptr_nonnull(strstr(dot, "a\\\",\\\\x0a\\\\x1b[2J<script>\\\\"));
    ck_assert_ptr_nonnull(strstr(csv, ",\"a\"\",\\x0a\\x1b[2J<script>\\\","));
    free(text);
    free(dot);
    free(csv);
    verdict_deinit(&verdict);
    document_destroy(document);
    json_decref(job);
}
END_TEST

static size_t
count_lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static void
write_short(const struct verdict *verdict, FILE *out)
{
    verdict_print(verdict, out, (struct verdict_style){.alone = true});
}

static void
write_mistakes(const struct verdict *verdict, FILE *out)
{
    verdict_print(verdict, out, (struct verdict_style){.alone = false});
}

static size_t
count_texts(const char *text, const char *wanted)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++)
        count++;
    return count;
}

START_TEST(likewise_is_said_once)
{
    // In each of three ranks one thread receives, and another one waits for it.
    enum { RANKS = 3 };
    static const char inside[] = "  waits (wait_critical) in ";
    struct verdict verdict;
    json_t *job = made_job(RANKS);
    for (int i = 0; i < RANKS; i++) {
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, (i + 1) % RANKS, 7),
                  (json_t *) NULL);
        made_openmp(job, i, "wait_critical", 2);
    }
    made_settled(job);
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    char *brief = written(&verdict, write_short), *all = written(&verdict, write_text);
    ck_assert_ptr_nonnull(
        strstr(brief, "\n  a thread of each of ranks 0-2 waits (wait_critical) in "));
    ck_assert_uint_eq(count_texts(brief, inside), 1);
    ck_assert_uint_eq(count_texts(all, inside), RANKS);
    free(brief);
    free(all);
    verdict_deinit(&verdict);
    document_destroy(document);
    json_decref(job);
}
END_TEST

START_TEST(fits_a_screen)
{
    enum { RANKS = 10000, SCREEN = 50 };
    struct verdict verdict;
    json_t *job = made_job(RANKS);
    for (int i = 0; i < RANKS; i++) {
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, (i + 1) % RANKS, i),
                  (json_t *) NULL);
        json_t *thread = json_array_get(json_object_get(made_process(job, i), "threads"), 0);
        json_object_set_new(json_object_get(thread, "frame"), "line", json_integer(i + 1));
    }
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    ck_assert_int_eq(verdict.kind, VERDICT_DEADLOCK);
    char *text = written(&verdict, write_short);
    ck_assert_uint_le(count_lines(text), SCREEN);
    free(text);
    verdict_deinit(&verdict);
    document_destroy(document);
    json_decref(job);
}
END_TEST

static char *
text_of(json_t *job)
{
    struct verdict verdict;
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    char *text = written(&verdict, write_mistakes);
    verdict_deinit(&verdict);
    document_destroy(document);
    json_decref(job);
    return text;
}

START_TEST(counts_who_is_in)
{
    // Rank 2 waits for rank 3 in the gather; ranks 0 and 1 may have left it.
    json_t *job = made_job(4);
    made_collective(job, 2, 0, "gather");
    json_object_set_new(
        json_array_get(json_object_get(made_communicator(job, 2, 0), "collectives"), 0), "peers",
        json_pack("[i]", 3));
    char *text = text_of(json_deep_copy(job));
    ck_assert_ptr_nonnull(strstr(text, "1 of 4 in it"));
    ck_assert_ptr_nonnull(strstr(text, "waits for rank 3"));
    free(text);
    // That it is all that are not in it makes no difference.
    json_t *only = made_job(2);
    made_collective(only, 0, 0, "bcast");
    json_object_set_new(
        json_array_get(json_object_get(made_communicator(only, 0, 0), "collectives"), 0), "peers",
        json_pack("[i]", 1));
    text = text_of(only);
    ck_assert_ptr_nonnull(strstr(text, "1 of 2 in it  waits for rank 1"));
    free(text);
    // So may all when it is not known for whom it waits.
    made_collective(job, 2, 0, "gather");
    text = text_of(json_deep_copy(job));
    ck_assert_ptr_nonnull(strstr(text, "elsewhere: ranks [0,1,3]"));
    free(text);
    made_collective(job, 2, 0, "barrier");
    text = text_of(job);
    ck_assert_ptr_nonnull(strstr(text, "missing: ranks [0,1,3]"));
    free(text);
}
END_TEST

START_TEST(seeks_no_mistake_of_the_stopped)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_wait(job, 1, 0, "MPI_Send", "all", made_rendezvous(job, 1, 0, 9), (json_t *) NULL);
    char *text = text_of(json_deep_copy(job));
    ck_assert_ptr_nonnull(strstr(text, "differ in one thing"));
    free(text);
    json_object_set_new(made_process(job, 1), "state", json_string("stopped"));
    text = text_of(job);
    ck_assert_ptr_nonnull(strstr(text, "rank 1 is stopped: "));
    ck_assert_ptr_null(strstr(text, "differ in one thing"));
    free(text);
}
END_TEST

START_TEST(nobody)
{
    expect(made_job(0), "unknown", "[]");
}
END_TEST

Suite *
suite_documents(void)
{
    const TTest *const tests[] = {damaged,
                                  keeps_members_of_openmp,
                                  keeps_waits_of_openmp,
                                  union_of_processes,
                                  members_of_other_types,
                                  hostile_names,
                                  likewise_is_said_once,
                                  fits_a_screen,
                                  counts_who_is_in,
                                  seeks_no_mistake_of_the_stopped,
                                  nobody};
    Suite *suite = suite_create("documents");
    TCase *tcase = tcase_create("documents");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

// SPDX-License-Identifier: BSD-3-Clause
// The verdict about jobs that are made up.
#include "tests/verdict/check_verdict.h"

#include "tests/check_run.h"
#include "mqshow/verdict/export.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/** The verdict as it is written. */
static json_t *
written(const struct verdict *verdict)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json_out json;
    json_out_begin(&json, out, JSON_INDENT(1));
    verdict_write(&json, verdict, false);
    json_out_end(&json);
    fclose(out);
    json_t *read = json_loadb(text, size, 0, NULL);
    ck_assert_ptr_nonnull(read);
    free(text);
    return read;
}

json_t *
judge(json_t *job)
{
    struct verdict verdict;
    struct document *document = made_document(job);
    verdict_init(&verdict, document);
    json_t *judged = written(&verdict);
    verdict_deinit(&verdict);
    document_destroy(document);
    json_decref(job);
    return judged;
}

void
check_member(const json_t *judged, const char *key, const char *expected)
{
    char *text = json_dumps(json_object_get(judged, key), JSON_ENCODE_ANY | JSON_COMPACT);
    if (text == NULL || strcmp(text, expected) != 0)
        ck_abort_msg("%s is %s instead of %s; the verdict is: %s", key,
                     text != NULL ? text : "absent", expected,
                     json_string_value(json_object_get(judged, "text")));
    free(text);
}

void
check_text(const json_t *judged, const char *words)
{
    const char *text = json_string_value(json_object_get(judged, "text"));
    if (text == NULL || strstr(text, words) == NULL)
        ck_abort_msg("\"%s\" is not in: %s", words, text != NULL ? text : "nothing");
    ck_assert_uint_le(strlen(text), 100);
}

void
check_fact(const json_t *judged, const char *words)
{
    size_t i;
    json_t *fact;
    json_array_foreach (json_object_get(judged, "facts"), i, fact) {
        if (strstr(json_string_value(fact), words) != NULL)
            return;
    }
    char *facts = json_dumps(json_object_get(judged, "facts"), 0);
    ck_abort_msg("\"%s\" is not in: %s", words, facts);
}

void
expect(json_t *job, const char *kind, const char *cycles)
{
    char quoted[64];
    json_t *judged = judge(job);
    snprintf(quoted, sizeof quoted, "\"%s\"", kind);
    check_member(judged, "kind", quoted);
    check_member(judged, "cycles", cycles);
    json_decref(judged);
}

int
main(void)
{
    static Suite *(*const suites[])(void) = {
        suite_messages,  suite_arguments, suite_groups, suite_labels, suite_threads,
        suite_documents, suite_causes,    suite_openmp, suite_places, suite_device};
    SRunner *runner = srunner_create(suite_create("verdict"));
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        srunner_add_suite(runner, suites[i]());
    return check_run(runner);
}

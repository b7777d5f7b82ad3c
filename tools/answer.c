// SPDX-License-Identifier: BSD-3-Clause
// The document that a machine answers with, line by line, and what it says when it does not.
#include "tools/answer.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINT_MAX = 300, DEPTH_MAX = 100 };

static const size_t text_max = (size_t) 1 << 30;

static void
append(struct answer *answer, const char *line)
{
    size_t length = strlen(line);
    if (answer->length + length + 2 > text_max) {
        answer->too_long = true;
        return;
    }
    while (answer->length + length + 2 > answer->capacity) {
        size_t capacity = answer->capacity > 0 ? 2 * answer->capacity : 4096;
        char *longer = alloc_zeroed(capacity, 1);
        if (answer->length > 0)
            memcpy(longer, answer->text, answer->length);
        free(answer->text);
        answer->text = longer;
        answer->capacity = capacity;
    }
    memcpy(answer->text + answer->length, line, length);
    answer->length += length;
    answer->text[answer->length++] = '\n';
}

bool
answer_add(struct answer *answer, const char *line)
{
    if (answer->complete)
        return false;
    answer->inside = answer->inside || strcmp(line, "{") == 0;
    if (!answer->inside)
        return false;
    append(answer, line);
    answer->complete = strcmp(line, "}") == 0;
    return answer->complete;
}

void
answer_complain(struct answer *answer, const char *line)
{
    size_t length = answer->complaint != NULL ? strlen(answer->complaint) : 0;
    if (length >= COMPLAINT_MAX || *line == '\0')
        return;
    char *escaped = escape_text(line, COMPLAINT_MAX - length);
    char *longer = alloc_format("%s%s%s", length > 0 ? answer->complaint : "",
                                length > 0 ? "; " : "", escaped);
    free(escaped);
    free(answer->complaint);
    answer->complaint = longer;
}

static json_t *clean(const json_t *value, int depth);

/** Members whose names are not harmless are left out. */
static json_t *
clean_object(const json_t *value, int depth)
{
    json_t *object = json_object(), *member;
    const char *key;
    json_object_foreach ((json_t *) value, key, member) {
        char *escaped = escape_text(key, SIZE_MAX);
        if (strcmp(escaped, key) == 0)
            json_object_set_new(object, key, clean(member, depth + 1));
        free(escaped);
    }
    return object;
}

/** A copy with harmless texts; what is nested too deep is null. */
static json_t *
clean(const json_t *value, int depth)
{
    if (depth > DEPTH_MAX)
        return json_null();
    if (json_is_object(value))
        return clean_object(value, depth);
    if (json_is_string(value)) {
        char *escaped = escape_text(json_string_value(value), SIZE_MAX);
        json_t *text = json_string(escaped);
        free(escaped);
        return text;
    }
    if (!json_is_array(value))
        return json_copy((json_t *) value);
    json_t *array = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
        json_array_append_new(array, clean(json_array_get(value, i), depth + 1));
    return array;
}

json_t *
answer_document(struct answer *answer)
{
    json_t *read = answer->complete && !answer->too_long
                       ? json_loadb(answer->text, answer->length, 0, NULL)
                       : NULL;
    free(answer->text);
    answer->text = NULL;
    answer->length = answer->capacity = 0;
    const char *schema = json_string_value(json_object_get(read, "schema"));
    json_t *document = NULL;
    if (schema != NULL && strcmp(schema, "mqs-ompd/1") == 0 &&
        json_is_array(json_object_get(read, "processes")))
        document = clean(read, 0);
    json_decref(read);
    return document;
}

void
answer_deinit(struct answer *answer)
{
    free(answer->text);
    free(answer->complaint);
    *answer = (struct answer){.text = NULL};
}

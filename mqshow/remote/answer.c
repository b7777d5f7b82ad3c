// SPDX-License-Identifier: BSD-3-Clause
// The document that a machine answers with, line by line, and what it says when it does not.
#include "mqshow/remote/answer.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPLAINT_MAX = 300,
    VALUE_BYTES = 128, // of memory for a value, beside its text: an empty array takes most
};

/** Memory for the values that begin in a line, its text included. */
static uint64_t
memory_of(const char *line)
{
    uint64_t ret = 0;
    for (; *line != '\0'; line++)
        ret +=
            strchr(",[{", *line) != NULL ? VALUE_BYTES : 2; // of text: as it came and as it is read
    return ret;
}

static void
forget(struct answer *answer)
{
    free(answer->text);
    answer->text = NULL;
    answer->length = answer->capacity = 0;
}

static void
append(struct answer *answer, const char *line, uint64_t *memory)
{
    size_t length = strlen(line);
    uint64_t needed = memory_of(line);
    if (answer->too_long)
        return;
    if (needed > *memory || answer->memory + needed > ANSWER_MEMORY_MAX) {
        answer->too_long = true;
        forget(answer);
        *memory += answer->memory;
        return;
    }
    *memory -= needed;
    answer->memory += needed;
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
answer_add(struct answer *answer, const char *line, uint64_t *memory)
{
    if (answer->complete)
        return false;
    answer->inside = answer->inside || strcmp(line, "{") == 0;
    if (!answer->inside)
        return false;
    append(answer, line, memory);
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

json_t *
answer_document(struct answer *answer)
{
    json_t *read = answer->complete && !answer->too_long
                       ? json_loadb(answer->text, answer->length, 0, NULL)
                       : NULL;
    forget(answer);
    const char *schema = json_string_value(json_object_get(read, "schema"));
    if (schema == NULL || strcmp(schema, "mqs-ompd/1") != 0 ||
        !json_is_array(json_object_get(read, "processes"))) {
        json_decref(read);
        return NULL;
    }
    return read;
}

void
answer_deinit(struct answer *answer)
{
    free(answer->text);
    free(answer->complaint);
    *answer = (struct answer){.text = NULL};
}

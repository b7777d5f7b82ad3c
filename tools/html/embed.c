// SPDX-License-Identifier: BSD-3-Clause
// JSON inside a page.
#include "tools/html/embed.h"

#include "tools/html/run.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_RUN = 3 };

struct embedding {
    FILE *out;
    json_t *groups; // numbers of those that are written, by their texts
};

/** Whether a character stands for itself: the others could end a text, an element or a line. */
static bool
is_plain(const char *at, size_t left)
{
    unsigned char c = (unsigned char) *at;
    bool separator = left >= 3 && memcmp(at, "\xe2\x80", 2) == 0 &&
                     ((unsigned char) at[2] & 0xfe) == 0xa8; // U+2028, U+2029
    return c >= 0x20 && c != 0x7f && strchr("\"\\<>&'", c) == NULL && !separator;
}

static void
write_text(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0, from = 0; i <= length; i++) {
        if (i < length && is_plain(text + i, length - i))
            continue;
        fwrite(text + from, 1, i - from, out);
        from = i + 1;
        if (i == length)
            break;
        if (text[i] == '\xe2') { // the separators differ in their last byte
            fprintf(out, "\\u20%02x", (unsigned char) text[i + 2] - 0x80);
            from = i += 3;
            i--;
        } else {
            fprintf(out, "\\u%04x", (unsigned char) text[i]);
        }
    }
    fputc('"', out);
}

static void
write_integer(FILE *out, json_int_t number)
{
    const json_int_t exact = (json_int_t) 1 << 53;
    bool is_exact = number >= -exact && number <= exact;
    fprintf(out, is_exact ? "%" JSON_INTEGER_FORMAT : "\"%" JSON_INTEGER_FORMAT "\"", number);
}

static void
write_run(FILE *out, struct run run)
{
    if (run.last - run.first + 1 >= LONG_RUN)
        fprintf(out, "\"%" JSON_INTEGER_FORMAT "-%" JSON_INTEGER_FORMAT "\"", run.first, run.last);
    else
        for (json_int_t rank = run.first; rank <= run.last; rank++)
            fprintf(out, rank == run.first ? "%" JSON_INTEGER_FORMAT : ",%" JSON_INTEGER_FORMAT,
                    rank);
}

/** A group as runs in the same order, for free(). What is no rank is left out. */
static char *
runs_text(const json_t *group)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct run run, next;
    bool has_run = false;
    fputc('[', out);
    for (size_t i = 0; i < json_array_size(group); i++) {
        if (!run_read(json_array_get(group, i), &next))
            continue;
        if (has_run && run.first >= 0 && next.first == run.last + 1) {
            run.last = next.last;
            continue;
        }
        if (has_run) {
            write_run(out, run);
            fputc(',', out);
        }
        run = next;
        has_run = true;
    }
    if (has_run)
        write_run(out, run);
    fputc(']', out);
    fclose(out);
    return text;
}

static void
write_group(struct embedding *embedding, const json_t *group)
{
    char *text = runs_text(group);
    const json_t *number = json_object_get(embedding->groups, text);
    if (number != NULL) {
        fprintf(embedding->out, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    } else {
        size_t next = json_object_size(embedding->groups);
        json_object_set_new(embedding->groups, text, json_integer((json_int_t) next));
        fputs(text, embedding->out);
    }
    free(text);
}

static void write_value(struct embedding *embedding, const json_t *value);

static void
write_object(struct embedding *embedding, const json_t *object)
{
    const char *key, *separator = "{";
    json_t *value;
    json_object_foreach ((json_t *) object, key, value) {
        fputs(separator, embedding->out);
        separator = ",";
        write_text(embedding->out, key, strlen(key));
        fputc(':', embedding->out);
        bool is_group = strcmp(key, "group") == 0 || strcmp(key, "remote_group") == 0;
        if (is_group && json_is_array(value))
            write_group(embedding, value);
        else
            write_value(embedding, value);
    }
    fputs(*separator == '{' ? "{}" : "}", embedding->out);
}

static void
write_array(struct embedding *embedding, const json_t *array)
{
    fputc('[', embedding->out);
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i > 0)
            fputc(',', embedding->out);
        write_value(embedding, json_array_get(array, i));
    }
    fputc(']', embedding->out);
}

static void
write_value(struct embedding *embedding, const json_t *value)
{
    FILE *out = embedding->out;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(embedding, value);
        break;
    case JSON_ARRAY:
        write_array(embedding, value);
        break;
    case JSON_STRING:
        write_text(out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        write_integer(out, json_integer_value(value));
        break;
    case JSON_REAL:
        fprintf(out, "%.15g", json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        fputs(json_is_true(value) ? "true" : "false", out);
        break;
    case JSON_NULL:
        fputs("null", out);
        break;
    }
}

void
embed_json(FILE *out, const json_t *value)
{
    struct embedding embedding = {.out = out, .groups = json_object()};
    if (value != NULL)
        write_value(&embedding, value);
    else
        fputs("null", out);
    json_decref(embedding.groups);
}

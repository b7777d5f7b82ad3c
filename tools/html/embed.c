// SPDX-License-Identifier: BSD-3-Clause
// JSON inside a page.
#include "tools/html/embed.h"

#include "tools/alloc.h"
#include "tools/html/members.h"
#include "tools/html/run.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_RUN = 3, LIST = -1 };

/** The values that are written. */
struct embedding {
    FILE *out;
    json_t *places; // by what is written
    json_int_t count;
    FILE *piece; // what the next value is written like, in `text`
    char *text;
    size_t text_size;
    json_int_t *stack; // places that the values in work are made of
    size_t used, capacity;
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
add_run(json_t *runs, struct run run)
{
    if (run.last - run.first + 1 >= LONG_RUN)
        json_array_append_new(runs, json_sprintf("%" JSON_INTEGER_FORMAT "-%" JSON_INTEGER_FORMAT,
                                                 run.first, run.last));
    else
        for (json_int_t rank = run.first; rank <= run.last; rank++)
            json_array_append_new(runs, json_integer(rank));
}

/** A group as runs in the same order. What is no rank is left out. */
static json_t *
runs_of(const json_t *group)
{
    json_t *runs = json_array();
    struct run run, next;
    bool has_run = false;
    for (size_t i = 0; i < json_array_size(group); i++) {
        if (!run_read(json_array_get(group, i), &next))
            continue;
        if (has_run && run.first >= 0 && next.first == run.last + 1) {
            run.last = next.last;
            continue;
        }
        if (has_run)
            add_run(runs, run);
        run = next;
        has_run = true;
    }
    if (has_run)
        add_run(runs, run);
    return runs;
}

/** The place of the value that is written in `piece`: an earlier one's, or its own. */
static json_int_t
place_of_piece(struct embedding *embedding)
{
    fputc('\0', embedding->piece);
    fflush(embedding->piece);
    rewind(embedding->piece);
    const json_t *known = json_object_get(embedding->places, embedding->text);
    if (known != NULL)
        return json_integer_value(known);
    json_int_t place = embedding->count++;
    json_object_set_new_nocheck(embedding->places, embedding->text, json_integer(place));
    fprintf(embedding->out, "%s\n%s", place > 0 ? "," : "", embedding->text);
    return place;
}

static json_int_t
place_of_text(struct embedding *embedding, const char *text, size_t length)
{
    write_text(embedding->piece, text, length);
    return place_of_piece(embedding);
}

static json_int_t
place_of_word(struct embedding *embedding, const char *word)
{
    fputs(word, embedding->piece);
    return place_of_piece(embedding);
}

static json_int_t
place_of_number(struct embedding *embedding, const json_t *number)
{
    if (json_is_integer(number))
        write_integer(embedding->piece, json_integer_value(number));
    else
        fprintf(embedding->piece, "%.15g", json_real_value(number));
    return place_of_piece(embedding);
}

static void
push(struct embedding *embedding, json_int_t place)
{
    embedding->stack = alloc_grow(embedding->stack, embedding->used, &embedding->capacity,
                                  sizeof *embedding->stack);
    embedding->stack[embedding->used++] = place;
}

/** The place of what is made of the pushed places from `from` on, which are popped. */
static json_int_t
place_of_pushed(struct embedding *embedding, json_int_t first, size_t from)
{
    fprintf(embedding->piece, "[%" JSON_INTEGER_FORMAT, first);
    for (size_t i = from; i < embedding->used; i++)
        fprintf(embedding->piece, ",%" JSON_INTEGER_FORMAT, embedding->stack[i]);
    fputc(']', embedding->piece);
    embedding->used = from;
    return place_of_piece(embedding);
}

static json_int_t place_of_value(struct embedding *embedding, const json_t *value);

static json_int_t
place_of_array(struct embedding *embedding, const json_t *array)
{
    size_t from = embedding->used;
    for (size_t i = 0; i < json_array_size(array); i++)
        push(embedding, place_of_value(embedding, json_array_get(array, i)));
    return place_of_pushed(embedding, LIST, from);
}

static json_int_t
place_of_member(struct embedding *embedding, const char *name, const json_t *value)
{
    bool is_group = strcmp(name, "group") == 0 || strcmp(name, "remote_group") == 0;
    if (!is_group || !json_is_array(value))
        return place_of_value(embedding, value);
    json_t *runs = runs_of(value);
    json_int_t place = place_of_array(embedding, runs);
    json_decref(runs);
    return place;
}

static json_int_t
place_of_names(struct embedding *embedding, const json_t *object)
{
    const char *name;
    json_t *value;
    size_t from = embedding->used;
    json_object_foreach ((json_t *) object, name, value)
        if (members_has(object, name))
            push(embedding, place_of_text(embedding, name, strlen(name)));
    return place_of_pushed(embedding, LIST, from);
}

static json_int_t
place_of_object(struct embedding *embedding, const json_t *object)
{
    const char *name;
    json_t *value;
    json_int_t names = place_of_names(embedding, object);
    size_t from = embedding->used;
    json_object_foreach ((json_t *) object, name, value)
        if (members_has(object, name))
            push(embedding, place_of_member(embedding, name, value));
    return place_of_pushed(embedding, names, from);
}

static json_int_t
place_of_value(struct embedding *embedding, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return place_of_object(embedding, value);
    case JSON_ARRAY:
        return place_of_array(embedding, value);
    case JSON_STRING:
        return place_of_text(embedding, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
    case JSON_REAL:
        return place_of_number(embedding, value);
    case JSON_TRUE:
        return place_of_word(embedding, "true");
    case JSON_FALSE:
        return place_of_word(embedding, "false");
    case JSON_NULL:
        break;
    }
    return place_of_word(embedding, "null");
}

void
embed_json(FILE *out, const json_t *value)
{
    struct embedding embedding = {.out = out, .places = json_object()};
    embedding.piece = open_memstream(&embedding.text, &embedding.text_size);
    fputc('[', out);
    if (value != NULL)
        place_of_value(&embedding, value);
    fputc(']', out);
    fclose(embedding.piece);
    free(embedding.text);
    free(embedding.stack);
    json_decref(embedding.places);
}

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

/** The place of a value that is written like this, which is freed: an earlier one, or its own. */
static json_int_t
place_of(struct embedding *embedding, char *text)
{
    const json_t *place = json_object_get(embedding->places, text);
    json_int_t ret = place != NULL ? json_integer_value(place) : embedding->count++;
    if (place == NULL) {
        json_object_set_new_nocheck(embedding->places, text, json_integer(ret));
        fprintf(embedding->out, "%s\n%s", ret > 0 ? "," : "", text);
    }
    free(text);
    return ret;
}

/** A text that is written piece by piece. */
struct piece {
    FILE *out;
    char *text;
    size_t size;
};

static void
begin(struct piece *piece)
{
    *piece = (struct piece){0};
    piece->out = open_memstream(&piece->text, &piece->size);
}

static json_int_t
place_of_piece(struct embedding *embedding, struct piece *piece)
{
    fclose(piece->out);
    return place_of(embedding, piece->text);
}

static json_int_t
place_of_text(struct embedding *embedding, const char *text, size_t length)
{
    struct piece piece;
    begin(&piece);
    write_text(piece.out, text, length);
    return place_of_piece(embedding, &piece);
}

static json_int_t place_of_value(struct embedding *embedding, const json_t *value);

static void
write_place(FILE *out, json_int_t place)
{
    fprintf(out, ",%" JSON_INTEGER_FORMAT, place);
}

static json_int_t
place_of_array(struct embedding *embedding, const json_t *array)
{
    struct piece piece;
    begin(&piece);
    fprintf(piece.out, "[%d", LIST);
    for (size_t i = 0; i < json_array_size(array); i++)
        write_place(piece.out, place_of_value(embedding, json_array_get(array, i)));
    fputc(']', piece.out);
    return place_of_piece(embedding, &piece);
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
place_of_object(struct embedding *embedding, const json_t *object)
{
    const char *name;
    json_t *value;
    struct piece names, places, whole;
    begin(&names);
    begin(&places);
    fprintf(names.out, "[%d", LIST);
    json_object_foreach ((json_t *) object, name, value) {
        if (!members_has(object, name))
            continue;
        write_place(names.out, place_of_text(embedding, name, strlen(name)));
        write_place(places.out, place_of_member(embedding, name, value));
    }
    fputc(']', names.out);
    fclose(places.out);
    begin(&whole);
    fprintf(whole.out, "[%" JSON_INTEGER_FORMAT "%s]", place_of_piece(embedding, &names),
            places.text);
    free(places.text);
    return place_of_piece(embedding, &whole);
}

static json_int_t
place_of_number(struct embedding *embedding, const json_t *number)
{
    struct piece piece;
    begin(&piece);
    if (json_is_integer(number))
        write_integer(piece.out, json_integer_value(number));
    else
        fprintf(piece.out, "%.15g", json_real_value(number));
    return place_of_piece(embedding, &piece);
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
        return place_of(embedding, alloc_text("true"));
    case JSON_FALSE:
        return place_of(embedding, alloc_text("false"));
    case JSON_NULL:
        break;
    }
    return place_of(embedding, alloc_text("null"));
}

void
embed_json(FILE *out, const json_t *value)
{
    struct embedding embedding = {.out = out, .places = json_object()};
    fputc('[', out);
    if (value != NULL)
        place_of_value(&embedding, value);
    fputs("]", out);
    json_decref(embedding.places);
}

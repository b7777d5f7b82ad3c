// SPDX-License-Identifier: BSD-3-Clause
// JSON inside a page.
#include "tools/html/embed.h"

#include "tools/alloc.h"
#include "tools/html/members.h"
#include "tools/html/run.h"
#include "tools/operations.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_RUN = 3, LIST = -1 };
enum { KNOWN_MAX = 1 << 14 }; // values that are known before a new number is not noted any more

/** The values that are written. */
struct embedding {
    FILE *out;
    struct intern known; // what is written, but for what is hardly ever there twice
    json_int_t *places;  // theirs
    size_t places_capacity;
    json_int_t count;
    bool shown[OP_MEMBERS];
    uint32_t last_has; // the members of the last operation, and the place of their names
    json_int_t last_names;
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

static const char *
finish_piece(struct embedding *embedding)
{
    fputc('\0', embedding->piece);
    fflush(embedding->piece);
    rewind(embedding->piece);
    return embedding->text;
}

static json_int_t
place_of_new(struct embedding *embedding, const char *text)
{
    fprintf(embedding->out, "%s\n%s", embedding->count > 0 ? "," : "", text);
    return embedding->count++;
}

/** The place of the value that is written in `piece`: an earlier one's, or its own. */
static json_int_t
place_of_piece(struct embedding *embedding)
{
    const char *text = finish_piece(embedding);
    size_t before = embedding->known.count;
    uint32_t number = intern_text(&embedding->known, text);
    if (number < before)
        return embedding->places[number];
    embedding->places = alloc_grow(embedding->places, before, &embedding->places_capacity,
                                   sizeof *embedding->places);
    return embedding->places[number] = place_of_new(embedding, text);
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

/** Numbers are short: where there are very many, memory is worth more than that each is there once.
 */
static json_int_t
place_of_integer(struct embedding *embedding, json_int_t number)
{
    write_integer(embedding->piece, number);
    if (embedding->known.count < KNOWN_MAX)
        return place_of_piece(embedding);
    const char *text = finish_piece(embedding);
    size_t found = intern_find_text(&embedding->known, text);
    return found < embedding->known.count ? embedding->places[found]
                                          : place_of_new(embedding, text);
}

static json_int_t
place_of_number(struct embedding *embedding, const json_t *number)
{
    if (json_is_integer(number))
        return place_of_integer(embedding, json_integer_value(number));
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

/** Writes what is made of the pushed places from `from` on, which are popped. */
static void
write_pushed(struct embedding *embedding, json_int_t first, size_t from)
{
    fprintf(embedding->piece, "[%" JSON_INTEGER_FORMAT, first);
    for (size_t i = from; i < embedding->used; i++)
        fprintf(embedding->piece, ",%" JSON_INTEGER_FORMAT, embedding->stack[i]);
    fputc(']', embedding->piece);
    embedding->used = from;
}

static json_int_t
place_of_pushed(struct embedding *embedding, json_int_t first, size_t from)
{
    write_pushed(embedding, first, from);
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

static json_int_t place_of_lines(struct embedding *embedding, const char *lines);
static json_int_t place_of_envelope(struct embedding *embedding, const struct actual *actual);

static json_int_t
place_of_op_value(struct embedding *embedding, struct op_value value)
{
    switch (value.type) {
    case OP_INTEGER:
        return place_of_integer(embedding, value.integer);
    case OP_HEX: // an address, which is no other operation's
        fprintf(embedding->piece, "\"0x%" PRIx64 "\"", value.hex);
        return place_of_new(embedding, finish_piece(embedding));
    case OP_BOOLEAN:
        return place_of_word(embedding, value.boolean ? "true" : "false");
    case OP_WORD:
        return place_of_text(embedding, value.word, strlen(value.word));
    case OP_LINES:
        return place_of_lines(embedding, value.word);
    case OP_ENVELOPE:
        return place_of_envelope(embedding, value.envelope);
    case OP_NONE:
        break;
    }
    return place_of_word(embedding, "null");
}

static json_int_t
place_of_lines(struct embedding *embedding, const char *lines)
{
    size_t from = embedding->used;
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        push(embedding, place_of_text(embedding, lines, (size_t) (end - lines)));
    return place_of_pushed(embedding, LIST, from);
}

/** The values of some members: those that are there and are shown. */
struct op_values {
    struct op_value items[OP_MEMBERS];
};

static bool
is_shown(const struct embedding *embedding, const struct op_values *values, int member)
{
    return values->items[member].type != OP_NONE && embedding->shown[member];
}

/** The place of the names of these values, which most often are those of the values before. */
static json_int_t
place_of_members(struct embedding *embedding, const struct op_values *values)
{
    uint32_t has = 0;
    for (int i = 0; i < OP_MEMBERS; i++)
        has |= is_shown(embedding, values, i) ? OP_HAS(i) : 0;
    if (has == embedding->last_has && has != 0)
        return embedding->last_names;
    size_t from = embedding->used;
    for (int i = 0; i < OP_MEMBERS; i++) {
        const char *name = op_member_name((enum op_member) i);
        if (is_shown(embedding, values, i))
            push(embedding, place_of_text(embedding, name, strlen(name)));
    }
    embedding->last_has = has;
    return embedding->last_names = place_of_pushed(embedding, LIST, from);
}

/** Writes an object with these values. */
static void
write_values(struct embedding *embedding, const struct op_values *values)
{
    size_t from = embedding->used;
    json_int_t names = place_of_members(embedding, values);
    for (int i = 0; i < OP_MEMBERS; i++)
        if (is_shown(embedding, values, i))
            push(embedding, place_of_op_value(embedding, values->items[i]));
    write_pushed(embedding, names, from);
}

static json_int_t
place_of_envelope(struct embedding *embedding, const struct actual *actual)
{
    struct op_values values = {.items[0].type = OP_NONE};
    for (int i = OP_PEER; i <= OP_BYTES; i++)
        values.items[i] = operations_actual_value(actual, (enum op_member) i);
    write_values(embedding, &values);
    return place_of_piece(embedding);
}

static json_int_t
place_of_queue(struct embedding *embedding, const struct operations *operations)
{
    size_t from = embedding->used;
    for (size_t i = 0; i < operations->count; i++) {
        struct op_values values;
        for (int k = 0; k < OP_MEMBERS; k++)
            values.items[k] =
                operations_value(operations, &operations->items[i], (enum op_member) k);
        write_values(embedding, &values);
        json_int_t place = place_of_new(embedding, finish_piece(embedding));
        push(embedding, place);
    }
    return place_of_pushed(embedding, LIST, from);
}

static json_int_t
place_of_value(struct embedding *embedding, const json_t *value)
{
    struct operations operations;
    if (operations_unpack(value, &operations))
        return place_of_queue(embedding, &operations);
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
    struct embedding embedding = {.out = out};
    for (int i = 0; i < OP_MEMBERS; i++)
        embedding.shown[i] = members_has(value, op_member_name((enum op_member) i));
    embedding.piece = open_memstream(&embedding.text, &embedding.text_size);
    fputc('[', out);
    if (value != NULL)
        place_of_value(&embedding, value);
    fputc(']', out);
    fclose(embedding.piece);
    free(embedding.text);
    free(embedding.stack);
    free(embedding.places);
    intern_deinit(&embedding.known);
}

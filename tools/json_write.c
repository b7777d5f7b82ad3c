// SPDX-License-Identifier: BSD-3-Clause
// Writing documents whose queues are packed.
#include "tools/json_write.h"

#include "tools/operations.h"
#include "tools/verdict/lonely.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    size_t flags;
    int depth;
    bool begun; // the innermost object or array has something in it
    size_t used;
    char text[1 << 14]; // what is not written yet
};

static void write_value(struct writer *writer, const json_t *value);

static void
flush(struct writer *writer)
{
    fwrite(writer->text, 1, writer->used, writer->out);
    writer->used = 0;
}

static void
put_bytes(struct writer *writer, const char *bytes, size_t size)
{
    if (size > sizeof writer->text - writer->used)
        flush(writer);
    if (size > sizeof writer->text) {
        fwrite(bytes, 1, size, writer->out);
        return;
    }
    memcpy(writer->text + writer->used, bytes, size);
    writer->used += size;
}

static void
put(struct writer *writer, const char *text)
{
    put_bytes(writer, text, strlen(text));
}

static void
put_char(struct writer *writer, char c)
{
    put_bytes(writer, &c, 1);
}

/** What is between things: a new line where there is indentation. */
static void
put_break(struct writer *writer)
{
    static const char blanks[] = "                                ";
    int width = (int) (writer->flags & JSON_MAX_INDENT) * writer->depth;
    if ((writer->flags & JSON_MAX_INDENT) == 0)
        return;
    put_char(writer, '\n');
    for (int most = sizeof blanks - 1; width > 0; width -= most)
        put_bytes(writer, blanks, (size_t) (width < most ? width : most));
}

static void
begin(struct writer *writer, char bracket)
{
    put_char(writer, bracket);
    writer->depth++;
    writer->begun = false;
}

static void
end(struct writer *writer, char bracket)
{
    writer->depth--;
    if (writer->begun)
        put_break(writer);
    put_char(writer, bracket);
    writer->begun = true;
}

/** Goes to the next item of an array. */
static void
next(struct writer *writer)
{
    if (writer->begun)
        put_char(writer, ',');
    put_break(writer);
    writer->begun = true;
}

/** Whether a text is written as it is. */
static bool
is_plain(const char *text)
{
    while (*text >= ' ' && *text != '"' && *text != '\\' && *text < 0x7f)
        text++;
    return *text == '\0';
}

static void
put_scalar(struct writer *writer, const json_t *value)
{
    flush(writer);
    json_dumpf(value, writer->out, writer->flags | JSON_ENCODE_ANY);
}

static void
put_text(struct writer *writer, const char *text)
{
    if (is_plain(text)) {
        put_char(writer, '"');
        put(writer, text);
        put_char(writer, '"');
        return;
    }
    json_t *value = json_string(text);
    put_scalar(writer, value);
    json_decref(value);
}

static void
put_integer(struct writer *writer, int64_t number)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t) number : (uint64_t) number;
    do {
        *--at = (char) ('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        *--at = '-';
    put_bytes(writer, at, (size_t) (digits + sizeof digits - at));
}

static void
put_hex(struct writer *writer, uint64_t number)
{
    char digits[24], *at = digits + sizeof digits;
    do {
        *--at = "0123456789abcdef"[number % 16];
        number /= 16;
    } while (number > 0);
    put(writer, "\"0x");
    put_bytes(writer, at, (size_t) (digits + sizeof digits - at));
    put_char(writer, '"');
}

/** Goes to the next member of an object. */
static void
put_key(struct writer *writer, const char *key)
{
    next(writer);
    put_text(writer, key);
    put(writer, (writer->flags & JSON_COMPACT) != 0 ? ":" : ": ");
}

static void
put_lines(struct writer *writer, const char *lines)
{
    begin(writer, '[');
    for (const char *stop; (stop = strchr(lines, '\n')) != NULL; lines = stop + 1) {
        char line[512];
        size_t length = (size_t) (stop - lines);
        next(writer);
        if (length < sizeof line) {
            *(char *) mempcpy(line, lines, length) = '\0';
            put_text(writer, line);
            continue;
        }
        json_t *value = json_stringn(lines, length);
        put_scalar(writer, value);
        json_decref(value);
    }
    end(writer, ']');
}

static void put_member(struct writer *writer, enum op_member member, struct op_value value);

static void
put_actual(struct writer *writer, const struct actual *actual)
{
    begin(writer, '{');
    for (int i = OP_PEER; i <= OP_BYTES; i++)
        put_member(writer, (enum op_member) i, operations_actual_value(actual, (enum op_member) i));
    end(writer, '}');
}

static void
put_member(struct writer *writer, enum op_member member, struct op_value value)
{
    if (value.type == OP_NONE)
        return;
    put_key(writer, op_member_name(member));
    switch (value.type) {
    case OP_NONE:
        break;
    case OP_INTEGER:
        put_integer(writer, value.integer);
        break;
    case OP_HEX:
        put_hex(writer, value.hex);
        break;
    case OP_BOOLEAN:
        put(writer, value.boolean ? "true" : "false");
        break;
    case OP_WORD:
        put_text(writer, value.word);
        break;
    case OP_LINES:
        put_lines(writer, value.word);
        break;
    case OP_ENVELOPE:
        put_actual(writer, value.envelope);
        break;
    }
}

static void
put_members(struct writer *writer, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *) object, key, value) {
        put_key(writer, key);
        write_value(writer, value);
    }
}

/** @param more members behind those of the operation, an object; NULL: none */
static void
put_operation(struct writer *writer, const struct operations *operations,
              const struct operation *op, const json_t *more)
{
    begin(writer, '{');
    for (int i = 0; i < OP_MEMBERS; i++)
        put_member(writer, (enum op_member) i,
                   operations_value(operations, op, (enum op_member) i));
    if (op->others > 0) {
        json_t *others = json_loads(operations_text(operations, op->others), 0, NULL);
        put_members(writer, others);
        json_decref(others);
    }
    put_members(writer, more);
    end(writer, '}');
}

static void
put_queue(struct writer *writer, const struct operations *operations)
{
    begin(writer, '[');
    for (size_t i = 0; i < operations->count; i++) {
        next(writer);
        put_operation(writer, operations, &operations->items[i], NULL);
    }
    end(writer, ']');
}

/** Operations that never matched: each is told with its place. */
static void
put_lonely(struct writer *writer, const struct lonely *lonely)
{
    json_t *more = json_pack("{s:O, s:O, s:O}", "communicator", lonely->communicator,
                             "communicator_id", lonely->communicator_id, "queue", lonely->queue);
    for (size_t i = 0; i < lonely->count; i++) {
        next(writer);
        begin(writer, '{');
        put_key(writer, "rank");
        write_value(writer, lonely->rank);
        put_members(writer, more);
        put_key(writer, "operation");
        put_operation(writer, &lonely->operations, &lonely->operations.items[lonely->numbers[i]],
                      more);
        end(writer, '}');
    }
    json_decref(more);
}

static void
put_array(struct writer *writer, const json_t *array)
{
    begin(writer, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        struct lonely lonely;
        if (lonely_read(value, &lonely)) {
            put_lonely(writer, &lonely);
            continue;
        }
        next(writer);
        write_value(writer, value);
    }
    end(writer, ']');
}

static void
write_value(struct writer *writer, const json_t *value)
{
    struct operations operations;
    if (json_is_object(value)) {
        begin(writer, '{');
        put_members(writer, value);
        end(writer, '}');
    } else if (json_is_array(value)) {
        put_array(writer, value);
    } else if (operations_unpack(value, &operations)) {
        put_queue(writer, &operations);
    } else if (json_is_integer(value)) {
        put_integer(writer, json_integer_value(value));
    } else if (json_is_string(value) &&
               strlen(json_string_value(value)) == json_string_length(value)) {
        put_text(writer, json_string_value(value));
    } else {
        put_scalar(writer, value);
    }
}

void
json_write(FILE *out, const json_t *value, size_t flags)
{
    struct writer writer;
    writer.out = out;
    writer.flags = flags;
    writer.depth = 0;
    writer.begun = false;
    writer.used = 0;
    write_value(&writer, value);
    flush(&writer);
}

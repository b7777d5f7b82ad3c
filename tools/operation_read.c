// SPDX-License-Identifier: BSD-3-Clause
// Reading an operation back from its object, which may hold anything.
#include "tools/operations.h"

#include "tools/alloc.h"
#include "tools/escape.h"
#include "tools/json.h"
#include "tools/verdict/member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_any(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL && strcmp(text, "any") == 0;
}

/** A whole number that has room. @return whether it is one */
static bool
read_number(const json_t *value, int32_t low, int32_t *ret)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < low || number > INT32_MAX)
        return false;
    *ret = (int32_t) number;
    return true;
}

static bool
read_integer(const json_t *value, int64_t *ret)
{
    if (json_is_integer(value))
        *ret = json_integer_value(value);
    return json_is_integer(value);
}

/** A number as a text. @return whether it is written as this program does */
static bool
read_hex(const json_t *value, uint64_t *ret)
{
    char again[32];
    *ret = json_hex(value);
    snprintf(again, sizeof again, "0x%" PRIx64, *ret);
    return json_is_string(value) && strcmp(again, json_string_value(value)) == 0;
}

/** One of some names. @return its number; -1: it is none of them */
static int
read_name(const json_t *value, const char *(*name_of)(int) )
{
    const char *text = json_string_value(value);
    int i = 0;
    while (text != NULL && name_of(i) != NULL && strcmp(name_of(i), text) != 0)
        i++;
    return text != NULL && name_of(i) != NULL ? i : -1;
}

/** The lines of an array of texts, to free(); NULL: it holds something else. */
static char *
read_lines(const json_t *array)
{
    char *lines = json_is_array(array) ? alloc_text("") : NULL;
    for (size_t i = 0; i < json_array_size(array) && lines != NULL; i++) {
        const char *line = json_string_value(json_array_get(array, i));
        bool is_line = line != NULL && strchr(line, '\n') == NULL;
        char *longer = is_line ? alloc_format("%s%s\n", lines, line) : NULL;
        free(lines);
        lines = longer;
    }
    return lines;
}

static bool
read_actual(struct operations *operations, struct operation *op, const json_t *object)
{
    struct actual actual = {-1, -1, -1, -1, 0};
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return false;
    json_object_foreach ((json_t *) object, name, value) {
        enum op_member member = op_member_find(name);
        bool good = member == OP_PEER         ? read_number(value, INT32_MIN, &actual.peer)
                    : member == OP_WORLD_PEER ? read_number(value, INT32_MIN, &actual.world_peer)
                    : member == OP_TAG        ? read_number(value, INT32_MIN, &actual.tag)
                                       : member == OP_BYTES && read_integer(value, &actual.bytes);
        if (!good)
            return false;
        actual.has |= OP_HAS(member);
    }
    operations_set_actual(operations, op, &actual);
    return true;
}

/** Reads a member that is true or false. */
#define READ_FLAG(op, flag, value) ((op)->flag = json_is_true(value), json_is_boolean(value))

/** Reads a member whose value is a text. @return whether it is one */
static bool
read_text(struct operations *operations, uint32_t *ret, char *text)
{
    if (text != NULL)
        *ret = operations_keep(operations, text);
    free(text);
    return *ret != 0;
}

/** @return whether the value of a member is one that the format has */
static bool
read_member(struct operations *operations, struct operation *op, enum op_member member,
            const json_t *value)
{
    int number;
    switch (member) {
    case OP_STATUS:
        number = read_name(value, status_name);
        op->status = number > 0 ? (unsigned) number & 3 : 0;
        return number >= 0;
    case OP_KIND:
        number = read_name(value, kind_name);
        op->kind = number > 0 ? (unsigned) number & 7 : 0;
        return number >= 0;
    case OP_PEER:
        op->any_peer = is_any(value);
        return op->any_peer || read_number(value, 0, &op->peer);
    case OP_WORLD_PEER:
        return op->any_peer ? is_any(value) : read_number(value, INT32_MIN, &op->world_peer);
    case OP_TAG:
        op->any_tag = is_any(value);
        return op->any_tag || read_number(value, INT32_MIN, &op->tag);
    case OP_BYTES:
        return read_integer(value, &op->bytes);
    case OP_COUNT:
        return read_integer(value, &op->count);
    case OP_DATATYPE:
        return read_text(operations, &op->datatype, alloc_text(json_string_value(value)));
    case OP_BUFFER:
        return read_hex(value, &op->buffer);
    case OP_REQUEST:
        return read_hex(value, &op->request);
    case OP_SYSTEM_BUFFER:
        return READ_FLAG(op, system_buffer, value);
    case OP_PERSISTENT:
        return READ_FLAG(op, persistent, value);
    case OP_RENDEZVOUS:
        return READ_FLAG(op, rendezvous, value);
    case OP_FREED:
        return READ_FLAG(op, freed, value);
    case OP_BLOCKED:
        return json_is_true(value);
    case OP_ACTUAL:
        return read_actual(operations, op, value);
    case OP_TEXT:
        return read_text(operations, &op->text, read_lines(value));
    case OP_MOVED:
        return READ_FLAG(op, moved, value);
    case OP_MEMBERS:
        break;
    }
    return false;
}

void
operations_read(struct operations *operations, const json_t *object)
{
    struct operation *op = operations_add(operations);
    const char *name;
    json_t *value, *others = NULL;
    json_object_foreach ((json_t *) object, name, value) {
        enum op_member member = op_member_find(name);
        if (read_member(operations, op, member, value)) {
            op->has |= OP_HAS(member);
            continue;
        }
        others = others != NULL ? others : json_object();
        json_object_set(others, name, value);
    }
    char *text = others != NULL ? json_dumps(others, JSON_COMPACT) : NULL;
    read_text(operations, &op->others, text);
    json_decref(others);
}

// SPDX-License-Identifier: BSD-3-Clause
// The members of an operation, as JSON names them.
#include "tools/operations.h"

#include "tools/alloc.h"
#include "tools/escape.h"
#include "tools/json.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[OP_MEMBERS] = {
    [OP_STATUS] = "status",
    [OP_PEER] = "peer",
    [OP_WORLD_PEER] = "world_peer",
    [OP_TAG] = "tag",
    [OP_BYTES] = "bytes",
    [OP_COUNT] = "count",
    [OP_DATATYPE] = "datatype",
    [OP_BUFFER] = "buffer",
    [OP_KIND] = "kind",
    [OP_SYSTEM_BUFFER] = "system_buffer",
    [OP_REQUEST] = "request",
    [OP_PERSISTENT] = "persistent",
    [OP_FREED] = "freed",
    [OP_RENDEZVOUS] = "rendezvous",
    [OP_BLOCKED] = "blocked",
    [OP_ACTUAL] = "actual",
    [OP_TEXT] = "text",
    [OP_MOVED] = "moved",
};

static const char *const kind_names[] = {
    [mqs_kind_receive] = "receive", [mqs_kind_send] = "send",   [mqs_kind_ssend] = "ssend",
    [mqs_kind_bsend] = "bsend",     [mqs_kind_rsend] = "rsend", [mqs_kind_probe] = "probe",
    [mqs_kind_message] = "message",
};

static const char *const queue_keys[] = {
    [mqs_pending_sends] = "sends",
    [mqs_pending_receives] = "receives",
    [mqs_unexpected_messages] = "unexpected",
};

static const char *const status_names[] = {
    [mqs_st_pending] = "pending",
    [mqs_st_matched] = "matched",
    [mqs_st_complete] = "complete",
};

const char *
kind_name(int kind)
{
    return NAME_OF(kind_names, kind);
}

const char *
queue_key(int op_class)
{
    return NAME_OF(queue_keys, op_class);
}

const char *
status_name(int status)
{
    return NAME_OF(status_names, status);
}

const char *
op_member_name(enum op_member member)
{
    return names[member];
}

enum op_member
op_member_find(const char *name)
{
    int member = 0;
    while (member < OP_MEMBERS && strcmp(names[member], name) != 0)
        member++;
    return (enum op_member) member;
}

static struct op_value
integer(int64_t value)
{
    return (struct op_value){.type = OP_INTEGER, .integer = value};
}

static struct op_value
integer_or_any(bool any, int64_t value)
{
    return any ? (struct op_value){.type = OP_WORD, .word = "any"} : integer(value);
}

static struct op_value
boolean(bool value)
{
    return (struct op_value){.type = OP_BOOLEAN, .boolean = value};
}

static struct op_value
word(const char *text)
{
    return (struct op_value){.type = OP_WORD, .word = text};
}

struct op_value
operations_actual_value(const struct actual *actual, enum op_member member)
{
    if ((actual->has & OP_HAS(member)) == 0)
        return (struct op_value){.type = OP_NONE};
    return integer(member == OP_PEER         ? actual->peer
                   : member == OP_WORLD_PEER ? actual->world_peer
                   : member == OP_TAG        ? actual->tag
                                             : actual->bytes);
}

struct op_value
operations_value(const struct operations *operations, const struct operation *op,
                 enum op_member member)
{
    if ((op->has & OP_HAS(member)) == 0)
        return (struct op_value){.type = OP_NONE};
    switch (member) {
    case OP_STATUS:
        return word(status_name(op->status));
    case OP_PEER:
        return integer_or_any(op->any_peer, op->peer);
    case OP_WORLD_PEER:
        return integer_or_any(op->any_peer, op->world_peer);
    case OP_TAG:
        return integer_or_any(op->any_tag, op->tag);
    case OP_BYTES:
        return integer(op->bytes);
    case OP_COUNT:
        return integer(op->count);
    case OP_DATATYPE:
        return word(operations_text(operations, op->datatype));
    case OP_BUFFER:
        return (struct op_value){.type = OP_HEX, .hex = op->buffer};
    case OP_SYSTEM_BUFFER:
        return boolean(op->system_buffer);
    case OP_KIND:
        return word(kind_name(op->kind));
    case OP_PERSISTENT:
        return boolean(op->persistent);
    case OP_REQUEST:
        return (struct op_value){.type = OP_HEX, .hex = op->request};
    case OP_RENDEZVOUS:
        return boolean(op->rendezvous);
    case OP_FREED:
        return boolean(op->freed);
    case OP_BLOCKED:
        return boolean(true);
    case OP_ACTUAL:
        return (struct op_value){.type = OP_ENVELOPE,
                                 .envelope = operations_actual(operations, op)};
    case OP_TEXT:
        return (struct op_value){.type = OP_LINES, .word = operations_text(operations, op->text)};
    case OP_MOVED:
        return boolean(op->moved);
    case OP_MEMBERS:
        break;
    }
    return (struct op_value){.type = OP_NONE};
}

static json_t *
lines_json(const char *lines)
{
    json_t *array = json_array();
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        json_array_append_new(array, json_stringn(lines, (size_t) (end - lines)));
    return array;
}

static void set_value(json_t *object, const char *key, struct op_value value);

static json_t *
actual_json(const struct actual *actual)
{
    json_t *object = json_object();
    for (int i = OP_PEER; i <= OP_BYTES; i++)
        set_value(object, names[i], operations_actual_value(actual, (enum op_member) i));
    return object;
}

static void
set_value(json_t *object, const char *key, struct op_value value)
{
    switch (value.type) {
    case OP_NONE:
        break;
    case OP_INTEGER:
        json_set_integer(object, key, true, value.integer);
        break;
    case OP_HEX:
        json_set_hex(object, key, true, value.hex);
        break;
    case OP_BOOLEAN:
        json_set_bool(object, key, true, value.boolean);
        break;
    case OP_WORD:
        json_set_text(object, key, value.word);
        break;
    case OP_LINES:
        json_object_set_new(object, key, lines_json(value.word));
        break;
    case OP_ENVELOPE:
        json_object_set_new(object, key, actual_json(value.envelope));
        break;
    }
}

json_t *
operations_json(const struct operations *operations, const struct operation *op)
{
    json_t *object = json_object();
    for (int i = 0; i < OP_MEMBERS; i++)
        set_value(object, names[i], operations_value(operations, op, (enum op_member) i));
    if (op->others > 0) {
        json_t *others = json_loads(operations_text(operations, op->others), 0, NULL);
        json_object_update_missing(object, others);
        json_decref(others);
    }
    return object;
}

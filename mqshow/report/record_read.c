// SPDX-License-Identifier: BSD-3-Clause
// Reading records back from JSON, which may hold anything.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_get.h"
#include "mqshow/report/openmp_json.h"
#include "mqshow/report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
read_int32(const json_t *value, int32_t low, int32_t *ret)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < low || number > INT32_MAX)
        return false;
    *ret = (int32_t) number;
    return true;
}

static bool
read_or_any(const json_t *value, int32_t low, int32_t *ret)
{
    const char *text = json_string_value(value);
    bool any = text != NULL && strcmp(text, "any") == 0;
    if (any)
        *ret = REPORT_ANY;
    return any || read_int32(value, low, ret);
}

static bool
read_word(const json_t *value, const struct field *field, uint8_t *ret)
{
    const char *text = json_string_value(value);
    for (int i = 0; i < NAMES_MAX && text != NULL; i++) {
        if (!text_equals(field->type->word(i), text))
            continue;
        *ret = (uint8_t) i;
        return true;
    }
    return false;
}

static bool
read_milliseconds(const json_t *value, int64_t *ret)
{
    double ms = json_number_value(value);
    if (!json_is_number(value) || !(ms > 0 && ms < 1e9))
        return false;
    *ret = (int64_t) (ms * 1000 + 0.5);
    return true;
}

static bool
read_text(const json_t *value, struct intern *texts, const char **ret)
{
    if (!json_is_string(value))
        return false;
    char *escaped = escape_text(json_string_value(value), SIZE_MAX);
    *ret = intern_keep(texts, escaped);
    free(escaped);
    return true;
}

/** The lines of an array of texts, escaped, to free(); NULL: it holds something else. */
static char *
join_lines(const json_t *array)
{
    char *lines = json_is_array(array) ? alloc_text("") : NULL;
    for (size_t i = 0; i < json_array_size(array) && lines != NULL; i++) {
        const char *line = json_string_value(json_array_get(array, i));
        char *escaped = line != NULL ? escape_text(line, SIZE_MAX) : NULL;
        char *longer = escaped != NULL ? alloc_format("%s%s\n", lines, escaped) : NULL;
        free(escaped);
        free(lines);
        lines = longer;
    }
    return lines;
}

/** Keeps a text of a queue, taking it over. @return whether there is one */
static bool
keep_in_queue(struct operations *operations, char *text, uint32_t *ret)
{
    if (text != NULL)
        *ret = operations_keep(operations, text);
    free(text);
    return *ret != 0;
}

/** Adds the ranks of one entry: a number, or a text "first-last". */
static bool
read_ranks_entry(const json_t *entry, struct rank_list *list)
{
    const char *text = json_string_value(entry);
    json_int_t rank = json_integer_value(entry);
    int first, last, end = 0;
    if (text == NULL)
        return json_is_integer(entry) && ranks_append(list, rank, rank);
    return sscanf(text, "%9d-%9d%n", &first, &last, &end) == 2 && text[end] == '\0' && first >= 0 &&
           ranks_append(list, first, last);
}

static bool
read_ranks(const json_t *array, struct intern *texts, struct ranks *ret)
{
    struct rank_list list = {.runs = NULL};
    bool good = json_is_array(array);
    for (size_t i = 0; good && i < json_array_size(array); i++)
        good = read_ranks_entry(json_array_get(array, i), &list);
    if (good)
        *ret = ranks_keep(&list, texts);
    free(list.runs);
    return good;
}

static bool
read_traffic(const json_t *entry, struct peer_traffic *ret)
{
    return json_array_size(entry) == 3 && read_int32(json_array_get(entry, 0), 0, &ret->rank) &&
           read_int32(json_array_get(entry, 1), 0, &ret->sent) &&
           read_int32(json_array_get(entry, 2), 0, &ret->received);
}

/** Reads an item of a list, of `size` bytes, all zero. */
static bool
read_item(const struct field *field, void *item, const json_t *value,
          const struct record_place *place)
{
    switch (field->kind) {
    case FIELD_INTEGERS:
        return read_int32(value, INT32_MIN, item);
    case FIELD_ADDRESSES:
        return json_get_hex(value, item);
    case FIELD_TEXTS:
        return read_text(value, place->texts, item);
    case FIELD_TRAFFIC:
        return read_traffic(value, item);
    default:
        record_init(field->type, item);
        return record_read(field->type, item, value, place);
    }
}

/** Reads an array; items that make no sense are left out. */
static bool
read_list(const struct field *field, void *list, const json_t *array,
          const struct record_place *place)
{
    size_t length = json_array_size(array), size = record_item_size(field);
    LIST(char) ret = {.items = NULL};
    if (!json_is_array(array))
        return false;
    ret.items = alloc_zeroed(length, size);
    ret.capacity = length;
    for (size_t i = 0; i < length; i++)
        ret.count +=
            read_item(field, ret.items + ret.count * size, json_array_get(array, i), place);
    memcpy(list, &ret, sizeof ret);
    return true;
}

static bool
read_queue(const json_t *array, struct operations *ret)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_object(json_array_get(array, i)))
            operations_read(ret, json_array_get(array, i));
    operations_end(ret);
    return json_is_array(array);
}

static bool
read_queues(const struct field *field, const json_t *array, uint8_t *ret)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        uint8_t queue;
        if (read_word(json_array_get(array, i), field, &queue))
            *ret |= (uint8_t) (1u << queue);
    }
    return json_is_array(array);
}

/** Reads a member. @return whether the value is one that it may have */
static bool
read_value(const struct field *field, void *record, const json_t *value,
           const struct record_place *place)
{
    void *at = (char *) record + field->offset;
    const char *text = json_string_value(value);
    switch (field->kind) {
    case FIELD_INTEGER:
    case FIELD_NONZERO:
        if (json_is_integer(value))
            *(int64_t *) at = json_integer_value(value);
        return json_is_integer(value);
    case FIELD_INT32:
        return read_int32(value, INT32_MIN, at);
    case FIELD_RANK:
        return read_int32(value, 0, at);
    case FIELD_RANK_OR_ANY:
        return read_or_any(value, 0, at);
    case FIELD_INT32_OR_ANY:
        return read_or_any(value, INT32_MIN + 1, at);
    case FIELD_HEX:
    case FIELD_ADDRESS:
        return json_get_hex(value, at);
    case FIELD_FLAG:
        *(bool *) at = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_MILLISECONDS:
        return read_milliseconds(value, at);
    case FIELD_WORD:
        return read_word(value, field, at);
    case FIELD_TEXT:
        return read_text(value, place->texts, at);
    case FIELD_KEPT:
        return keep_in_queue(place->operations, text != NULL ? escape_text(text, SIZE_MAX) : NULL,
                             at);
    case FIELD_KEPT_LINES:
        return keep_in_queue(place->operations, join_lines(value),
                             &operations_more(place->operations, record)->text);
    case FIELD_ACTUAL:
        return record_read(field->type, &operations_more(place->operations, record)->actual, value,
                           place);
    case FIELD_INTEGERS:
    case FIELD_ADDRESSES:
    case FIELD_TEXTS:
    case FIELD_TRAFFIC:
    case FIELD_RECORDS:
        return read_list(field, at, value, place);
    case FIELD_RANKS:
        return read_ranks(value, place->texts, at);
    case FIELD_RECORD:
        return record_read(field->type, at, value, place);
    case FIELD_QUEUE:
        return read_queue(value, at);
    case FIELD_QUEUES:
        return read_queues(field, value, at);
    case FIELD_OPENMP:
        return openmp_read(at, value, place->texts);
    default:
        return openmp_read_value(field, record, value, place);
    }
}

void
record_keep_others(const struct record_type *type, void *record, const json_t *others,
                   const struct record_place *place)
{
    char *text =
        json_object_size(others) > 0 ? json_dumps(others, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (text == NULL)
        return;
    if (place->omp != NULL) {
        openmp_keep_unknown(record, text, place);
    } else if (type == &operation_type) {
        operations_more(place->operations, record)->others =
            operations_keep(place->operations, text);
    } else if (type == &envelope_record_type) {
        ((struct envelope_record *) record)->others = operations_keep(place->operations, text);
    } else {
        const char *members = intern_keep(place->texts, text);
        memcpy((char *) record + offsetof(struct record_head, others), &members, sizeof members);
    }
    free(text);
}

bool
record_read(const struct record_type *type, void *record, const json_t *object,
            const struct record_place *place)
{
    const char *key;
    json_t *value, *others = NULL;
    uint32_t *has = record;
    json_object_foreach ((json_t *) object, key, value) {
        const struct field *field = record_field(type, key);
        if (field != NULL && read_value(field, record, value, place)) {
            *has |= field->kind != FIELD_BIT ? field->known : 0;
            continue;
        }
        others = others != NULL ? others : json_object();
        json_object_set(others, key, value);
    }
    record_keep_others(type, record, others, place);
    json_decref(others);
    return json_is_object(object);
}

void
operations_read(struct operations *operations, const json_t *object)
{
    const struct record_place place = {.operations = operations};
    struct operation *op = operations_add(operations);
    record_read(&operation_type, op, object, &place);
    operations_complete(operations, op);
}

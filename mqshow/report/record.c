// SPDX-License-Identifier: BSD-3-Clause
// Records by the descriptions of their types: their life, comparison and writing.
#include "mqshow/report/record.h"

#include "mqshow/base/json_out.h"
#include "mqshow/report/openmp_json.h"
#include "mqshow/report/report.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** Any LIST(). */
struct list {
    char *items;
    size_t count, capacity;
};

static const void *
at(const struct field *field, const void *record)
{
    return (const char *) record + field->offset;
}

/** A value of a type, whatever its address. */
#define VALUE(type, field, record) \
    (*(const type *) memcpy(&(type){0}, at(field, record), sizeof(type)))

/** Whether a member is known. */
static bool
is_known(const struct field *field, const void *record, const struct record_place *place)
{
    if (field->kind == FIELD_TEXT)
        return VALUE(const char *, field, record) != NULL;
    if (field->kind == FIELD_RANK)
        return VALUE(int32_t, field, record) >= 0;
    if (place != NULL && place->omp != NULL)
        return openmp_has(field, record, place);
    return (*(const uint32_t *) record & field->known) != 0;
}

size_t
record_item_size(const struct field *field)
{
    static const size_t sizes[] = {[FIELD_INTEGERS] = sizeof(int32_t),
                                   [FIELD_ADDRESSES] = sizeof(uint64_t),
                                   [FIELD_IDS] = sizeof(int32_t),
                                   [FIELD_TEXTS] = sizeof(const char *),
                                   [FIELD_TRAFFIC] = sizeof(struct peer_traffic)};
    if (field->kind == FIELD_RECORDS)
        return field->type->size;
    return field->kind < COUNT(sizes) ? sizes[field->kind] : 0;
}

const struct field *
record_field(const struct record_type *type, const char *key)
{
    for (size_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].key, key) == 0)
            return &type->fields[i];
    return NULL;
}

void
record_init(const struct record_type *type, void *record)
{
    memset(record, 0, type->size);
    for (size_t i = 0; i < type->n_fields; i++) {
        const struct field *field = &type->fields[i];
        char *value = (char *) record + field->offset;
        if (field->kind == FIELD_RANK)
            *(int32_t *) (void *) value = -1;
        else if (field->kind == FIELD_RECORD)
            record_init(field->type, value);
    }
}

void
record_forget(const struct field *field, void *record)
{
    void *value = (char *) record + field->offset;
    if (record_item_size(field) > 0) {
        struct list list = VALUE(struct list, field, record);
        for (size_t i = 0; field->kind == FIELD_RECORDS && i < list.count; i++)
            record_deinit(field->type, list.items + i * field->type->size);
        free(list.items);
        memset(value, 0, sizeof list);
    } else if (field->kind == FIELD_RECORD) {
        record_deinit(field->type, value);
    } else if (field->kind == FIELD_QUEUE) {
        operations_deinit(value);
    } else if (field->kind == FIELD_OPENMP) {
        openmp_deinit(value);
    }
    *(uint32_t *) record &= ~field->known;
}

void
record_deinit(const struct record_type *type, void *record)
{
    for (size_t i = 0; i < type->n_fields; i++)
        record_forget(&type->fields[i], record);
    memset(record, 0, type->size);
}

static const char *
kept_text(const struct field *field, const void *record, const struct record_place *place)
{
    return operations_text(place->operations, VALUE(uint32_t, field, record));
}

static struct value
integer(int64_t number)
{
    return (struct value){.type = VALUE_INTEGER, .integer = number};
}

static struct value
text(const char *text)
{
    return (struct value){.type = VALUE_TEXT, .text = text};
}

struct value
record_value(const struct field *field, const void *record, const struct record_place *place)
{
    if (!is_known(field, record, place))
        return (struct value){.type = VALUE_NONE};
    switch (field->kind) {
    case FIELD_INTEGER:
    case FIELD_NONZERO:
        return integer(VALUE(int64_t, field, record));
    case FIELD_INT32:
    case FIELD_RANK:
        return integer(VALUE(int32_t, field, record));
    case FIELD_RANK_OR_ANY:
    case FIELD_INT32_OR_ANY:
        return VALUE(int32_t, field, record) == REPORT_ANY ? text("any")
                                                           : integer(VALUE(int32_t, field, record));
    case FIELD_HEX:
    case FIELD_ADDRESS:
        return (struct value){.type = VALUE_HEX, .hex = VALUE(uint64_t, field, record)};
    case FIELD_FLAG:
        return (struct value){.type = VALUE_BOOL, .boolean = VALUE(bool, field, record)};
    case FIELD_MILLISECONDS:
        return (struct value){.type = VALUE_REAL,
                              .real = (double) VALUE(int64_t, field, record) / 1000};
    case FIELD_WORD:
        return text(field->type->word(VALUE(uint8_t, field, record)));
    case FIELD_TEXT:
        return text(VALUE(const char *, field, record));
    case FIELD_KEPT:
        return text(kept_text(field, record, place));
    default:
        return (struct value){.type = VALUE_OTHER};
    }
}

int
record_compare(const struct field *field, const void *left, const struct record_place *of_left,
               const void *right, const struct record_place *of_right)
{
    struct value a = record_value(field, left, of_left), b = record_value(field, right, of_right);
    if (a.type != b.type)
        return (a.type > b.type) - (a.type < b.type);
    if (a.type == VALUE_TEXT)
        return strcmp(a.text, b.text);
    if (a.type == VALUE_HEX)
        return (a.hex > b.hex) - (a.hex < b.hex);
    if (a.type == VALUE_BOOL)
        return a.boolean - b.boolean;
    return a.type == VALUE_INTEGER ? (a.integer > b.integer) - (a.integer < b.integer) : 0;
}

static void
write_lines(struct json_out *json, const char *lines)
{
    json_out_open(json, '[');
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        json_out_bytes(json, lines, (size_t) (end - lines));
    json_out_close(json, ']');
}

/** Runs that are long as texts "first-last", the others rank by rank. */
static void
write_ranks(struct json_out *json, const struct ranks *ranks)
{
    json_out_open(json, '[');
    for (uint32_t i = 0; i < ranks->n_runs; i++)
        json_out_run(json, ranks->runs[i].first, ranks->runs[i].last);
    json_out_close(json, ']');
}

static void
write_traffic(struct json_out *json, const struct peer_traffic *traffic)
{
    const int32_t numbers[] = {traffic->rank, traffic->sent, traffic->received};
    json_out_open(json, '[');
    for (size_t i = 0; i < COUNT(numbers); i++)
        json_out_integer(json, numbers[i]);
    json_out_close(json, ']');
}

/** Writes an item of a list. */
static void
write_item(struct json_out *json, const struct field *field, const void *item,
           const struct record_place *place)
{
    if (field->kind == FIELD_INTEGERS)
        json_out_integer(json, *(const int32_t *) item);
    else if (field->kind == FIELD_ADDRESSES)
        json_out_hex(json, *(const uint64_t *) item);
    else if (field->kind == FIELD_TEXTS)
        json_out_text(json, *(const char *const *) item);
    else if (field->kind == FIELD_TRAFFIC)
        write_traffic(json, item);
    else
        record_write(json, field->type, item, place);
}

static void
write_list(struct json_out *json, const struct field *field, const void *record,
           const struct record_place *place)
{
    size_t size = record_item_size(field);
    struct list list = VALUE(struct list, field, record);
    json_out_open(json, '[');
    for (size_t i = 0; i < list.count; i++) {
        const void *item = list.items + i * size;
        if (place->narrow && field->type == &communicator_type &&
            ((const struct communicator *) item)->left_out)
            continue;
        write_item(json, field, item, place);
    }
    json_out_close(json, ']');
}

static void
write_queue(struct json_out *json, const struct operations *operations, bool outline)
{
    const struct record_place place = {.operations = (struct operations *) operations};
    json_out_open(json, '[');
    for (size_t i = 0; i < operations->count && !outline; i++)
        record_write(json, &operation_type, &operations->items[i], &place);
    json_out_close(json, ']');
}

static void
write_queues(struct json_out *json, const struct field *field, unsigned mask)
{
    json_out_open(json, '[');
    for (int i = 0; i < QUEUES; i++)
        if ((mask & 1u << i) != 0)
            json_out_text(json, field->type->word(i));
    json_out_close(json, ']');
}

/** Writes a member that is an array or a record. */
static void
write_other(struct json_out *json, const struct field *field, const void *record,
            const struct record_place *place)
{
    switch (field->kind) {
    case FIELD_KEPT_LINES:
        write_lines(json, operations_text(place->operations,
                                          operations_rest(place->operations, record)->text));
        break;
    case FIELD_ACTUAL:
        record_write(json, field->type, operations_actual(place->operations, record), place);
        break;
    case FIELD_INTEGERS:
    case FIELD_ADDRESSES:
    case FIELD_TEXTS:
    case FIELD_TRAFFIC:
    case FIELD_RECORDS:
        write_list(json, field, record, place);
        break;
    case FIELD_RANKS:
        write_ranks(json, at(field, record));
        break;
    case FIELD_RECORD:
        record_write(json, field->type, at(field, record), place);
        break;
    case FIELD_QUEUE:
        write_queue(json, at(field, record), place->outline);
        break;
    case FIELD_QUEUES:
        write_queues(json, field, VALUE(uint8_t, field, record));
        break;
    case FIELD_OPENMP:
        openmp_write(json, at(field, record));
        break;
    default:
        openmp_write_value(json, field, record, place);
    }
}

/** Writes a member, if it is known. */
static void
write_member(struct json_out *json, const struct field *field, const void *record,
             const struct record_place *place)
{
    struct value value = record_value(field, record, place);
    if (value.type == VALUE_NONE)
        return;
    json_out_key(json, field->key);
    if (value.type == VALUE_INTEGER)
        json_out_integer(json, value.integer);
    else if (value.type == VALUE_HEX)
        json_out_hex(json, value.hex);
    else if (value.type == VALUE_REAL)
        json_out_real(json, value.real);
    else if (value.type == VALUE_BOOL)
        json_out_bool(json, value.boolean);
    else if (value.type == VALUE_TEXT)
        json_out_text(json, value.text);
    else
        write_other(json, field, record, place);
}

/** The members that this version does not know, the text of an object; NULL: none. */
static const char *
others_of(const struct record_type *type, const void *record, const struct record_place *place)
{
    const struct operation_more *more;
    uint32_t kept = 0;
    if (place->omp != NULL)
        return openmp_unknown(record, place);
    if (place->operations == NULL)
        return *(const char *const *) (const void *) ((const char *) record +
                                                      offsetof(struct record_head, others));
    if (type == &envelope_record_type)
        kept = ((const struct envelope_record *) record)->others;
    else if ((more = operations_rest(place->operations, record)) != NULL)
        kept = more->others;
    return kept > 0 ? operations_text(place->operations, kept) : NULL;
}

void
record_write_members(struct json_out *json, const struct record_type *type, const void *record,
                     const struct record_place *place)
{
    for (size_t i = 0; i < type->n_fields; i++)
        write_member(json, &type->fields[i], record, place);
    json_out_members_of_text(json, others_of(type, record, place));
}

void
record_write(struct json_out *json, const struct record_type *type, const void *record,
             const struct record_place *place)
{
    json_out_open(json, '{');
    record_write_members(json, type, record, place);
    json_out_close(json, '}');
}

// SPDX-License-Identifier: BSD-3-Clause
// The operations of a queue as compact records.
#include "tools/operations.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <stdlib.h>
#include <string.h>

static const char magic[sizeof((struct packed_head *) NULL)->magic] = "\0queue";

struct operation *
operations_add(struct operations *operations)
{
    operations->items = alloc_grow(operations->items, operations->count, &operations->capacity,
                                   sizeof *operations->items);
    struct operation *op = &operations->items[operations->count++];
    *op = (struct operation){.peer = -1, .world_peer = -1, .tag = -1, .bytes = -1};
    return op;
}

/** Appends a text. @return its place */
static size_t
append(struct operations *operations, const char *text)
{
    size_t place = operations->texts_size;
    operations->texts = alloc_append(operations->texts, &operations->texts_size,
                                     &operations->texts_capacity, text, strlen(text) + 1);
    return place;
}

uint32_t
operations_keep(struct operations *operations, const char *text)
{
    if (operations->texts_size == 0)
        append(operations, "");
    uint32_t number = intern_text(&operations->known, text);
    if (number == operations->n_places) {
        operations->places = alloc_grow(operations->places, number, &operations->places_capacity,
                                        sizeof *operations->places);
        operations->places[operations->n_places++] = append(operations, text);
    }
    size_t place = operations->places[number];
    return place <= UINT32_MAX ? (uint32_t) place : 0;
}

void
operations_set_actual(struct operations *operations, struct operation *op,
                      const struct actual *actual)
{
    operations->actuals = alloc_grow(operations->actuals, operations->n_actuals,
                                     &operations->actuals_capacity, sizeof *operations->actuals);
    operations->actuals[operations->n_actuals++] = *actual;
    op->actual = (uint32_t) operations->n_actuals;
    op->has |= OP_HAS(OP_ACTUAL);
}

const char *
operations_text(const struct operations *operations, uint32_t place)
{
    return place > 0 ? operations->texts + place : "";
}

const struct actual *
operations_actual(const struct operations *operations, const struct operation *op)
{
    return op->actual > 0 ? &operations->actuals[op->actual - 1] : NULL;
}

void
operations_deinit(struct operations *operations)
{
    if (operations->capacity > 0)
        free(operations->items);
    if (operations->actuals_capacity > 0)
        free(operations->actuals);
    if (operations->texts_capacity > 0)
        free(operations->texts);
    intern_deinit(&operations->known);
    free(operations->places);
    *operations = (struct operations){.items = NULL};
}

struct packed_head
operations_head(const struct operations *operations)
{
    struct packed_head head = {.count = (uint32_t) operations->count,
                               .n_actuals = (uint32_t) operations->n_actuals,
                               .texts_size = operations->texts_size};
    memcpy(head.magic, magic, sizeof magic);
    return head;
}

json_t *
operations_pack(const struct operations *operations)
{
    struct packed_head head = operations_head(operations);
    size_t items = operations->count * sizeof *operations->items;
    size_t actuals = operations->n_actuals * sizeof *operations->actuals;
    char *bytes = alloc_zeroed(sizeof head + items + actuals + operations->texts_size, 1);
    char *end = mempcpy(bytes, &head, sizeof head);
    if (items > 0)
        end = mempcpy(end, operations->items, items);
    if (actuals > 0)
        end = mempcpy(end, operations->actuals, actuals);
    if (operations->texts_size > 0)
        end = mempcpy(end, operations->texts, operations->texts_size);
    json_t *packed = json_stringn_nocheck(bytes, (size_t) (end - bytes));
    free(bytes);
    return packed;
}

/** Finds the arrays behind a head. @return false when they are not what these bytes hold */
static bool
unpack(const char *bytes, size_t size, struct operations *ret)
{
    struct packed_head head;
    if (size < sizeof head || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    memcpy(&head, bytes, sizeof head);
    uint64_t items = (uint64_t) head.count * sizeof(struct operation);
    uint64_t actuals = (uint64_t) head.n_actuals * sizeof(struct actual);
    if (head.texts_size > size || items + actuals + head.texts_size != size - sizeof head)
        return false;
    char *at = (char *) bytes + sizeof head;
    *ret = (struct operations){.items = (struct operation *) (void *) at,
                               .count = head.count,
                               .actuals = (struct actual *) (void *) (at + items),
                               .n_actuals = head.n_actuals,
                               .texts = at + items + actuals,
                               .texts_size = head.texts_size};
    return true;
}

bool
operations_unpack(const json_t *value, struct operations *ret)
{
    struct operations ignored;
    return json_is_string(value) && unpack(json_string_value(value), json_string_length(value),
                                           ret != NULL ? ret : &ignored);
}

/** Whether a text, of lines perhaps, is as escape_text() leaves it. */
static bool
is_harmless(const char *text)
{
    bool harmless = true;
    while (harmless && *text != '\0') {
        size_t length = strcspn(text, "\n");
        char *escaped = escape_text(text, length);
        harmless = strlen(escaped) == length && memcmp(escaped, text, length) == 0;
        free(escaped);
        text += length + (text[length] == '\n');
    }
    return harmless;
}

static bool
are_texts_harmless(const struct operations *operations)
{
    const char *text = operations->texts, *end = text + operations->texts_size;
    if (text < end && (*text != '\0' || end[-1] != '\0'))
        return false;
    for (; text < end; text += strlen(text) + 1)
        if (!is_harmless(text))
            return false;
    return true;
}

/** Whether a text begins at a place. */
static bool
is_place(const struct operations *operations, uint32_t place)
{
    return place == 0 || (place < operations->texts_size && operations->texts[place - 1] == '\0');
}

static bool
makes_sense(const struct operations *operations, const struct operation *op)
{
    return status_name(op->status) != NULL && kind_name(op->kind) != NULL && op->others == 0 &&
           op->actual <= operations->n_actuals && is_place(operations, op->datatype) &&
           is_place(operations, op->text) &&
           strchr(operations_text(operations, op->datatype), '\n') == NULL &&
           ((op->has & OP_HAS(OP_ACTUAL)) != 0) == (op->actual != 0) &&
           ((op->has & OP_HAS(OP_TEXT)) != 0) == (op->text != 0);
}

bool
operations_check(const json_t *text)
{
    struct operations operations;
    bool good = operations_unpack(text, &operations) && are_texts_harmless(&operations);
    for (size_t i = 0; good && i < operations.count; i++)
        good = makes_sense(&operations, &operations.items[i]);
    return good;
}

/** Packs an array of objects; what is no object is left out. */
static json_t *
pack_array(const json_t *array)
{
    struct operations operations = {.items = NULL};
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_object(json_array_get(array, i)))
            operations_read(&operations, json_array_get(array, i));
    json_t *packed = operations_pack(&operations);
    operations_deinit(&operations);
    return packed;
}

bool
operations_of(const json_t *communicator, int op_class, struct operations *ret)
{
    json_t *value = json_object_get(communicator, queue_key(op_class));
    *ret = (struct operations){.items = NULL};
    if (json_is_array(value)) {
        value = pack_array(value);
        json_object_set_new((json_t *) communicator, queue_key(op_class), value);
    }
    return operations_unpack(value, ret);
}

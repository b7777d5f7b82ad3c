// SPDX-License-Identifier: BSD-3-Clause
// The operations of a queue as compact records.
#include "mqshow/report/operations.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char magic[sizeof((struct packed_head *) NULL)->magic] = "\0queue";

struct operation *
operations_add(struct operations *operations)
{
    return memset(ALLOC_ADD(operations->items, operations->count, operations->capacity), 0,
                  sizeof *operations->items);
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
    if (number == operations->n_places)
        *ALLOC_ADD(operations->places, operations->n_places, operations->places_capacity) =
            append(operations, text);
    size_t place = operations->places[number];
    return place <= UINT32_MAX ? (uint32_t) place : 0;
}

struct operation_more *
operations_more(struct operations *operations, struct operation *op)
{
    if (op->more == 0) {
        // Padding, too, is compared.
        memset(ALLOC_ADD(operations->mores, operations->n_mores, operations->mores_capacity), 0,
               sizeof *operations->mores);
        op->more = (uint32_t) operations->n_mores;
    }
    return &operations->mores[op->more - 1];
}

void
operations_complete(struct operations *operations, struct operation *op)
{
    size_t count = operations->n_mores;
    if (count < 2 || op->more != count)
        return;
    const struct operation_more *last = &operations->mores[count - 1];
    if (memcmp(last, last - 1, sizeof *last) != 0)
        return;
    op->more = (uint32_t) --operations->n_mores;
}

void
operations_end(struct operations *operations)
{
    intern_deinit(&operations->known);
    free(operations->places);
    operations->places = NULL;
    operations->n_places = operations->places_capacity = 0;
    operations->items = alloc_shrink(operations->items, operations->count, &operations->capacity,
                                     sizeof *operations->items);
    operations->mores = alloc_shrink(operations->mores, operations->n_mores,
                                     &operations->mores_capacity, sizeof *operations->mores);
    operations->texts =
        alloc_shrink(operations->texts, operations->texts_size, &operations->texts_capacity, 1);
}

const struct operation_more *
operations_rest(const struct operations *operations, const struct operation *op)
{
    return op->more > 0 ? &operations->mores[op->more - 1] : NULL;
}

const char *
operations_text(const struct operations *operations, uint32_t place)
{
    return place > 0 ? operations->texts + place : "";
}

const struct envelope_record *
operations_actual(const struct operations *operations, const struct operation *op)
{
    return HAS(op, OP_ACTUAL) ? &operations_rest(operations, op)->actual : NULL;
}

void
operations_deinit(struct operations *operations)
{
    if (operations->owner == NULL) {
        free(operations->items);
        free(operations->mores);
        free(operations->texts);
    }
    json_decref(operations->owner);
    intern_deinit(&operations->known);
    free(operations->places);
    *operations = (struct operations){.items = NULL};
}

struct packed_head
operations_head(const struct operations *operations)
{
    struct packed_head head = {.count = (uint32_t) operations->count,
                               .n_mores = (uint32_t) operations->n_mores,
                               .texts_size = operations->texts_size};
    memcpy(head.magic, magic, sizeof magic);
    return head;
}

/** Finds the arrays behind a head. @return false when they are not what these bytes hold */
static bool
unpack(char *bytes, size_t size, struct operations *ret)
{
    struct packed_head head;
    if (size < sizeof head || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    memcpy(&head, bytes, sizeof head);
    uint64_t items = (uint64_t) head.count * sizeof *ret->items;
    uint64_t mores = (uint64_t) head.n_mores * sizeof *ret->mores;
    if (head.texts_size > size || items + mores + head.texts_size != size - sizeof head)
        return false;
    char *at = bytes + sizeof head;
    ret->count = head.count;
    ret->n_mores = head.n_mores;
    ret->texts_size = head.texts_size;
    ret->items = (struct operation *) (void *) at;
    ret->mores = (struct operation_more *) (void *) (at + items);
    ret->texts = at + items + mores;
    return true;
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

/** Whether what a record refers to is there. */
static bool
makes_sense(const struct operations *operations, const struct operation *op)
{
    for (size_t i = 0; i < operation_type.n_fields; i++) {
        const struct field *field = &operation_type.fields[i];
        const char *value = (const char *) op + field->offset;
        uint32_t place = 0;
        bool known = (op->has & field->known) != 0;
        switch (field->kind) {
        case FIELD_WORD:
            if (known && field->type->word(*(const uint8_t *) value) == NULL)
                return false;
            break;
        case FIELD_FLAG:
            if (*(const uint8_t *) value > 1)
                return false;
            break;
        case FIELD_KEPT:
            memcpy(&place, value, sizeof place);
            if (!is_place(operations, place) || known != (place != 0) ||
                strchr(operations_text(operations, place), '\n') != NULL)
                return false;
            break;
        case FIELD_KEPT_LINES:
        case FIELD_ACTUAL:
            if (known && op->more == 0)
                return false;
            break;
        default:
            break;
        }
    }
    return op->more <= operations->n_mores;
}

/** Whether what else is known of some operations refers to what is there. */
static bool
does_rest_make_sense(const struct operations *operations, const struct operation_more *more)
{
    return more->others == 0 && more->actual.others == 0 && is_place(operations, more->text);
}

bool
operations_take(struct operations *operations, json_t *text)
{
    *operations = (struct operations){.owner = json_incref(text)};
    bool good = json_is_string(text) &&
                unpack((char *) json_string_value(text), json_string_length(text), operations) &&
                are_texts_harmless(operations);
    for (size_t i = 0; good && i < operations->count; i++)
        good = makes_sense(operations, &operations->items[i]);
    for (size_t i = 0; good && i < operations->n_mores; i++)
        good = does_rest_make_sense(operations, &operations->mores[i]);
    if (!good)
        operations_deinit(operations);
    return good;
}

// SPDX-License-Identifier: BSD-3-Clause
// Changes values of a document, which stays JSON: other values, copies of others, none.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/random.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 4096, CHANGES_MAX = 5, BYTES_ONE_IN = 16 };

/** A place of a value in an object or an array. */
struct slot {
    json_t *parent;
    const char *key; // NULL: in an array
    size_t index;
};

struct slots {
    struct slot items[SLOTS_MAX];
    size_t count;
};

static const char *const texts[] = {
    "",         "any",  "0x7fffffffffffffff", "0-3",      "0-4194303",    "3-1",      "-1",
    "0x",       "all",  "MPI_COMM_WORLD",     "receives", "wait_barrier", "region 1", "task 0",
    "a\x1b[2J", "=1+1", "\"<script>",         "\xc3\xa9",
};
static const json_int_t numbers[] = {
    0, -1, 1, 2, 0x7fffffff, -0x80000000LL, 1 << 22, 0x100000000, INT64_MAX, INT64_MIN};

static void
collect(struct slots *slots, json_t *value)
{
    const char *key;
    json_t *member;
    for (size_t i = 0; i < json_array_size(value) && slots->count < SLOTS_MAX; i++) {
        slots->items[slots->count++] = (struct slot){value, NULL, i};
        collect(slots, json_array_get(value, i));
    }
    json_object_foreach (value, key, member) {
        if (slots->count == SLOTS_MAX)
            return;
        slots->items[slots->count++] = (struct slot){value, key, 0};
        collect(slots, member);
    }
}

static json_t *
value_of(const struct slot *slot)
{
    return slot->key != NULL ? json_object_get(slot->parent, slot->key)
                             : json_array_get(slot->parent, slot->index);
}

/** A value that is worth trying in the place of another one. */
static json_t *
other_value(const json_t *old, uint64_t *state)
{
    uint64_t random = random_next(state);
    if (json_is_integer(old) && random % 2 == 0)
        return json_integer((json_int_t) ((uint64_t) json_integer_value(old) + random / 2 % 5 - 2));
    switch (random / 2 % 8) {
    case 0:
    case 1:
        return json_integer(numbers[random / 16 % (sizeof numbers / sizeof *numbers)]);
    case 2:
    case 3:
        return json_string(texts[random / 16 % (sizeof texts / sizeof *texts)]);
    case 4:
        return json_boolean(random / 16 % 2);
    case 5:
        return json_array();
    case 6:
        return json_object();
    default:
        return random / 16 % 2 ? json_null() : json_real(1e300);
    }
}

/** A copy of a value elsewhere, of the same name if there is one soon. */
static json_t *
copy_of_another(const struct slots *slots, const struct slot *slot, uint64_t *state)
{
    size_t start = random_next(state) % slots->count;
    for (size_t i = 0; i < slots->count && slot->key != NULL; i++) {
        const struct slot *other = &slots->items[(start + i) % slots->count];
        if (other != slot && other->key != NULL && strcmp(other->key, slot->key) == 0)
            return json_deep_copy(value_of(other));
    }
    return json_deep_copy(value_of(&slots->items[start]));
}

static void
put(const struct slot *slot, json_t *value)
{
    if (slot->key != NULL)
        json_object_set_new(slot->parent, slot->key, value);
    else
        json_array_set_new(slot->parent, slot->index, value);
}

static void
change_one(json_t *document, uint64_t *state)
{
    static struct slots slots;
    slots.count = 0;
    collect(&slots, document);
    if (slots.count == 0)
        return;
    const struct slot slot = slots.items[random_next(state) % slots.count];
    switch (random_next(state) % 8) {
    case 0:
        slot.key != NULL ? json_object_del(slot.parent, slot.key)
                         : json_array_remove(slot.parent, slot.index);
        return;
    case 1:
        if (slot.key == NULL)
            json_array_insert_new(slot.parent, slot.index, json_deep_copy(value_of(&slot)));
        return;
    case 2:
    case 3:
        put(&slot, copy_of_another(&slots, &slot, state));
        return;
    default:
        put(&slot, other_value(value_of(&slot), state));
    }
}

/** Writes a document with its braces in lines of their own, which the output of a machine must
 * have.
 * @return bytes; 0: there is not room for them, and nothing is written
 */
static size_t
write_document(const json_t *document, char *ret, size_t max)
{
    char *text = json_dumps(document, JSON_COMPACT);
    size_t length = text != NULL ? strlen(text) : 0;
    bool fits = length > 1 && length + 2 <= max;
    if (fits) {
        snprintf(ret, max, "%c\n%.*s", text[0], (int) length - 2, text + 1);
        ret[length] = '\n';
        ret[length + 1] = text[length - 1];
    }
    free(text);
    return fits ? length + 2 : 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint64_t state = random_begin(seed);
    bool by_bytes = LLVMFuzzerMutate != NULL && random_next(&state) % BYTES_ONE_IN == 0;
    json_t *document = by_bytes ? NULL : json_loadb((const char *) data, size, 0, NULL);
    if (document == NULL)
        return LLVMFuzzerMutate != NULL ? LLVMFuzzerMutate(data, size, max) : size;
    for (uint64_t n = random_next(&state) % CHANGES_MAX + 1; n > 0; n--)
        change_one(document, &state);
    size_t length = write_document(document, (char *) data, max);
    json_decref(document);
    return length > 0 ? length : size;
}

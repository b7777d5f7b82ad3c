// SPDX-License-Identifier: BSD-3-Clause
// Operations of one queue that never matched, and that nothing nearly matches, in the verdict.
#include "tools/verdict/lonely.h"

#include "tools/alloc.h"

#include <stdlib.h>
#include <string.h>

// A NUL that no text from outside has.
static const char magic[8] = "\0lonely";

json_t *
lonely_json(const struct lonely *lonely)
{
    size_t size = lonely->count * sizeof *lonely->numbers;
    char *bytes = alloc_zeroed(sizeof magic + size, 1);
    memcpy(bytes, magic, sizeof magic);
    if (size > 0)
        memcpy(bytes + sizeof magic, lonely->numbers, size);
    json_t *object = json_pack(
        "{s:O, s:O, s:O, s:O, s:O, s:o}", "rank", lonely->rank, "communicator",
        lonely->communicator, "communicator_id", lonely->communicator_id, "queue", lonely->queue,
        "operations", lonely->packed, "numbers", json_stringn_nocheck(bytes, sizeof magic + size));
    free(bytes);
    return object;
}

bool
lonely_read(const json_t *value, struct lonely *ret)
{
    const json_t *numbers = json_object_get(value, "numbers");
    size_t size = json_string_length(numbers);
    if (size < sizeof magic || memcmp(json_string_value(numbers), magic, sizeof magic) != 0)
        return false;
    *ret = (struct lonely){
        .rank = json_object_get(value, "rank"),
        .communicator = json_object_get(value, "communicator"),
        .communicator_id = json_object_get(value, "communicator_id"),
        .queue = json_object_get(value, "queue"),
        .packed = json_object_get(value, "operations"),
        .numbers = (const uint32_t *) (const void *) (json_string_value(numbers) + sizeof magic),
        .count = (size - sizeof magic) / sizeof *ret->numbers};
    return operations_unpack(ret->packed, &ret->operations);
}

// SPDX-License-Identifier: BSD-3-Clause
// Values in memory: members, texts, and the links of lists.
#include "tests/script/statements.h"

#include <inttypes.h>
#include <string.h>

static void
write_uint(struct script *script, uint64_t addr, uint64_t width, uint64_t value)
{
    uint8_t bytes[8];

    model_encode(script->model, value, (size_t) width, bytes);
    memory_write(&script->memory, addr, bytes, (size_t) width);
}

static uint64_t
read_uint(const struct script *script, uint64_t addr, uint64_t width)
{
    uint8_t bytes[8] = {0};

    if (!memory_read(&script->memory, addr, (size_t) width, bytes))
        source_error(NULL, "nothing is at 0x%" PRIx64, addr);
    return model_decode(script->model, bytes, (size_t) width);
}

// Whether a value fits `width` bytes, taken as signed or as unsigned.
static bool
fits(uint64_t value, uint64_t width)
{
    uint64_t bits = 8 * width;
    return width == 8 || value >> bits == 0 || (int64_t) value >> (bits - 1) == -1;
}

static void
assign_text(struct script *script, const struct line *line, struct place place, char *text)
{
    size_t length = word_unquote(text);

    if (place.type.is_pointer) {
        struct ctype type = {.width = 1, .align = 1, .count = length + 1, .array = true};
        const struct object *object = script_place(script, "text", type);
        memory_write(&script->memory, object->place.addr, text, length + 1);
        write_uint(script, place.addr, place.type.width, object->place.addr);
        return;
    }
    if (!place.type.is_char || length > place.type.count)
        source_error(line, "a text of %zu bytes does not go there", length);
    memory_write(&script->memory, place.addr, text, length);
    if (length < place.type.count)
        write_uint(script, place.addr + length, 1, 0);
}

void
assign(struct script *script, const struct line *line, const char *path, char *value)
{
    struct place place = path_parse(script, line, &path);

    if (*path)
        source_error(line, "\"%s\" is left over", path);
    while (*value == ' ' || *value == '\t')
        value++;
    if (*value == '"') {
        assign_text(script, line, place, value);
        return;
    }
    if (place.type.record || place.type.array)
        source_error(line, "one value cannot fill a struct or an array");
    uint64_t number = expression(script, line, value);
    if (!fits(number, place.type.width))
        source_error(line, "this does not fit %" PRIu64 " bytes", place.type.width);
    write_uint(script, place.addr, place.type.width, number);
}

static const struct member *
need_member(const struct line *line, const struct record *record, const char *name)
{
    const struct member *member = record ? record_find(record, name) : NULL;
    if (!member)
        source_error(line, "there is no member \"%s\"", name);
    return member;
}

void
do_ring(struct script *script, const struct line *line, char *rest)
{
    const char *name = need_word(line, &rest, "LIST");
    const struct record *list = types_find(&script->types, name);
    struct ring ring = {.list = list};

    ring.sentinel = need_member(line, list, need_word(line, &rest, "SENTINEL"));
    const struct record *item = ring.sentinel->type.record;
    ring.next = need_member(line, item, need_word(line, &rest, "NEXT"))->offset;
    ring.prev = need_member(line, item, need_word(line, &rest, "PREV"))->offset;
    ring.length = need_member(line, list, need_word(line, &rest, "LENGTH"));
    script->rings = need_array(script->rings, script->n_rings + 1, sizeof(ring));
    script->rings[script->n_rings++] = ring;
}

static const struct ring *
ring_of(const struct script *script, const struct line *line, struct place place)
{
    for (size_t i = 0; i < script->n_rings; i++) {
        if (script->rings[i].list == place.type.record && !place.type.array)
            return &script->rings[i];
    }
    source_error(line, "this is not a list");
}

static struct place
need_path(const struct script *script, const struct line *line, const char *text)
{
    struct place place = path_parse(script, line, &text);
    if (*text)
        source_error(line, "\"%s\" is left over", text);
    return place;
}

static void
append(struct script *script, const struct ring *ring, struct place list, uint64_t item)
{
    uint64_t width = (uint64_t) script->model->sizes[SIZE_POINTER];
    uint64_t head = list.addr + ring->sentinel->offset;
    uint64_t last = read_uint(script, head + ring->prev, width);
    uint64_t length = list.addr + ring->length->offset;
    uint64_t length_width = ring->length->type.width;

    write_uint(script, last + ring->next, width, item);
    write_uint(script, item + ring->prev, width, last);
    write_uint(script, item + ring->next, width, head);
    write_uint(script, head + ring->prev, width, item);
    write_uint(script, length, length_width, read_uint(script, length, length_width) + 1);
}

void
do_list(struct script *script, const struct line *line, char *rest)
{
    uint64_t width = (uint64_t) script->model->sizes[SIZE_POINTER];
    struct place list = need_path(script, line, need_word(line, &rest, "PATH"));
    const struct ring *ring = ring_of(script, line, list);
    uint64_t head = list.addr + ring->sentinel->offset;

    write_uint(script, head + ring->next, width, head);
    write_uint(script, head + ring->prev, width, head);
    write_uint(script, list.addr + ring->length->offset, ring->length->type.width, 0);
    for (char *word; (word = word_next(&rest));) {
        if (strcmp(word, ":"))
            append(script, ring, list, need_path(script, line, word).addr);
    }
}

void
do_append(struct script *script, const struct line *line, char *rest)
{
    struct place list = need_path(script, line, need_word(line, &rest, "PATH"));
    const struct ring *ring = ring_of(script, line, list);
    append(script, ring, list, need_path(script, line, need_word(line, &rest, "LABEL")).addr);
}

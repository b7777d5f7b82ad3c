// SPDX-License-Identifier: BSD-3-Clause
// Paths to parts of objects, "table.addr[2]": from the text to the address and back.
#include "tests/script/script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 128 };

static const struct object *
find_object(const struct script *script, const char *label)
{
    for (size_t i = 0; i < script->n_objects; i++) {
        if (!strcmp(script->objects[i].label, label))
            return &script->objects[i];
    }
    return NULL;
}

static void
path_name(const struct line *line, const char **text, char *ret)
{
    size_t n = 0;

    while (isalnum((unsigned char) **text) || **text == '_') {
        ret[n++] = *(*text)++;
        if (n == NAME_MAX_LENGTH)
            source_error(line, "this name is too long");
    }
    ret[n] = '\0';
}

static struct place
enter_member(const struct line *line, struct place place, const char **text)
{
    char name[NAME_MAX_LENGTH];

    path_name(line, text, name);
    const struct record *record = place.type.array ? NULL : place.type.record;
    const struct member *member = record ? record_find(record, name) : NULL;
    if (!member)
        source_error(line, "there is no member \"%s\"", name);
    return (struct place){place.addr + member->offset, member->type};
}

static struct place
enter_element(const struct script *script, const struct line *line, struct place place,
              const char **text)
{
    const char *end = strchr(*text, ']');
    if (!end || !place.type.array)
        source_error(line, "this is not an array, or \"]\" is missing");

    char *inner = strndup(*text, (size_t) (end - *text));
    uint64_t index = expression(script, line, inner ? inner : "");
    free(inner);
    if (index >= place.type.count)
        source_error(line, "the array has %" PRIu64 " elements", place.type.count);
    *text = end + 1;
    place.addr += index * place.type.width;
    place.type.array = false;
    place.type.count = 1;
    return place;
}

struct place
path_parse(const struct script *script, const struct line *line, const char **text)
{
    char label[NAME_MAX_LENGTH];

    path_name(line, text, label);
    const struct object *object = find_object(script, label);
    if (!*label && script->n_objects)
        object = &script->objects[script->last];
    if (!object)
        source_error(line, "there is no object \"%s\"", label);

    struct place place = object->place;
    if (!*label && **text == '.' && ((*text)[1] == '\0' || (*text)[1] == '['))
        ++*text;
    while (**text == '.' || **text == '[') {
        char what = *(*text)++;
        place = what == '.' ? enter_member(line, place, text)
                            : enter_element(script, line, place, text);
    }
    return place;
}

// How well an object tells where an address is: one that starts there best, then a small one.
static uint64_t
distance(const struct place *place, uint64_t addr)
{
    uint64_t size = place->type.width * place->type.count;
    if (addr < place->addr || addr - place->addr >= size)
        return UINT64_MAX;
    return addr == place->addr ? 0 : size;
}

// The object that tells best; of equal ones, the latest.
static const struct object *
find_around(const struct script *script, uint64_t addr)
{
    const struct object *best = NULL;
    uint64_t best_distance = UINT64_MAX - 1;

    for (size_t i = 0; i < script->n_objects; i++) {
        uint64_t found = distance(&script->objects[i].place, addr);
        if (found > best_distance)
            continue;
        best = &script->objects[i];
        best_distance = found;
    }
    return best;
}

static const struct member *
member_around(const struct record *record, uint64_t offset)
{
    for (size_t i = 0; i < record->n_members; i++) {
        const struct member *member = &record->members[i];
        uint64_t size = member->type.width * member->type.count;
        if (offset >= member->offset && offset - member->offset < size)
            return member;
    }
    return NULL;
}

// Writes the way from the start of an object to `offset` in it.
static void
show_path(FILE *out, struct ctype type, uint64_t offset)
{
    while (offset) {
        if (type.array) {
            fprintf(out, "[%" PRIu64 "]", offset / type.width);
            offset %= type.width;
            type.array = false;
            continue;
        }
        const struct member *member = type.record ? member_around(type.record, offset) : NULL;
        if (!member)
            break;
        fprintf(out, ".%s", member->name);
        offset -= member->offset;
        type = member->type;
    }
    if (offset)
        fprintf(out, "+%" PRIu64, offset);
}

const char *
script_show(const struct script *script, uint64_t addr, char *ret, size_t size)
{
    const struct object *object = find_around(script, addr);
    FILE *out = fmemopen(ret, size, "w");
    if (!out)
        source_error(NULL, "out of memory");

    if (object) {
        fprintf(out, "&%s", object->label);
        show_path(out, object->place.type, addr - object->place.addr);
    } else {
        fprintf(out, "0x%" PRIx64, addr);
    }
    fclose(out);
    ret[size - 1] = '\0';
    return ret;
}

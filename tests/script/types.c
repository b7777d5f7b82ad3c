// SPDX-License-Identifier: BSD-3-Clause
// C types of a script, laid out as a C compiler does: every member at a multiple of its alignment.
#include "tests/script/types.h"

#include "tests/script/source.h"

#include <stdlib.h>
#include <string.h>

static const struct scalar {
    const char *name;
    int size; // bytes; 0: that of `model_size`
    enum size_of in_model;
} scalars[] = {
    {"char", 1, 0},           {"int8", 1, 0},           {"uint8", 1, 0},
    {"int16", 2, 0},          {"uint16", 2, 0},         {"int32", 4, 0},
    {"uint32", 4, 0},         {"int64", 8, 0},          {"uint64", 8, 0},
    {"short", 0, SIZE_SHORT}, {"int", 0, SIZE_INT},     {"uint", 0, SIZE_INT},
    {"long", 0, SIZE_LONG},   {"ulong", 0, SIZE_LONG},  {"pointer", 0, SIZE_POINTER},
    {"bool", 0, SIZE_BOOL},   {"size", 0, SIZE_SIZE_T},
};

uint64_t
round_up(uint64_t value, uint64_t align)
{
    uint64_t over = value % align;
    return over ? value + (align - over) : value;
}

void
types_deinit(struct types *types)
{
    while (types->records) {
        struct record *record = types->records;
        types->records = record->next;
        for (size_t i = 0; i < record->n_members; i++)
            free(record->members[i].name);
        free(record->members);
        free(record->name);
        free(record);
    }
}

static struct record *
copy_record(const struct record *record)
{
    struct record *copy = need_alloc(sizeof(*copy));

    *copy = *record;
    copy->name = need_copy(record->name);
    copy->members = need_array(NULL, record->n_members, sizeof(*copy->members));
    for (size_t i = 0; i < record->n_members; i++) {
        copy->members[i] = record->members[i];
        copy->members[i].name = need_copy(record->members[i].name);
    }
    return copy;
}

struct types
types_copy(const struct types *types)
{
    struct types copy = {.model = types->model};
    struct record **end = &copy.records;

    for (const struct record *record = types->records; record; record = record->next) {
        *end = copy_record(record);
        end = &(*end)->next;
    }
    return copy;
}

struct record *
types_find(const struct types *types, const char *name)
{
    struct record *record = types->records;
    while (record && strcmp(record->name, name))
        record = record->next;
    return record;
}

struct record *
types_add(struct types *types, const char *name, bool is_union)
{
    struct record *record = need_alloc(sizeof(*record));

    record->name = need_copy(name);
    record->is_union = is_union;
    record->align = 1;
    record->told = true;
    record->told_size = NO_SIZE;
    record->next = types->records;
    types->records = record;
    return record;
}

static bool
parse_element(const struct types *types, const char *name, struct ctype *ret)
{
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        const struct scalar *scalar = &scalars[i];
        if (strcmp(scalar->name, name))
            continue;
        int size = scalar->size ? scalar->size : types->model->sizes[scalar->in_model];
        *ret = (struct ctype){.width = (uint64_t) size,
                              .align = (uint64_t) size,
                              .is_char = i == 0,
                              .is_pointer = !strcmp(name, "pointer")};
        return true;
    }
    const struct record *record = types_find(types, name);
    if (record)
        *ret = (struct ctype){.width = record->size, .align = record->align, .record = record};
    return record;
}

bool
types_parse(const struct types *types, const char *text, struct ctype *ret)
{
    char *name = need_copy(text);
    char *bracket = strchr(name, '[');
    if (bracket)
        *bracket = '\0';

    bool found = parse_element(types, name, ret);
    if (found) {
        ret->array = bracket;
        ret->count = bracket ? strtoull(bracket + 1, NULL, 0) : 1;
    }
    free(name);
    return found;
}

struct member *
record_find(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->n_members; i++) {
        if (!strcmp(record->members[i].name, name))
            return &record->members[i];
    }
    return NULL;
}

void
record_add(struct record *record, const char *name, struct ctype type, int64_t offset)
{
    uint64_t after = record->is_union ? 0 : round_up(record->size, type.align);
    struct member member = {.name = need_copy(name),
                            .type = type,
                            .offset = offset == NO_OFFSET ? after : (uint64_t) offset};
    uint64_t end = member.offset + type.width * type.count;

    member.told_offset = (int64_t) member.offset;
    record->members = need_array(record->members, record->n_members + 1, sizeof(*record->members));
    record->members[record->n_members++] = member;
    record->size = end > record->size ? end : record->size;
    record->align = type.align > record->align ? type.align : record->align;
}

void
record_end(struct record *record)
{
    record->size = round_up(record->size, record->align);
    record->told_size = (int64_t) record->size;
}

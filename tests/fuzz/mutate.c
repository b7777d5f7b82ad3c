// SPDX-License-Identifier: BSD-3-Clause
// Turns bytes into lines of a script that damage the process of another script.
#include "tests/fuzz/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One mutation, as its bytes are taken. */
struct mutation {
    uint8_t kind;
    uint8_t pattern;
    uint16_t where;
    uint16_t offset;
    uint16_t value;
};

/** What the lines are about, and where they go. */
struct context {
    const struct script *base;
    FILE *out;
    int n_then;
};

static struct mutation
take(const uint8_t *data)
{
    return (struct mutation){
        .kind = data[0],
        .pattern = data[1],
        .where = (uint16_t) (data[2] | data[3] << 8),
        .offset = (uint16_t) (data[4] | data[5] << 8),
        .value = (uint16_t) (data[6] | data[7] << 8),
    };
}

/** Bytes that may be damaged. */
struct range {
    uint64_t addr;
    uint64_t size;
};

// The bytes of a line of a recording; none unless it is of memory.
static struct range
range_of_line(const char *text)
{
    static const char statement[] = "memory ";
    struct range range = {0};
    char *end = NULL;

    if (strncmp(text, statement, sizeof(statement) - 1) != 0)
        return range;
    range.addr = strtoull(text + sizeof(statement) - 1, &end, 0);
    for (const char *word = end; *(word += strspn(word, " \t")) != '\0';) {
        size_t digits = strspn(word, "0123456789abcdefABCDEF");
        bool is_run = word[digits] == '*';
        range.size += digits / 2 * (is_run ? strtoull(word + digits + 1, NULL, 0) : 1);
        word += strcspn(word, " \t");
    }
    return range;
}

// An object, or a line of a recording, which has none.
static struct range
any_range(const struct context *context, unsigned number)
{
    const struct script *base = context->base;
    if (base->n_objects > 0) {
        const struct object *object = &base->objects[number % base->n_objects];
        return (struct range){object->place.addr,
                              object->place.type.width * object->place.type.count};
    }
    for (size_t i = 0; i < base->source->n_lines; i++) {
        const struct range range =
            range_of_line(base->source->lines[(number + i) % base->source->n_lines].text);
        if (range.size > 0)
            return range;
    }
    return (struct range){0};
}

// A number that is worth trying.
static uint64_t
number(const struct context *context, const struct mutation *mutation)
{
    const struct range range = any_range(context, mutation->value);

    switch (mutation->pattern % 10) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return 1ULL << mutation->value % 64;
    case 3:
        return (1ULL << mutation->value % 64) - 1;
    case 4:
        return range.addr;
    case 5:
        return range.addr + mutation->value % 256;
    case 6:
        return 0x7fffffff;
    case 7:
        return 0 - (uint64_t) mutation->value;
    case 8:
        return 0xdead0000;
    default:
        return mutation->value;
    }
}

static void
write_number(const struct context *context, const struct mutation *mutation)
{
    static const size_t widths[] = {8, 4, 2, 1};
    const struct range range = any_range(context, mutation->where);
    size_t width = widths[mutation->pattern / 16 % 4];
    uint8_t bytes[8];

    if (width == 8 && context->base->model->sizes[SIZE_POINTER] == 4)
        width = 4;
    if (range.size < width)
        return;
    model_encode(context->base->model, number(context, mutation), width, bytes);
    fprintf(context->out, "memory 0x%" PRIx64 " ",
            range.addr + mutation->offset % (range.size / width) * width);
    for (size_t i = 0; i < width; i++)
        fprintf(context->out, "%02x", bytes[i]);
    fputc('\n', context->out);
}

static void
take_memory_away(const struct context *context, const struct mutation *mutation)
{
    const struct range range = any_range(context, mutation->where);
    fprintf(context->out, "no memory 0x%" PRIx64 " %u\n", range.addr + mutation->offset % 4096,
            mutation->value % 8192 + 1U);
}

static const struct record *
any_record(const struct context *context, unsigned number_of)
{
    unsigned n = 0;
    for (const struct record *record = context->base->types.records; record; record = record->next)
        n++;
    const struct record *record = context->base->types.records;
    for (unsigned i = n ? number_of % n : 0; i; i--)
        record = record->next;
    return record;
}

static void
tell_wrong_offset(const struct context *context, const struct mutation *mutation)
{
    const struct record *record = any_record(context, mutation->where);
    if (!record || !record->n_members)
        return;
    const struct member *member = &record->members[mutation->offset % record->n_members];
    if (*member->name)
        fprintf(context->out, "field %s %s %d\n", record->name, member->name,
                (int16_t) mutation->value);
}

static void
tell_wrong_size(const struct context *context, const struct mutation *mutation)
{
    const struct record *record = any_record(context, mutation->where);
    if (record && mutation->pattern % 4 == 0)
        fprintf(context->out, "no type %s\n", record->name);
    else if (record)
        fprintf(context->out, "type %s %d\n", record->name,
                mutation->pattern % 2 ? (int16_t) mutation->value
                                      : (int32_t) ((uint32_t) mutation->value << 16));
}

static void
tell_wrong_address(const struct context *context, const struct mutation *mutation)
{
    const struct name *name = &context->base->names[mutation->where % context->base->n_names];
    if (name->kind == NAME_SYMBOL && mutation->pattern % 4 == 0)
        fprintf(context->out, "no symbol %s\n", name->name);
    else if (name->kind == NAME_SYMBOL)
        fprintf(context->out, "symbol %s 0x%" PRIx64 "\n", name->name, number(context, mutation));
}

static void
let_it_run(struct context *context)
{
    if (context->n_then++ < 2)
        fputs("then\n", context->out);
}

static void
mutate_one(struct context *context, const struct mutation *mutation)
{
    unsigned kind = mutation->kind % 32;

    if (kind < 24)
        write_number(context, mutation);
    else if (kind < 26)
        take_memory_away(context, mutation);
    else if (kind < 27)
        tell_wrong_offset(context, mutation);
    else if (kind < 28)
        tell_wrong_size(context, mutation);
    else if (kind < 30)
        tell_wrong_address(context, mutation);
    else
        let_it_run(context);
}

char *
mutate(const struct script *base, const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    struct context context = {base, open_memstream(&text, &length), 0};
    if (!context.out)
        source_error(NULL, "out of memory");

    for (; size >= MUTATION_BYTES && base->n_names;
         data += MUTATION_BYTES, size -= MUTATION_BYTES) {
        struct mutation mutation = take(data);
        mutate_one(&context, &mutation);
    }
    fclose(context.out);
    return text;
}

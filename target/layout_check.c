// SPDX-License-Identifier: BSD-3-Clause
// The checks that every layout passes, whatever its origin.
#include "target/layout_check.h"

#include <string.h>

// The first field of struct `number`, or of one after it. Fields stand in the order of their
// structs.
static unsigned
first_field_from(const struct needs *needs, unsigned number)
{
    unsigned first = 0, end = needs->n_fields;
    while (first < end) {
        unsigned middle = (first + end) / 2;
        if (needs->fields[middle].owner < number)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

struct field_range
layout_fields_of(const struct needs *needs, unsigned number)
{
    return (struct field_range){first_field_from(needs, number),
                                first_field_from(needs, number + 1)};
}

void
layout_discard(struct layout *layout, unsigned number)
{
    struct field_range range = layout_fields_of(layout->needs, number);
    layout->structs[number] = (struct struct_layout){.origin = ORIGIN_NONE};
    for (unsigned i = range.first; i < range.end; i++)
        layout->fields[i] = (struct field_layout){.offset = -1};
}

static uint32_t
field_width(const struct layout *layout, unsigned field)
{
    const struct field_need *need = &layout->needs->fields[field];
    if (need->kind == KIND_EMBEDS)
        return layout->structs[need->extra].size;
    return (uint32_t) layout_kind_width(need->kind, need->extra, &layout->model);
}

// An 8-byte integer is aligned to 4 bytes on some machines with 4-byte pointers.
static uint32_t
field_alignment(const struct layout *layout, unsigned field)
{
    enum field_kind kind = layout->needs->fields[field].kind;
    uint32_t width = layout->fields[field].width;
    if (kind == KIND_BYTES || kind == KIND_EMBEDS)
        return 1;
    return width < layout->model.pointer_size ? width : layout->model.pointer_size;
}

static const char *
check_place(const struct layout *layout, unsigned number, unsigned field)
{
    uint32_t size = layout->structs[number].size;
    uint32_t width = layout->fields[field].width;
    uint32_t offset = (uint32_t) layout->fields[field].offset;
    if (width > size || offset > size - width || offset == size)
        return "is not inside of its struct";
    if (offset % field_alignment(layout, field) != 0)
        return "is not aligned";
    return NULL;
}

static bool
may_overlap(const struct layout *layout, unsigned a, unsigned b)
{
    const struct field_need *needs = layout->needs->fields;
    if (strcmp(needs[a].name, needs[b].name) == 0)
        return true;
    return needs[a].kind == KIND_EMBEDS && needs[b].kind == KIND_EMBEDS &&
           layout->fields[a].offset == layout->fields[b].offset;
}

static bool
overlap(const struct layout *layout, unsigned a, unsigned b)
{
    const struct field_layout *x = &layout->fields[a];
    const struct field_layout *y = &layout->fields[b];
    if (x->offset < 0 || y->offset < 0 || may_overlap(layout, a, b))
        return false;
    return (uint32_t) x->offset < (uint32_t) y->offset + y->width &&
           (uint32_t) y->offset < (uint32_t) x->offset + x->width;
}

static bool
is_guess(const struct field_need *need)
{
    return need->presence == PRESENCE_OPTIONAL && strcmp(need->name, need->reading) != 0;
}

// Whether field `a` is at odds with a field that is no guess, or (`any`) with any other.
static bool
has_overlap(const struct layout *layout, struct field_range range, unsigned a, bool any)
{
    for (unsigned b = range.first; b < range.end; b++)
        if (b != a && (any || !is_guess(&layout->needs->fields[b])) && overlap(layout, a, b))
            return true;
    return false;
}

static const char *
check_field(const struct layout *layout, unsigned number, struct field_range range, unsigned field)
{
    const char *what = check_place(layout, number, field);
    if (!what && has_overlap(layout, range, field, false))
        what = "overlaps another member";
    return what;
}

// Readings that fail are dropped first, so that what they overlap is not blamed: those that are at
// odds with what is certain, then those that are at odds with each other.
static void
drop_wrong_readings(struct layout *layout, unsigned number, struct field_range range)
{
    for (int pass = 0; pass < 2; pass++) {
        bool wrong[LAYOUT_MAX_FIELDS] = {false};
        for (unsigned i = range.first; i < range.end; i++)
            wrong[i] = layout->fields[i].offset >= 0 && is_guess(&layout->needs->fields[i]) &&
                       (check_place(layout, number, i) || has_overlap(layout, range, i, pass == 1));
        for (unsigned i = range.first; i < range.end; i++)
            if (wrong[i])
                layout->fields[i] = (struct field_layout){.offset = -1};
    }
}

static void
extend(const struct field_layout *field, uint32_t *first, uint32_t *end)
{
    const uint32_t offset = (uint32_t) field->offset;

    if (*end == 0 || offset < *first)
        *first = offset;
    if (offset + field->width > *end)
        *end = offset + field->width;
}

static void
extend_struct(struct layout *layout, unsigned number, unsigned i)
{
    struct struct_layout *structure = &layout->structs[number];
    // What may be the wrong reading proves nothing about the alignment.
    const uint32_t alignment = is_guess(&layout->needs->fields[i]) ? 1 : field_alignment(layout, i);

    extend(&layout->fields[i], &structure->whole_first, &structure->whole_end);
    if (layout->needs->fields[i].presence == PRESENCE_APART)
        return;
    extend(&layout->fields[i], &structure->first, &structure->end);
    structure->alignment = alignment > structure->alignment ? alignment : structure->alignment;
}

static void
set_span(struct layout *layout, unsigned number, struct field_range range)
{
    struct struct_layout *structure = &layout->structs[number];
    structure->first = 0;
    structure->end = 0;
    structure->whole_first = 0;
    structure->whole_end = 0;
    structure->alignment = 1;
    for (unsigned i = range.first; i < range.end; i++)
        if (layout->fields[i].offset >= 0 && layout->needs->fields[i].kind != KIND_EMBEDS)
            extend_struct(layout, number, i);
}

struct flaw
layout_check(struct layout *layout, unsigned number)
{
    const struct needs *needs = layout->needs;
    struct field_range range = layout_fields_of(needs, number);
    uint32_t size = layout->structs[number].size;
    if (size < 1 || size > LAYOUT_MAX_SIZE)
        return (struct flaw){"has an impossible size", NULL};
    for (unsigned i = range.first; i < range.end; i++)
        layout->fields[i].width = layout->fields[i].offset >= 0 ? field_width(layout, i) : 0;
    drop_wrong_readings(layout, number, range);
    for (unsigned i = range.first; i < range.end; i++) {
        const char *what = NULL;
        if (layout->fields[i].offset >= 0)
            what = check_field(layout, number, range, i);
        else if (needs->fields[i].presence == PRESENCE_REQUIRED)
            what = "is not there";
        if (what)
            return (struct flaw){what, needs->fields[i].name};
    }
    set_span(layout, number, range);
    return (struct flaw){NULL, NULL};
}

enum status
layout_check_all(struct layout *layout)
{
    for (unsigned i = 0; i < layout->needs->n_structs; i++)
        if (layout->structs[i].origin != ORIGIN_NONE && layout_check(layout, i).what)
            return STATUS_MISMATCH;
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Resolving layouts from one block of a built-in table, all or nothing.
#include "target/layout.h"

#include "target/layout_check.h"

#include <stdio.h>
#include <string.h>

// Rows of a block, without its first.
struct block {
    const struct builtin_row *head;
    const struct builtin_row *end;
};

static bool
find_block(const struct builtin_row *rows, unsigned n_rows, unsigned block, struct block *ret)
{
    const struct builtin_row *end = rows + n_rows;
    const struct builtin_row *row = rows;
    while (row < end && (row->what != ROW_BLOCK || block-- > 0))
        row++;
    if (row == end)
        return false;
    ret->head = row++;
    while (row < end && row->what != ROW_BLOCK)
        row++;
    ret->end = row;
    return true;
}

// Finds the block of that label among those before another one.
static bool
find_earlier(const struct builtin_row *rows, const struct builtin_row *before, const char *label,
             struct block *ret)
{
    for (unsigned i = 0; find_block(rows, (unsigned) (before - rows), i, ret); i++)
        if (ret->head->number == before->number && strcmp(ret->head->label, label) == 0)
            return true;
    return false;
}

static enum status
read_row(struct layout *layout, const struct builtin_row *row)
{
    const struct needs *needs = layout->needs;
    unsigned limit = row->what == ROW_SIZE ? needs->n_structs : needs->n_fields;
    if (row->number >= limit || row->value < (row->what == ROW_OFFSET ? ROW_ABSENT : 0) ||
        row->value > LAYOUT_MAX_SIZE)
        return STATUS_MISMATCH;
    if (row->what == ROW_OFFSET) {
        layout->fields[row->number].offset = row->value;
        return STATUS_OK;
    }
    layout->structs[row->number].size = (uint32_t) row->value;
    layout->structs[row->number].origin = ORIGIN_BUILTIN;
    return STATUS_OK;
}

// Each block refers to earlier ones only, so this comes to an end.
static enum status
read_rows(struct layout *layout, const struct builtin_row *rows, struct block block)
{
    struct block earlier;
    for (const struct builtin_row *row = block.head + 1; row < block.end; row++) {
        if (row->what != ROW_LIKE)
            TRY(read_row(layout, row));
        else if (find_earlier(rows, block.head, row->label, &earlier))
            TRY(read_rows(layout, rows, earlier));
        else
            return STATUS_MISMATCH;
    }
    return STATUS_OK;
}

static const struct layout_move *layout_move;

void
layout_set_move(const struct layout_move *move)
{
    layout_move = move;
}

static bool
is_moved(const struct needs *needs, const struct field_need *need, const struct layout_move *move)
{
    return strcmp(need->reading, move->reading) == 0 &&
           strcmp(needs->structs[need->owner].name, move->struct_name) == 0;
}

// What is in the new place changes places with the member.
static void
move_member(struct layout *layout, const struct layout_move *move)
{
    const struct needs *needs = layout->needs;
    unsigned moved = 0;
    while (moved < needs->n_fields && !is_moved(needs, &needs->fields[moved], move))
        moved++;
    if (moved == needs->n_fields || layout->fields[moved].offset < 0)
        return;
    const int32_t from = layout->fields[moved].offset;
    for (unsigned i = 0; i < needs->n_fields; i++)
        if (needs->fields[i].owner == needs->fields[moved].owner &&
            layout->fields[i].offset == move->offset)
            layout->fields[i].offset = from;
    layout->fields[moved].offset = move->offset;
}

// Makes a layout of the block alone.
static enum status
read_block(struct layout *layout, const struct builtin_row *rows, struct block block)
{
    const struct needs *needs = layout->needs;
    TRY(read_rows(layout, rows, block));
    if (layout_move)
        move_member(layout, layout_move);
    for (unsigned i = 0; i < needs->n_fields; i++)
        if (layout->fields[i].offset >= 0 &&
            layout->structs[needs->fields[i].owner].origin == ORIGIN_NONE)
            return STATUS_MISMATCH;
    return STATUS_OK;
}

static bool
is_complete(const struct layout *layout, unsigned number)
{
    struct field_range range = layout_fields_of(layout->needs, number);
    for (unsigned i = range.first; i < range.end; i++)
        if (layout->fields[i].offset < 0 && layout->needs->fields[i].presence == PRESENCE_REQUIRED)
            return false;
    return layout->structs[number].origin != ORIGIN_NONE;
}

// Whether two layouts say the same about a struct, as far as both say anything.
static bool
agree(const struct layout *a, const struct layout *b, unsigned number)
{
    struct field_range range = layout_fields_of(a->needs, number);
    if (a->structs[number].origin == ORIGIN_NONE || b->structs[number].origin == ORIGIN_NONE)
        return true;
    if (a->structs[number].size != b->structs[number].size)
        return false;
    for (unsigned i = range.first; i < range.end; i++)
        if (a->fields[i].offset >= 0 && b->fields[i].offset >= 0 &&
            a->fields[i].offset != b->fields[i].offset)
            return false;
    return true;
}

// Takes over what is not resolved yet. @return whether there was anything
static bool
adopt(struct layout *layout, const struct layout *block)
{
    bool any = false;
    for (unsigned i = 0; i < layout->needs->n_structs; i++) {
        struct field_range range = layout_fields_of(layout->needs, i);
        if (layout->structs[i].origin != ORIGIN_NONE || !is_complete(block, i))
            continue;
        layout->structs[i] = block->structs[i];
        for (unsigned field = range.first; field < range.end; field++)
            layout->fields[field] = block->fields[field];
        any = true;
    }
    return any;
}

enum status
layout_from_block(struct layout *layout, const struct builtin_row *rows, unsigned n_rows,
                  unsigned block)
{
    struct block found;
    struct layout candidate;
    if (!find_block(rows, n_rows, block, &found))
        return STATUS_END;
    if (found.head->number != layout->model.pointer_size)
        return STATUS_MISMATCH;
    layout_init(&candidate, layout->needs, &layout->model);
    TRY(read_block(&candidate, rows, found));
    for (unsigned i = 0; i < layout->needs->n_structs; i++)
        if (!agree(layout, &candidate, i))
            return STATUS_MISMATCH;
    struct layout changed = *layout;
    if (adopt(&changed, &candidate))
        snprintf(changed.label, sizeof(changed.label), "%s", found.head->label);
    TRY(layout_check_all(&changed));
    *layout = changed;
    return STATUS_OK;
}

const char *
layout_block_label(const struct builtin_row *rows, unsigned n_rows, unsigned block)
{
    struct block found;

    return find_block(rows, n_rows, block, &found) ? found.head->label : NULL;
}

bool
layout_is_release(const char *version, const char *release)
{
    size_t length = strlen(release);

    return strncmp(version, release, length) == 0 &&
           (version[length] == '\0' || version[length] == '.' || version[length] == '-');
}

void
layout_releases(const struct builtin_row *rows, unsigned n_rows,
                bool (*is_named)(const char *label), char *ret, size_t size)
{
    struct block block;
    size_t used = 0;
    ret[0] = '\0';
    for (unsigned i = 0; find_block(rows, n_rows, i, &block) && used < size; i++) {
        char release[LAYOUT_LABEL];
        snprintf(release, sizeof(release), "%.*s", (int) strcspn(block.head->label, " "),
                 block.head->label);
        if (release[0] < '0' || release[0] > '9' || strstr(ret, release) ||
            (is_named && !is_named(block.head->label)))
            continue;
        used += (size_t) snprintf(ret + used, size - used, "%s%s", used > 0 ? ", " : "", release);
    }
}

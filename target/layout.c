// SPDX-License-Identifier: BSD-3-Clause
// Resolving the layouts of a family of structs, from three origins.
#include "target/layout.h"

#include "target/layout_check.h"

#include <stdio.h>
#include <string.h>

void
layout_init(struct layout *layout, const struct needs *needs, const struct datamodel *model)
{
    memset(layout, 0, sizeof(*layout));
    layout->needs = needs;
    layout->model = *model;
    for (unsigned i = 0; i < needs->n_fields; i++)
        layout->fields[i].offset = -1;
}

size_t
layout_kind_width(enum field_kind kind, uint16_t extra, const struct datamodel *model)
{
    const size_t widths[] = {
        [KIND_POINTER] = model->pointer_size,
        [KIND_INT8] = 1,
        [KIND_INT16] = 2,
        [KIND_INT32] = 4,
        [KIND_INT64] = 8,
        [KIND_UINT8] = 1,
        [KIND_UINT16] = 2,
        [KIND_UINT32] = 4,
        [KIND_UINT64] = 8,
        [KIND_INT] = model->int_size,
        [KIND_UINT] = model->int_size,
        [KIND_LONG] = model->long_size,
        [KIND_ULONG] = model->long_size,
        [KIND_SIZE] = model->size_t_size,
        [KIND_BOOL] = model->bool_size,
        [KIND_BYTES] = extra,
        [KIND_EMBEDS] = 0,
    };
    return widths[kind];
}

// Offsets beyond any struct's size are all alike; this one fails the check.
static int32_t
narrow_offset(int64_t offset)
{
    if (offset < 0)
        return -1;
    return offset <= LAYOUT_MAX_SIZE ? (int32_t) offset : LAYOUT_MAX_SIZE;
}

// Notes what the debug information says about one struct.
static void
look_up(struct layout *layout, const struct target *target, unsigned number)
{
    const struct needs *needs = layout->needs;
    const struct target_type *type =
        target->ops->find_type ? target->ops->find_type(target->host, needs->structs[number].name)
                               : NULL;
    if (!type)
        return;
    int64_t size = target->ops->type_size(target->host, type);
    struct field_range range = layout_fields_of(needs, number);
    layout->structs[number].origin = ORIGIN_DEBUG;
    layout->structs[number].size = size > 0 && size <= LAYOUT_MAX_SIZE ? (uint32_t) size : 0;
    for (unsigned i = range.first; i < range.end; i++)
        layout->fields[i].offset =
            narrow_offset(target->ops->field_offset(target->host, type, needs->fields[i].name));
}

static void
discard_if_flawed(struct layout *layout, struct trail *trail, unsigned number)
{
    struct flaw flaw = {NULL, NULL};
    if (layout->structs[number].origin != ORIGIN_NONE)
        flaw = layout_check(layout, number);
    if (!flaw.what)
        return;
    trail_begin(trail, STATUS_MISMATCH, "debug information: %s%s%s %s",
                layout->needs->structs[number].name, flaw.field ? "." : "",
                flaw.field ? flaw.field : "", flaw.what);
    layout_discard(layout, number);
}

void
layout_from_debug(struct layout *layout, struct inferior *inf)
{
    for (unsigned i = 0; i < layout->needs->n_structs; i++)
        if (layout->structs[i].origin == ORIGIN_NONE)
            look_up(layout, &inf->target, i);
    // Twice, because a struct that embeds one that was discarded later took its width too early.
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < layout->needs->n_structs; i++)
            discard_if_flawed(layout, &inf->trail, i);
}

const char *
layout_missing(const struct layout *layout)
{
    const struct needs *needs = layout->needs;
    for (unsigned i = 0; i < needs->n_structs; i++)
        if (needs->structs[i].presence == PRESENCE_REQUIRED &&
            layout->structs[i].origin == ORIGIN_NONE)
            return needs->structs[i].name;
    return NULL;
}

const char *
layout_origin_text(const struct layout *layout, unsigned number, char *buffer, size_t size)
{
    static const char *const texts[] = {
        [ORIGIN_NONE] = "unknown",
        [ORIGIN_DEBUG] = "debug information",
        [ORIGIN_BUILTIN] = "built-in",
        [ORIGIN_TARGET] = "published by the target",
    };
    enum origin origin = layout->structs[number].origin;
    if (origin != ORIGIN_BUILTIN)
        return texts[origin];
    snprintf(buffer, size, "%s %s", texts[origin], layout->label);
    return buffer;
}

enum status
layout_set(struct layout *layout, unsigned number, uint32_t size, const int32_t *offsets)
{
    if (number >= layout->needs->n_structs)
        return STATUS_MISMATCH;
    struct layout changed = *layout;
    struct field_range range = layout_fields_of(layout->needs, number);
    changed.structs[number].origin = ORIGIN_TARGET;
    changed.structs[number].size = size;
    for (unsigned i = range.first; i < range.end; i++)
        changed.fields[i].offset = narrow_offset(offsets[i - range.first]);
    TRY(layout_check_all(&changed));
    *layout = changed;
    return STATUS_OK;
}

// SPDX-License-Identifier: BSD-3-Clause
// Loading a struct, and picking its fields from the copy.
#include "target/view.h"

#include <inttypes.h>

// Whether a struct of this layout can be at the address at all.
static bool
can_be_at(const struct struct_layout *structure, const struct datamodel *model, taddr addr)
{
    taddr last = model->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    return addr != 0 && addr % structure->alignment == 0 && addr <= last &&
           structure->size - 1 <= last - addr;
}

static enum status
load(struct inferior *inf, const struct layout *layout, unsigned number, taddr addr, uint32_t first,
     uint32_t end, struct view *ret)
{
    const struct struct_layout *structure = &layout->structs[number];
    const char *name = layout->needs->structs[number].name;
    if (structure->origin == ORIGIN_NONE)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED, "the layout of %s is not known", name);
    if (end - first > VIEW_MAX)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED, "%s is too long", name);
    if (!can_be_at(structure, &layout->model, addr))
        return trail_begin(&inf->trail, STATUS_CORRUPT, "%s cannot be at 0x%" PRIx64, name, addr);
    enum status status = inferior_read(inf, addr + first, end - first, ret->bytes);
    if (status != STATUS_OK)
        return trail_prepend(&inf->trail, status, "%s at 0x%" PRIx64, name, addr);
    ret->layout = layout;
    ret->addr = addr;
    ret->number = number;
    ret->first = first;
    ret->end = end;
    return STATUS_OK;
}

enum status
view_load(struct inferior *inf, const struct layout *layout, unsigned number, taddr addr,
          struct view *ret)
{
    const struct struct_layout *structure = &layout->structs[number];

    return load(inf, layout, number, addr, structure->first, structure->end, ret);
}

enum status
view_load_whole(struct inferior *inf, const struct layout *layout, unsigned number, taddr addr,
                struct view *ret)
{
    const struct struct_layout *structure = &layout->structs[number];

    return load(inf, layout, number, addr, structure->whole_first, structure->whole_end, ret);
}

bool
view_has(const struct view *view, unsigned field)
{
    const struct field_layout *place = &view->layout->fields[field];
    const struct field_need *need = &view->layout->needs->fields[field];

    if (need->owner != view->number || place->offset < 0)
        return false;
    return need->kind == KIND_EMBEDS || ((uint32_t) place->offset >= view->first &&
                                         (uint32_t) place->offset + place->width <= view->end);
}

// Bytes of a field that the copy has; NULL when it has not.
static const uint8_t *
field_bytes(const struct view *view, unsigned field)
{
    const struct layout *layout = view->layout;
    if (!view_has(view, field) || layout->needs->fields[field].kind == KIND_EMBEDS)
        return NULL;
    return &view->bytes[(uint32_t) layout->fields[field].offset - view->first];
}

static bool
is_signed(enum field_kind kind)
{
    switch (kind) {
    case KIND_INT8:
    case KIND_INT16:
    case KIND_INT32:
    case KIND_INT64:
    case KIND_INT:
    case KIND_LONG:
        return true;
    default:
        return false;
    }
}

uint64_t
view_uint(const struct view *view, unsigned field)
{
    const uint8_t *bytes = field_bytes(view, field);
    if (!bytes || view->layout->needs->fields[field].kind == KIND_BYTES)
        return 0;
    return datamodel_uint(&view->layout->model, bytes, view->layout->fields[field].width);
}

int64_t
view_int(const struct view *view, unsigned field)
{
    const uint8_t *bytes = field_bytes(view, field);
    if (!bytes || !is_signed(view->layout->needs->fields[field].kind))
        return (int64_t) view_uint(view, field);
    return datamodel_int(&view->layout->model, bytes, view->layout->fields[field].width);
}

const void *
view_bytes(const struct view *view, unsigned field)
{
    if (view->layout->needs->fields[field].kind != KIND_BYTES)
        return NULL;
    return field_bytes(view, field);
}

taddr
view_addr(const struct view *view, unsigned field)
{
    return view->addr + (taddr) view->layout->fields[field].offset;
}

// SPDX-License-Identifier: BSD-3-Clause
// Structs to test layouts with, as a host with debug information knows them.
#include "tests/unit/target/needs.h"

#include "target/layout_define.h"

#include <string.h>

struct fake_type *
needs_type(struct fake *fake, unsigned number)
{
    const char *name = check_needs.structs[number].name;
    for (size_t i = 0; i < FAKE_TYPES; i++)
        if (fake->types[i].name && strcmp(fake->types[i].name, name) == 0)
            return &fake->types[i];
    ck_abort_msg("no struct %s", name);
    return NULL;
}

int64_t *
needs_offset(struct fake *fake, unsigned field)
{
    const struct field_need *need = &check_needs.fields[field];
    struct fake_type *type = needs_type(fake, need->owner);
    for (size_t i = 0; i < FAKE_FIELDS; i++)
        if (type->fields[i].name && strcmp(type->fields[i].name, need->name) == 0)
            return &type->fields[i].offset;
    ck_abort_msg("no member %s", need->name);
    return NULL;
}

// One member after the other, as a compiler does.
static void
lay_out_kinds(const struct datamodel *model, struct fake_type *type)
{
    size_t end = 0;
    size_t n = 0;
    for (unsigned i = 0; i < check_needs.n_fields; i++) {
        const struct field_need *need = &check_needs.fields[i];
        if (need->owner != S(kinds_t))
            continue;
        size_t width = layout_kind_width(need->kind, need->extra, model);
        size_t alignment = width < model->pointer_size ? width : model->pointer_size;
        if (need->kind == KIND_BYTES)
            alignment = 1;
        end = (end + alignment - 1) / alignment * alignment;
        type->fields[n].name = need->name;
        type->fields[n].offset = (int64_t) end;
        n++;
        end += width;
    }
    type->size = (int64_t) (end + 7) / 8 * 8;
}

void
needs_types(struct fake *fake)
{
    int64_t link = 2 * fake->model.pointer_size;
    const struct fake_type types[] = {
        {"item_t", link, {{"next", 0}}},
        {"outer_t",
         64,
         {{"super", 0}, {"count", 16}, {"wide", 24}, {"flag", 32}, {"name", 40}, {"mark", 56}}},
        {"union_t", 64, {{"one", 0}, {"two", 0}}},
        {"early_t", 16, {{"inner", 0}, {"tail", 8}}},
        {"late_t", 8, {{"value", 4}}},
        {"bare_t", link, {{"super", 0}}},
        {"kinds_t", 0, {{NULL, 0}}},
    };
    memcpy(fake->types, types, sizeof(types));
    lay_out_kinds(&fake->model, needs_type(fake, S(kinds_t)));
}

void
needs_expect_unresolved(const struct layout *layout, unsigned number)
{
    ck_assert_int_eq(layout->structs[number].origin, ORIGIN_NONE);
    ck_assert_uint_eq(layout->structs[number].size, 0);
    ck_assert_uint_eq(layout->structs[number].end, 0);
    for (unsigned i = 0; i < NEEDS_FIELDS; i++)
        if (check_needs.fields[i].owner == number) {
            ck_assert_int_eq(layout->fields[i].offset, -1);
            ck_assert_uint_eq(layout->fields[i].width, 0);
        }
}

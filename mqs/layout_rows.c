// SPDX-License-Identifier: BSD-3-Clause
// A layout as rows of text.
#include "mqs/layout_rows.h"

#include <stdio.h>

static void
struct_row(const struct layout *layout, unsigned number, struct layout_row *ret)
{
    *ret = (struct layout_row){
        .number = number,
        .struct_name = layout->needs->structs[number].name,
        .offset = -1,
        .size = layout->structs[number].size,
    };
}

static void
field_row(const struct layout *layout, unsigned number, struct layout_row *ret)
{
    const struct field_need *need = &layout->needs->fields[number];

    *ret = (struct layout_row){
        .number = need->owner,
        .struct_name = layout->needs->structs[need->owner].name,
        .field_name = need->reading,
        .offset = layout->fields[number].offset,
        .size = layout->fields[number].width,
    };
}

enum status
layout_row(const struct layout *layout, unsigned index, struct layout_row *ret)
{
    const struct needs *needs = layout->needs;

    for (unsigned i = 0, at = 0; i < needs->n_structs; ++i) {
        if (layout->structs[i].origin == ORIGIN_NONE)
            continue;
        if (at++ == index) {
            struct_row(layout, i, ret);
            return STATUS_OK;
        }
        for (unsigned j = 0; j < needs->n_fields; ++j)
            if (needs->fields[j].owner == i && layout->fields[j].offset >= 0 && at++ == index) {
                field_row(layout, j, ret);
                return STATUS_OK;
            }
    }
    return STATUS_END;
}

void
layout_describe(const struct layout *layout, char *ret, size_t size)
{
    bool builtin = false;

    for (unsigned i = 0; i < layout->needs->n_structs; ++i)
        builtin |= layout->structs[i].origin == ORIGIN_BUILTIN;
    if (builtin)
        snprintf(ret, size, "built-in %s", layout->label);
    else
        snprintf(ret, size, "debug information");
}

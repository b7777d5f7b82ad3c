// SPDX-License-Identifier: BSD-3-Clause
// The named types of one file's debug information.
#include "mqshow/symbols/types.h"

#include "mqshow/base/alloc.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int
compare_entries(const void *left, const void *right)
{
    const struct type_entry *a = left, *b = right;
    int order = (a->is_tag > b->is_tag) - (a->is_tag < b->is_tag);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/** Whether a DIE names a type, and in which of the two name spaces. */
static bool
classify(Dwarf_Die *die, bool *ret_is_tag)
{
    const int tag = dwarf_tag(die);
    *ret_is_tag = tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
                  tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type;
    return *ret_is_tag || tag == DW_TAG_typedef || tag == DW_TAG_base_type;
}

/** Follows typedefs and qualifiers to a type that has a size itself. */
static bool
complete(Dwarf_Die *die, Dwarf_Die *ret)
{
    if (dwarf_peel_type(die, ret) != 0)
        return false;
    Dwarf_Attribute attribute;
    bool declaration;
    return dwarf_attr(ret, DW_AT_declaration, &attribute) == NULL ||
           dwarf_formflag(&attribute, &declaration) != 0 || !declaration;
}

static void
add_type(struct types *types, Dwarf_Die *die)
{
    bool is_tag;
    const char *name = classify(die, &is_tag) ? dwarf_diename(die) : NULL;
    if (name == NULL)
        return;
    struct type_entry key = {.name = (char *) name, .is_tag = is_tag};
    struct type_entry **found = tfind(&key, &types->tree, compare_entries);
    if (found != NULL && (*found)->is_complete)
        return;
    struct type_entry *entry = found != NULL ? *found : alloc_zeroed(1, sizeof *entry);
    if (complete(die, &entry->die))
        entry->is_complete = true;
    else
        entry->die = *die;
    if (found != NULL)
        return;
    entry->name = alloc_text(name);
    entry->is_tag = is_tag;
    alloc_or_die(tsearch(entry, &types->tree, compare_entries));
}

static void
add_unit(struct types *types, Dwarf_Die *unit)
{
    Dwarf_Die die;
    for (int rc = dwarf_child(unit, &die); rc == 0; rc = dwarf_siblingof(&die, &die))
        add_type(types, &die);
}

void
types_read(struct types *types, Dwarf *dwarf)
{
    types->are_read = true;
    if (dwarf == NULL)
        return;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    uint8_t unit_type;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &unit_type, &unit, &split) == 0) {
        bool is_skeleton = unit_type == DW_UT_skeleton && split.addr != NULL;
        add_unit(types, is_skeleton ? &split : &unit);
    }
}

static void
free_entry(void *node)
{
    struct type_entry *entry = node;
    free(entry->name);
    free(entry);
}

void
types_deinit(struct types *types)
{
    tdestroy(types->tree, free_entry);
    types->tree = NULL;
}

static const struct type_entry *
find(const struct types *types, const char *name, bool is_tag)
{
    struct type_entry key = {.name = (char *) name, .is_tag = is_tag};
    struct type_entry *const *found = tfind(&key, &types->tree, compare_entries);
    return found != NULL ? *found : NULL;
}

bool
types_find(const struct types *types, const char *name, bool tag_only, struct type_entry *ret)
{
    const struct type_entry *entry = tag_only ? NULL : find(types, name, false);
    if (entry == NULL || !entry->is_complete)
        entry = find(types, name, true);
    if (entry == NULL || !entry->is_complete)
        return false;
    *ret = *entry;
    return true;
}

const char *
types_incomplete_tag(const struct types *types, const char *name)
{
    const struct type_entry *entry = find(types, name, false);
    if (entry == NULL || entry->is_complete)
        return NULL;
    Dwarf_Die target, die = entry->die;
    return dwarf_peel_type(&die, &target) == 0 ? dwarf_diename(&target) : NULL;
}

int64_t
type_size(const struct type_entry *type)
{
    Dwarf_Die die = type->die;
    Dwarf_Word size;
    return dwarf_aggregate_size(&die, &size) == 0 && size <= INT64_MAX ? (int64_t) size : -1;
}

/** Offset of a member in bytes; -1 for a bit field or an offset that only a running process has. */
static int64_t
member_offset(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_hasattr(member, DW_AT_bit_size))
        return -1;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL)
        return 0;
    if (dwarf_formudata(&attribute, &value) == 0)
        return value <= INT32_MAX ? (int64_t) value : -1;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
        ops[0].atom != DW_OP_plus_uconst || ops[0].number > INT32_MAX)
        return -1;
    return (int64_t) ops[0].number;
}

enum { MAX_NESTING = 8 };

static int64_t find_member(Dwarf_Die *type, const char *name, int nesting);

/** Looks for a member in an anonymous struct or union that is a member itself. */
static int64_t
find_inside(Dwarf_Die *member, const char *name, int nesting)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type, peeled;
    int64_t base = member_offset(member);
    if (base < 0 || nesting >= MAX_NESTING || dwarf_attr(member, DW_AT_type, &attribute) == NULL ||
        dwarf_formref_die(&attribute, &type) == NULL || dwarf_peel_type(&type, &peeled) != 0)
        return -1;
    int64_t offset = find_member(&peeled, name, nesting + 1);
    return offset < 0 ? -1 : base + offset;
}

static int64_t
find_member(Dwarf_Die *type, const char *name, int nesting)
{
    Dwarf_Die die;
    for (int rc = dwarf_child(type, &die); rc == 0; rc = dwarf_siblingof(&die, &die)) {
        if (dwarf_tag(&die) != DW_TAG_member)
            continue;
        const char *member = dwarf_diename(&die);
        if (member != NULL && strcmp(member, name) == 0)
            return member_offset(&die);
        int64_t offset = member == NULL ? find_inside(&die, name, nesting) : -1;
        if (offset >= 0)
            return offset;
    }
    return -1;
}

int64_t
type_field_offset(const struct type_entry *type, const char *name)
{
    Dwarf_Die die = type->die;
    return find_member(&die, name, 0);
}

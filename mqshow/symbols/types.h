// SPDX-License-Identifier: BSD-3-Clause
// The named types of one file's debug information.
#ifndef MQSHOW_SYMBOLS_TYPES_H
#define MQSHOW_SYMBOLS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/** A type by name; the definition of a struct is preferred to a declaration. */
struct type_entry {
    char *name;
    bool is_tag;      // of a struct, union, class or enum; otherwise a typedef or base type
    bool is_complete; // it has a size
    Dwarf_Die die;    // with typedefs and qualifiers followed to the end when complete
};

struct types {
    bool are_read;
    void *tree; // of tsearch()
};

/** Reads all named types. @param dwarf NULL: there are none */
void types_read(struct types *types, Dwarf *dwarf);

/** Frees what types_read() made. */
void types_deinit(struct types *types);

/** Looks a complete type up: as a typedef or base type, then as a tag.
 * @param tag_only as a tag only
 */
bool types_find(const struct types *types, const char *name, bool tag_only, struct type_entry *ret);

/** Tag that a name stands for when it is only a typedef of an incomplete struct; NULL: none. */
const char *types_incomplete_tag(const struct types *types, const char *name);

/** Size in bytes; -1 when it is not known. */
int64_t type_size(const struct type_entry *type);

/** Offset in bytes of a direct member, or of one of an anonymous member of it; -1: no such member,
 * or a bit field.
 */
int64_t type_field_offset(const struct type_entry *type, const char *name);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Makes the enumerators of a needs file: S (type), F (type, field) and their counts.
//
// Define NEEDS_FILE (the file, quoted) and NEEDS_PREFIX (an identifier), then include this. It
// declares `extern const struct needs PREFIX_needs;`. A misspelt struct or field does not compile.
// Only one needs file can be in use in a translation unit.
#ifndef NEEDS_FILE
#error "define NEEDS_FILE and NEEDS_PREFIX first"
#endif

#include "target/layout.h"

#define S(type)        STRUCT_##type
#define F(type, field) FIELD_##type##__##field

enum {
#define STRUCT(type, presence) S(type),
#define FIELD(type, field, kind, presence)
#define READING(type, field, reading, kind, presence)
#include NEEDS_FILE
#undef STRUCT
#undef FIELD
#undef READING
    NEEDS_STRUCTS
};

enum {
#define STRUCT(type, presence)
#define FIELD(type, field, kind, presence)            F(type, field),
#define READING(type, field, reading, kind, presence) F(type, reading),
#include NEEDS_FILE
#undef STRUCT
#undef FIELD
#undef READING
    NEEDS_FIELDS
};

_Static_assert(NEEDS_STRUCTS <= (int) LAYOUT_MAX_STRUCTS, "raise LAYOUT_MAX_STRUCTS");
_Static_assert(NEEDS_FIELDS <= (int) LAYOUT_MAX_FIELDS, "raise LAYOUT_MAX_FIELDS");

#define NEEDS_PASTE_(prefix) prefix##_needs
#define NEEDS_PASTE(prefix)  NEEDS_PASTE_(prefix)
extern const struct needs NEEDS_PASTE(NEEDS_PREFIX);

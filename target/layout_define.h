// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables of a needs file: include once per file, after target/layout_decl.h. What comes
// after it may be a table of struct builtin_row made of a file of built-in layouts.

#define POINTER      KIND_POINTER, 0
#define INT8         KIND_INT8, 0
#define INT16        KIND_INT16, 0
#define INT32        KIND_INT32, 0
#define INT64        KIND_INT64, 0
#define UINT8        KIND_UINT8, 0
#define UINT16       KIND_UINT16, 0
#define UINT32       KIND_UINT32, 0
#define UINT64       KIND_UINT64, 0
#define INT          KIND_INT, 0
#define UINT         KIND_UINT, 0
#define LONG         KIND_LONG, 0
#define ULONG        KIND_ULONG, 0
#define SIZE         KIND_SIZE, 0
#define BOOL         KIND_BOOL, 0
#define BYTES(n)     KIND_BYTES, n
#define EMBEDS(type) KIND_EMBEDS, S(type)

static const struct struct_need needs_structs[] = {
#define STRUCT(type, presence) {#type, PRESENCE_##presence},
#define FIELD(type, field, kind, presence)
#define READING(type, field, reading, kind, presence)
#include NEEDS_FILE
#undef STRUCT
#undef FIELD
#undef READING
};

static const struct field_need needs_fields[] = {
#define STRUCT(type, presence)
#define FIELD(type, field, kind, presence) {#field, S(type), kind, PRESENCE_##presence, #field},
#define READING(type, field, reading, kind, presence) \
    {#field, S(type), kind, PRESENCE_##presence, #reading},
#include NEEDS_FILE
#undef STRUCT
#undef FIELD
#undef READING
};

#undef POINTER
#undef INT8
#undef INT16
#undef INT32
#undef INT64
#undef UINT8
#undef UINT16
#undef UINT32
#undef UINT64
#undef INT
#undef UINT
#undef LONG
#undef ULONG
#undef SIZE
#undef BOOL
#undef BYTES
#undef EMBEDS

#define NEEDS_STRING_(prefix) #prefix
#define NEEDS_STRING(prefix)  NEEDS_STRING_(prefix)
const struct needs NEEDS_PASTE(NEEDS_PREFIX) = {
    .name = NEEDS_STRING(NEEDS_PREFIX),
    .structs = needs_structs,
    .n_structs = NEEDS_STRUCTS,
    .fields = needs_fields,
    .n_fields = NEEDS_FIELDS,
};

#define BLOCK(label, pointer_size)  {ROW_BLOCK, pointer_size, 0, label},
#define LIKE(label)                 {ROW_LIKE, 0, 0, label},
#define SIZE(type, size)            {ROW_SIZE, S(type), size, NULL},
#define OFFSET(type, field, offset) {ROW_OFFSET, F(type, field), offset, NULL},
#define ABSENT(type, field)         {ROW_OFFSET, F(type, field), ROW_ABSENT, NULL},

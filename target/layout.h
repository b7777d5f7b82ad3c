// SPDX-License-Identifier: BSD-3-Clause
// Struct needs, declared once, and the layouts they resolve to.
//
// A .def file declares what is needed of foreign structs:
//
//   STRUCT (ompi_request_t, REQUIRED)
//   FIELD (ompi_request_t, req_state, INT, REQUIRED)
//   FIELD (ompi_request_t, req_status, EMBEDS (ompi_status_public_t), REQUIRED)
//   READING (ompi_communicator_t, c_name, c_name_array, BYTES (64), OPTIONAL)
//   READING (ompi_communicator_t, c_name, c_name_pointer, POINTER, OPTIONAL)
//
// The fields of a STRUCT stand behind it, before the next one. READING is a field that has changed
// its type under one name over the releases: each reading has a name of its own, and what the
// target shows decides. target/layout_decl.h makes enumerators of the file, target/layout_define.h
// the tables.
#ifndef TARGET_LAYOUT_H
#define TARGET_LAYOUT_H

#include "target/inferior.h"

enum {
    LAYOUT_MAX_STRUCTS = 128,
    LAYOUT_MAX_FIELDS = 512,
    LAYOUT_MAX_SIZE = 1 << 22, // bytes of a foreign struct
    LAYOUT_LABEL = 48,         // bytes of an origin's name, with the NUL
    LAYOUT_NAME = 64,          // bytes of a struct's or member's name, with the NUL
};

/** What a field holds; gives its width in the target's data model, and its sign. */
enum field_kind {
    KIND_POINTER,
    KIND_INT8,
    KIND_INT16,
    KIND_INT32,
    KIND_INT64,
    KIND_UINT8,
    KIND_UINT16,
    KIND_UINT32,
    KIND_UINT64,
    KIND_INT,
    KIND_UINT,
    KIND_LONG,
    KIND_ULONG,
    KIND_SIZE,
    KIND_BOOL,
    KIND_BYTES,  // `extra` bytes
    KIND_EMBEDS, // the struct number `extra`
};

enum presence {
    PRESENCE_OPTIONAL,
    PRESENCE_REQUIRED,
    PRESENCE_APART, // optional, and only view_load_whole() reads it: what few ask for must not cost
                    // all others a read
};

struct struct_need {
    const char *name;
    enum presence presence; // REQUIRED: a layout without it is of no use
};

struct field_need {
    const char *name; // of the member in C
    uint16_t owner;   // number of its struct
    enum field_kind kind;
    uint16_t extra;
    enum presence presence; // REQUIRED: a struct without it counts as not resolved
    const char *reading;    // name of the reading; equals `name` for a plain FIELD
};

/** All that is needed of one family of structs. Fields of one struct stand together. */
struct needs {
    const char *name; // "openmpi"
    const struct struct_need *structs;
    unsigned n_structs;
    const struct field_need *fields;
    unsigned n_fields;
};

/** Where a layout came from. */
enum origin { ORIGIN_NONE, ORIGIN_DEBUG, ORIGIN_BUILTIN, ORIGIN_TARGET };

struct struct_layout {
    enum origin origin;              // ORIGIN_NONE: not resolved, and none of its fields is present
    uint32_t size;                   // bytes
    uint32_t first;                  // lowest offset of a present field that a view reads
    uint32_t end;                    // one past the highest byte of such a field
    uint32_t whole_first, whole_end; // likewise of all present fields, those that stand APART too
    uint32_t alignment;              // bytes; the strictest of such a field
};

struct field_layout {
    int32_t offset; // bytes from the start of the struct; -1: not present
    uint32_t width; // bytes; 0: not known, of an embedded struct that is not resolved
};

struct layout {
    const struct needs *needs;
    struct datamodel model;
    char label[LAYOUT_LABEL]; // of the built-in block that was used; "" when none
    struct struct_layout structs[LAYOUT_MAX_STRUCTS];
    struct field_layout fields[LAYOUT_MAX_FIELDS];
};

enum { ROW_ABSENT = -1 };

/** A row of a built-in table. A BLOCK row starts a table for one release and ABI. A LIKE row takes
 * over all rows of an earlier block for the same pointer size, before those of its own. */
struct builtin_row {
    enum { ROW_BLOCK, ROW_SIZE, ROW_OFFSET, ROW_LIKE } what;
    uint16_t number;   // of the struct, of the field; for BLOCK the pointer size in bytes
    int32_t value;     // size, offset; ROW_ABSENT: not known, whatever the earlier block says
    const char *label; // of a block, "4.1"; for LIKE of the earlier one
};

// What is checked, wherever a layout comes from: a struct's size is 1 to LAYOUT_MAX_SIZE; each
// field lies inside of its struct, is aligned for its kind, and overlaps no field of another name,
// except that embedded structs may share their offset (a union). A reading that fails is taken for
// the wrong one and becomes absent; anything else that fails condemns its struct.

/** Empties a layout: nothing is resolved. */
void layout_init(struct layout *layout, const struct needs *needs, const struct datamodel *model);

/** Resolves what the host's debug information has, struct by struct, and checks it.
 *
 * A struct that the debug information lacks, or of which it lacks a required field, or whose
 * offsets fail a check, stays unresolved; the trail then says why. Structs that are resolved
 * already are not looked up. Never fails as a whole: layout_missing() tells what is left.
 */
void layout_from_debug(struct layout *layout, struct inferior *inf);

/** Resolves the structs that are still unresolved from block number `block` of a built-in table.
 * One of which the block lacks a required field, or all, stays unresolved.
 * @return STATUS_END when there is no such block; STATUS_MISMATCH when the block is for another
 * data model, contradicts a struct that is already resolved, or fails a check; the layout is then
 * unchanged
 */
CHECKED enum status layout_from_block(struct layout *layout, const struct builtin_row *rows,
                                      unsigned n_rows, unsigned block);

/** A member of built-in blocks that stands elsewhere, wherever there is one of that name. One that
 * begins there has the place of the first. */
struct layout_move {
    char struct_name[LAYOUT_NAME], reading[LAYOUT_NAME]; // both "": none does
    int32_t offset;
};

/** Moves a member in all layouts that are made of blocks from now on: what values of a process then
 * refuse tells whether they confirm its own place. @param move must live as long; NULL: none is
 * moved */
void layout_set_move(const struct layout_move *move);

/** Label of block number `block`; NULL when there is no such block. */
const char *layout_block_label(const struct builtin_row *rows, unsigned n_rows, unsigned block);

/** Whether a version is of a release: "1.13.1" is of "1.13". */
bool layout_is_release(const char *version, const char *release);

/** Names the releases that the blocks of a table are for, "4.0, 4.1": the first words of the labels
 * that begin with a digit, each once.
 * @param is_named whether one of that label is to be named; NULL: all are
 */
void layout_releases(const struct builtin_row *rows, unsigned n_rows,
                     bool (*is_named)(const char *label), char *ret, size_t size);

/** Sets one struct from values that the target published itself (ORIGIN_TARGET), whatever it was.
 * @param offsets one for each of its fields in declaration order, -1 for an absent one
 * @return STATUS_MISMATCH when a check fails, or a required field is absent; the layout is then
 * unchanged
 */
CHECKED enum status
layout_set(struct layout *layout, unsigned number, uint32_t size, const int32_t *offsets);

/** Name of the first required struct that is not resolved; NULL when there is none. */
const char *layout_missing(const struct layout *layout);

/** Name of the origin of a struct: "debug information", "built-in 4.1", "published by the target",
 * "unknown".
 * @param buffer room for the text, of `size` bytes, when it is not a constant one
 */
const char *
layout_origin_text(const struct layout *layout, unsigned number, char *buffer, size_t size);

/** Bytes that a field of this kind takes; 0 for KIND_EMBEDS, whose struct tells. */
size_t layout_kind_width(enum field_kind kind, uint16_t extra, const struct datamodel *model);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// C types of a script: what the compiler of the fake process makes, and what its debug information
// says.
#ifndef TESTS_SCRIPT_TYPES_H
#define TESTS_SCRIPT_TYPES_H

#include "tests/script/model.h"

enum { NO_SIZE = -1, NO_OFFSET = -1 };

struct record;

/** A type: a scalar, or a record, or an array of either. */
struct ctype {
    uint64_t width;              // bytes of one element
    uint64_t align;              // of one element
    uint64_t count;              // elements
    const struct record *record; // NULL: a scalar
    bool array;
    bool is_char;
    bool is_pointer;
};

struct member {
    char *name;
    struct ctype type;
    uint64_t offset;
    int64_t told_offset; // what debug information says; NO_OFFSET: nothing
};

/** A struct or union. */
struct record {
    struct record *next;
    char *name;
    struct member *members;
    size_t n_members;
    uint64_t size;
    uint64_t align;
    bool is_union;
    bool told;         // debug information has it
    int64_t told_size; // what debug information says; NO_SIZE: nothing
};

struct types {
    const struct model *model;
    struct record *records; // newest first
};

void types_deinit(struct types *types);

/** A copy of its own, for types_deinit(); the types of its members are those of the original. */
struct types types_copy(const struct types *types);

/** @return NULL when there is none */
struct record *types_find(const struct types *types, const char *name);

/** Adds an empty struct or union. */
struct record *types_add(struct types *types, const char *name, bool is_union);

/** The type of this text, "int32", "pointer[4]", "list_t". @return false when there is none. */
bool types_parse(const struct types *types, const char *text, struct ctype *ret);

/** @return NULL when there is none */
struct member *record_find(const struct record *record, const char *name);

/** Adds a member at `offset`, or after the last one if that is NO_OFFSET. */
void record_add(struct record *record, const char *name, struct ctype type, int64_t offset);

/** Aligns the record's size; what debug information says follows it. */
void record_end(struct record *record);

/** `value` rounded up to a multiple of `align`, which is not 0. */
uint64_t round_up(uint64_t value, uint64_t align);

#endif

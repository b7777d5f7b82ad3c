// SPDX-License-Identifier: BSD-3-Clause
// The entries of the published table, what values they may have, and which releases are known by
// them.
#include "ompd-bridge/llvm/published.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_OF_POINTER, KIND_OF_BYTE, KIND_OF_INT, KIND_OF_WORD, KIND_OF_INNER };

#define MEMBER(type, field) WIDTH_##type##__##field
#define WHOLE(type)         SIZEOF_##type
#define UNPUBLISHED         PUBLISHED_ENTRIES

// For each type with fields, the entry that holds its size.
enum {
#define OWNER(type, size) SIZE_OF_OWNER_##type = size,
#include "ompd-bridge/llvm/published.def"
};

static const struct {
    enum kind kind;
    enum published_entry owner;
} fields[] = {
#define FIELD(type, field, kind) {KIND_OF_##kind, (enum published_entry) SIZE_OF_OWNER_##type},
#include "ompd-bridge/llvm/published.def"
};

static const enum kind size_kinds[] = {
#define SIZE(name, kind) KIND_OF_##kind,
#include "ompd-bridge/llvm/published.def"
};

static const char *const names[] = {
#define FIELD(type, field, kind) "ompd_access__" #type "__" #field,
#include "ompd-bridge/llvm/published.def"
#define FIELD(type, field, kind) "ompd_sizeof__" #type "__" #field,
#include "ompd-bridge/llvm/published.def"
#define FLAG(flag) "ompd_bitfield__kmp_tasking_flags_t__" #flag,
#include "ompd-bridge/llvm/published.def"
#define SIZE(name, kind) "ompd_sizeof__" #name,
#include "ompd-bridge/llvm/published.def"
#define WORD(name, kind) #name,
#include "ompd-bridge/llvm/published.def"
};

_Static_assert(sizeof(fields) / sizeof(fields[0]) == PUBLISHED_FIELDS, "fields come first");
_Static_assert(sizeof(names) / sizeof(names[0]) == PUBLISHED_ENTRIES, "a name for each");

const char *
published_name(enum published_entry entry)
{
    return names[entry];
}

enum published_entry
published_lookup(const char *name)
{
    unsigned i = 0;
    while (i < PUBLISHED_ENTRIES && strcmp(names[i], name) != 0)
        i++;
    return (enum published_entry) i;
}

uint64_t
published_offset(const struct published *published, enum published_entry field)
{
    uint64_t offset = 0;
    for (unsigned i = field; i < PUBLISHED_FIELDS; i = fields[i].owner - PUBLISHED_FIELDS)
        offset += published->values[i];
    return offset;
}

static bool
width_fits(enum kind kind, uint64_t width, const struct datamodel *model)
{
    switch (kind) {
    case KIND_OF_POINTER:
        return width == model->pointer_size;
    case KIND_OF_BYTE:
        return width == 1;
    case KIND_OF_INT:
        return width == 4;
    case KIND_OF_WORD:
        return width == 8;
    case KIND_OF_INNER:
        return width >= 1 && width <= PUBLISHED_STRUCT_MAX;
    }
    return false;
}

bool
published_fits(const char *name, uint64_t value, const struct datamodel *model)
{
    unsigned entry = published_lookup(name);
    if (entry >= PUBLISHED_FIELDS && entry < PUBLISHED_FIRST_FLAG)
        return width_fits(fields[entry - PUBLISHED_FIELDS].kind, value, model);
    if (entry >= SIZEOF_kmp_info_t && entry < WORD_ompd_dll_locations)
        return width_fits(size_kinds[entry - SIZEOF_kmp_info_t], value, model);
    return value <= UINT32_MAX;
}

// Offsets count as wrong only against sizes that were found good: widths are checked first.
static bool
field_fits(const uint64_t *values, unsigned field)
{
    uint64_t width = values[field + PUBLISHED_FIELDS];
    enum published_entry owner = fields[field].owner;
    uint64_t size = owner == PUBLISHED_ENTRIES ? PUBLISHED_STRUCT_MAX : values[owner];
    return width <= size && values[field] <= size - width;
}

static enum status
wrong(struct inferior *inf, const uint64_t *values, unsigned entry)
{
    return trail_begin(&inf->trail, STATUS_CORRUPT, "%s is 0x%" PRIx64, names[entry],
                       values[entry]);
}

static enum status
check_flags(const uint64_t *values, struct inferior *inf)
{
    uint64_t seen = 0;
    for (unsigned i = PUBLISHED_FIRST_FLAG; i < PUBLISHED_FIRST_FLAG + PUBLISHED_FLAGS; i++) {
        bool single = values[i] != 0 && (values[i] & (values[i] - 1)) == 0;
        if (!single || (values[i] & seen) || values[i] > UINT32_MAX)
            return wrong(inf, values, i);
        seen |= values[i];
    }
    return STATUS_OK;
}

enum status
published_check(const uint64_t *values, struct inferior *inf)
{
    for (unsigned i = 0; i < PUBLISHED_FIELDS; i++)
        if (!width_fits(fields[i].kind, values[i + PUBLISHED_FIELDS], &inf->model))
            return wrong(inf, values, i + PUBLISHED_FIELDS);
    for (unsigned i = 0; i < sizeof(size_kinds) / sizeof(size_kinds[0]); i++)
        if (!width_fits(size_kinds[i], values[SIZEOF_kmp_info_t + i], &inf->model))
            return wrong(inf, values, SIZEOF_kmp_info_t + i);
    for (unsigned i = 0; i < PUBLISHED_FIELDS; i++)
        if (!field_fits(values, i))
            return wrong(inf, values, i);
    return check_flags(values, inf);
}

// What tells the releases apart: the entries, and their values in the tables of running processes.
// That of 19 is still the same in 23.
enum { KEYS = 7 };
static const enum published_entry keys[KEYS] = {
    SIZEOF_kmp_info_t,
    SIZEOF_kmp_taskdata_t,
    OFFSET_kmp_base_info_t__th_current_task,
    OFFSET_kmp_base_info_t__ompt_thread_info,
    WIDTH_kmp_taskdata_t__td_icvs,
    WIDTH_kmp_taskdata_t__ompt_task_info,
    OFFSET_ompt_lw_taskteam_t__parent,
};

static const struct release {
    enum published_maker maker;
    const char *name;
    unsigned pointer_size;
    uint64_t values[KEYS];
} releases[] = {
    {MAKER_LLVM, "13", 8, {1408, 320, 432, 328, 48, 48, 72}},
    {MAKER_LLVM, "14", 8, {1408, 320, 440, 328, 48, 48, 72}},
    {MAKER_LLVM, "15", 8, {1408, 320, 440, 328, 48, 64, 88}},
    {MAKER_LLVM, "16", 8, {1472, 320, 504, 392, 48, 64, 88}},
    {MAKER_LLVM, "17", 8, {1472, 320, 512, 392, 48, 64, 88}},
    {MAKER_LLVM, "18", 8, {1472, 320, 512, 392, 56, 64, 88}},
    {MAKER_LLVM, "19 or later", 8, {1536, 320, 576, 456, 56, 64, 88}},
    {MAKER_INTEL, "Intel's 2024.1", 8, {1728, 320, 520, 392, 48, 64, 88}},
    {MAKER_INTEL, "2024.2", 8, {1728, 320, 584, 456, 48, 64, 88}},
    {MAKER_INTEL, "2025.1", 8, {1728, 320, 584, 456, 56, 64, 88}},
    {MAKER_INTEL, "2025.2 or later", 8, {4096, 320, 584, 456, 56, 64, 88}},
};

// Where a team has its level: in front of it is room for arguments, one size for each machine.
static const uint64_t level_offsets[] = {848, 720}; // x86-64, aarch64

static bool
level_fits(const struct published *published)
{
    uint64_t offset = published->values[OFFSET_kmp_base_team_t__t_level];
    for (size_t i = 0; i < sizeof(level_offsets) / sizeof(level_offsets[0]); i++)
        if (offset == level_offsets[i])
            return true;
    return false;
}

static bool
is_from(const struct published *published, const struct inferior *inf,
        const struct release *release)
{
    if (release->pointer_size != inf->model.pointer_size || !level_fits(published))
        return false;
    for (unsigned i = 0; i < KEYS; i++)
        if (published->values[keys[i]] != release->values[i])
            return false;
    return true;
}

static bool
reads_unknown(void)
{
    const char *wish = getenv("MQS_OMPD_UNKNOWN_RUNTIME");
    return wish && strcmp(wish, "1") == 0;
}

// Names all releases that are known: "14, 15".
static void
list_known(size_t size, char *ret)
{
    size_t used = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]) && used < size; i++)
        used +=
            (size_t) snprintf(ret + used, size - used, i == 0 ? "%s" : ", %s", releases[i].name);
}

static enum status
refuse(const struct published *published, struct inferior *inf)
{
    char known[128];
    list_known(sizeof(known), known);
    return trail_begin(
        &inf->trail, STATUS_UNSUPPORTED,
        "unknown release of LLVM's or Intel's OpenMP runtime (kmp_info_t of %" PRIu64
        " bytes, th_current_task at %" PRIu64
        "); known are %s; MQS_OMPD_UNKNOWN_RUNTIME=1 in the debugger's environment has it read all "
        "the same",
        published->values[SIZEOF_kmp_info_t],
        published->values[OFFSET_kmp_base_info_t__th_current_task], known);
}

enum status
published_release(struct published *published, struct inferior *inf, const char **ret)
{
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
        if (is_from(published, inf, &releases[i])) {
            published->maker = releases[i].maker;
            *ret = releases[i].name;
            return STATUS_OK;
        }
    if (!reads_unknown())
        return refuse(published, inf);
    *ret = "";
    return STATUS_OK;
}

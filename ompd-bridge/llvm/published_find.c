// SPDX-License-Identifier: BSD-3-Clause
// Finds the published table in a runtime, with its names or without.
//
// A stripped runtime has lost the names, but compilers lay such variables out in the order of the
// source or in the reverse. The eleven masks of one bit each, side by side, give the place away.
#include "ompd-bridge/llvm/published.h"

#include <string.h>

enum {
    WINDOW = 64 * 1024,  // bytes searched on each side of the landmark
    STRIDE = WINDOW / 4, // of the search before the landmark, nearest first
    PIECE = 4096,        // bytes read at a time
    ENV_MAX = 1 << 20,   // bytes of the runtime's settings
    ENV_SAMPLE = 4096,
    ENV_START = 256 // ... where bytes count: releases so far begin with such a setting
};

// Intel's runtime has three words more than LLVM's, none of which is of use here: each stands
// before one of these.
static const enum published_entry behind_more[][3] = {
    {PUBLISHED_ENTRIES, PUBLISHED_ENTRIES, PUBLISHED_ENTRIES},
    {WIDTH_kmp_base_info_t__th_current_task, FLAG_final, SIZEOF___kmp_omp_cancellation},
};
enum { ORDERS = sizeof(behind_more) / sizeof(behind_more[0]) };

// The place of an entry in the table, in words.
static unsigned
place_of(unsigned order, unsigned entry)
{
    unsigned place = entry;
    for (unsigned i = 0; i < 3; i++)
        place += entry >= (unsigned) behind_more[order][i];
    return place;
}

/** The last words seen, for the masks among them. */
struct masks {
    uint64_t last[PUBLISHED_FLAGS];
    unsigned run; // masks in a row
};

static bool
is_mask(uint64_t word)
{
    return word != 0 && (word & (word - 1)) == 0 && word <= UINT32_MAX;
}

// Takes the next word; true when it completes as many distinct masks as the table has flags.
static bool
masks_take(struct masks *masks, uint64_t word)
{
    memmove(masks->last, masks->last + 1, sizeof(masks->last) - sizeof(masks->last[0]));
    masks->last[PUBLISHED_FLAGS - 1] = word;
    masks->run = is_mask(word) ? masks->run + 1 : 0;
    if (masks->run < PUBLISHED_FLAGS)
        return false;
    uint64_t all = 0;
    for (unsigned i = 0; i < PUBLISHED_FLAGS; i++) {
        if (all & masks->last[i])
            return false;
        all |= masks->last[i];
    }
    return true;
}

static size_t
entry_width(const struct inferior *inf, unsigned entry)
{
    bool pointer = entry == WORD_ompd_dll_locations || entry == WORD_ompd_env_block;
    return pointer ? inf->model.pointer_size : PUBLISHED_ENTRY;
}

// Filled last by the runtime, so that 0 means that the rest is not there yet.
static enum status
check_locations(struct inferior *inf, taddr locations)
{
    taddr first;
    char name[64];
    if (locations == 0)
        return trail_begin(&inf->trail, STATUS_ABSENT, "the OpenMP runtime is still starting");
    TRY(inferior_read_pointer(inf, locations, &first));
    TRY(inferior_read_string(inf, first, sizeof(name), name));
    if (!strstr(name, "libompd") && !strstr(name, "libiomp5_db")) // Intel's
        return trail_begin(&inf->trail, STATUS_CORRUPT, "ompd_dll_locations names no libompd");
    return STATUS_OK;
}

static enum status
check_settings(struct inferior *inf, taddr block, uint64_t size)
{
    char sample[ENV_SAMPLE];
    if (block == 0 || size == 0 || size > ENV_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "ompd_env_block is invalid");
    const size_t most = inf->pieces ? ENV_START : sizeof(sample);
    TRY(inferior_read_string(inf, block, size < most ? (size_t) size + 1 : most, sample));
    if (!strstr(sample, "KMP_"))
        return trail_begin(&inf->trail, STATUS_CORRUPT, "ompd_env_block holds no settings");
    return STATUS_OK;
}

static enum status
check_all(struct inferior *inf, const struct published *published)
{
    const uint64_t *values = published->values;
    TRY(published_check(values, inf));
    TRY(check_locations(inf, values[WORD_ompd_dll_locations]));
    return check_settings(inf, values[WORD_ompd_env_block], values[WORD_ompd_env_block_size]);
}

static enum status
read_values(struct inferior *inf, struct published *published)
{
    taddr first = published->addresses[0], last = first;
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++) {
        first = published->addresses[i] < first ? published->addresses[i] : first;
        last = published->addresses[i] > last ? published->addresses[i] : last;
    }
    if (last - first <= 2 * PUBLISHED_ENTRIES * PUBLISHED_ENTRY)
        inferior_fetch(inf, first, (size_t) (last - first) + PUBLISHED_ENTRY);
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++)
        TRY(inferior_read_uint(inf, published->addresses[i], entry_width(inf, i),
                               &published->values[i]));
    return check_all(inf, published);
}

// Tries the table whose masks end with the word at `last`, forwards as in the source or backwards.
static enum status
try_order(struct inferior *inf, taddr last, unsigned order, bool backwards, struct published *ret)
{
    taddr first_flag = last - (PUBLISHED_FLAGS - 1) * (taddr) PUBLISHED_ENTRY;
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++) {
        taddr place = (taddr) place_of(order, i) - place_of(order, PUBLISHED_FIRST_FLAG);
        taddr forth = first_flag + place * PUBLISHED_ENTRY;
        taddr back = last - place * PUBLISHED_ENTRY;
        ret->addresses[i] = backwards ? back : forth;
    }
    return read_values(inf, ret);
}

static enum status
try_all_orders(struct inferior *inf, taddr last, struct published *ret)
{
    for (unsigned i = 0; i < 2 * ORDERS; i++)
        if (try_order(inf, last, i / 2, i % 2 == 1, ret) == STATUS_OK)
            return STATUS_OK;
    return STATUS_CORRUPT;
}

// Searches one piece; words that stand across its borders are found through `masks`.
static enum status
search_piece(struct inferior *inf, taddr piece, struct masks *masks, struct published *ret)
{
    uint8_t bytes[PIECE];
    TRY(inferior_read(inf, piece, sizeof(bytes), bytes));
    for (size_t at = 0; at < sizeof(bytes); at += PUBLISHED_ENTRY) {
        uint64_t word = datamodel_uint(&inf->model, bytes + at, PUBLISHED_ENTRY);
        if (masks_take(masks, word) && try_all_orders(inf, piece + at, ret) == STATUS_OK)
            return STATUS_OK;
    }
    return STATUS_ABSENT;
}

// Searches the readable pieces from `start` up to `end`; a hole ends the runtime's variables.
static enum status
search(struct inferior *inf, taddr start, taddr end, struct published *ret)
{
    struct masks masks = {.run = 0};
    for (taddr piece = start; piece < end; piece += PIECE) {
        enum status status = search_piece(inf, piece, &masks, ret);
        if (status != STATUS_ABSENT)
            return status;
    }
    return STATUS_ABSENT;
}

// Behind the landmark first, where clang's builds have the table; then before it.
static enum status
find_unnamed(struct inferior *inf, taddr landmark, struct published *ret)
{
    taddr middle = landmark - landmark % PIECE;
    if (search(inf, middle, middle + WINDOW, ret) == STATUS_OK)
        return STATUS_OK;
    for (unsigned i = 1; i <= WINDOW / STRIDE && middle >= i * STRIDE; i++) {
        taddr start = middle - i * STRIDE;
        if (search(inf, start, start + STRIDE + PIECE, ret) == STATUS_OK)
            return STATUS_OK;
    }
    return trail_begin(&inf->trail, STATUS_ABSENT, "no table of struct layouts was found");
}

static enum status
find_named(struct inferior *inf, taddr named_locations, struct published *ret)
{
    const struct target *target = &inf->target;
    taddr locations;
    TRY(inferior_read_pointer(inf, named_locations, &locations));
    if (locations == 0)
        return trail_begin(&inf->trail, STATUS_ABSENT, "the OpenMP runtime has not started");
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++) {
        const char *name = published_name((enum published_entry) i);
        if (!target->ops->find_symbol(target->host, name, &ret->addresses[i]))
            return trail_begin(&inf->trail, STATUS_ABSENT, "there is no variable %s", name);
    }
    return read_values(inf, ret);
}

enum status
published_find(struct inferior *inf, taddr landmark, struct published *ret)
{
    struct published found = {.builtin = NULL};
    taddr named;
    enum status status = inferior_symbol(inf, "ompd_dll_locations", &named);
    status =
        status == STATUS_OK ? find_named(inf, named, &found) : find_unnamed(inf, landmark, &found);
    if (status == STATUS_OK)
        *ret = found;
    return status;
}

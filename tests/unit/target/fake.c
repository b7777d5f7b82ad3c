// SPDX-License-Identifier: BSD-3-Clause
// The fake target.
#include "tests/unit/target/fake.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct fake_memory fake_memory;

const struct datamodel fake_models[FAKE_MODELS] = {
    {false, 2, 4, 8, 8, 8, 1, 8},
    {true, 2, 4, 8, 8, 8, 1, 8},
    {false, 2, 4, 4, 8, 4, 1, 4},
    {true, 2, 4, 4, 8, 4, 1, 4},
};

enum { ROW = 256 };

// What is at the addresses that differ from this one in the lowest byte only. Tests read gigabytes.
static const uint8_t *
row_of(taddr addr)
{
    static uint8_t rows[ROW][ROW];
    static bool has_rows;
    for (int i = 0; i < ROW * ROW && !has_rows; i++)
        rows[i / ROW][i % ROW] = (uint8_t) (i / ROW ^ i % ROW);
    has_rows = true;
    return rows[(uint8_t) (addr >> 8 ^ addr >> 16 ^ addr >> 24)];
}

uint8_t
fake_byte(taddr addr)
{
    return row_of(addr)[addr % ROW];
}

// How many bytes from an address on are in its row, at most size.
static size_t
in_row(taddr addr, size_t size)
{
    size_t left = ROW - addr % ROW;
    return left < size ? left : size;
}

static void
fill(taddr addr, size_t size, uint8_t *ret)
{
    for (size_t i = 0, n; i < size; i += n) {
        n = in_row(addr + i, size - i);
        memcpy(ret + i, row_of(addr + i) + (addr + i) % ROW, n);
    }
}

bool
fake_is(taddr addr, size_t size, const uint8_t *bytes)
{
    bool ret = true;
    for (size_t i = 0, n; i < size && ret; i += n) {
        n = in_row(addr + i, size - i);
        ret = memcmp(bytes + i, row_of(addr + i) + (addr + i) % ROW, n) == 0;
    }
    return ret;
}

static const struct fake_segment *
find_segment(const struct fake *fake, taddr addr, size_t size)
{
    for (size_t i = 0; i < FAKE_SEGMENTS; i++) {
        const struct fake_segment *segment = &fake->segments[i];
        if (segment->size > 0 && addr >= segment->addr && size <= segment->size &&
            addr - segment->addr <= segment->size - size)
            return segment;
    }
    return NULL;
}

static void
note_read(struct fake *fake, taddr addr, size_t size)
{
    fake->reads++;
    if (addr < fake->lowest)
        fake->lowest = addr;
    if (addr + (size - 1) > fake->highest)
        fake->highest = addr + (size - 1);
}

static bool
must_fail(const struct fake *fake, taddr addr, size_t size)
{
    if (fake->whole_pages && (addr % SNAPSHOT_PAGE != 0 || size % SNAPSHOT_PAGE != 0))
        return true;
    if (fake->fail_read == 0)
        return false;
    return fake->fail_all_reads ? fake->reads >= fake->fail_read : fake->reads == fake->fail_read;
}

static bool
fake_read(void *host, taddr addr, size_t size, void *ret)
{
    struct fake *fake = host;
    uint8_t *to = ret;
    ck_assert(size >= 1 && size <= INT_MAX);
    ck_assert_msg(addr + (size - 1) >= addr, "a read wraps around");
    note_read(fake, addr, size);
    const struct fake_segment *segment = find_segment(fake, addr, size);
    if (!segment || must_fail(fake, addr, size)) {
        memset(to, 0xee, size);
        return false;
    }
    fake->bytes += size;
    if (segment->bytes)
        memcpy(to, segment->bytes + (addr - segment->addr), size);
    else
        fill(addr, size, to);
    return true;
}

static bool
fake_find_symbol(void *host, const char *name, taddr *ret)
{
    struct fake *fake = host;
    fake->symbol_lookups++;
    for (unsigned i = 0; i < FAKE_SYMBOLS; i++) {
        if (!fake->symbols[i] || strcmp(fake->symbols[i], name) != 0)
            continue;
        *ret = 0x1000 + 16 * i;
        return true;
    }
    return false;
}

static bool
fake_find_function(void *host, const char *name, taddr *ret)
{
    const struct fake *fake = host;
    if (!fake->function || strcmp(fake->function, name) != 0)
        return false;
    *ret = fake->function_addr;
    return true;
}

static const struct target_type *
fake_find_type(void *host, const char *name)
{
    struct fake *fake = host;
    fake->type_lookups++;
    for (size_t i = 0; i < FAKE_TYPES; i++)
        if (fake->types[i].name && strcmp(fake->types[i].name, name) == 0)
            return (const struct target_type *) &fake->types[i];
    return NULL;
}

static int64_t
fake_type_size(void *host, const struct target_type *type)
{
    (void) host;
    return ((const struct fake_type *) type)->size;
}

static int64_t
fake_field_offset(void *host, const struct target_type *opaque, const char *field)
{
    const struct fake_type *type = (const struct fake_type *) opaque;
    (void) host;
    for (size_t i = 0; i < FAKE_FIELDS; i++)
        if (type->fields[i].name && strcmp(type->fields[i].name, field) == 0)
            return type->fields[i].offset;
    return -1;
}

static bool
fake_data_model(void *host, struct datamodel *ret)
{
    struct fake *fake = host;
    if (fake->has_model)
        *ret = fake->model;
    return fake->has_model;
}

static void *
fake_alloc(size_t size)
{
    struct fake_memory *memory = &fake_memory;
    memory->allocations++;
    memory->bytes += size;
    if (memory->fail > 0 && (memory->fail_all ? memory->allocations >= memory->fail
                                              : memory->allocations == memory->fail))
        return NULL;
    void *block = malloc(size);
    ck_assert_ptr_nonnull(block);
    memset(block, 0xa5, size);
    memory->live++;
    return block;
}

static void
fake_free(void *block)
{
    if (block)
        fake_memory.live--;
    free(block);
}

static const struct target_ops fake_ops = {
    .read = fake_read,
    .find_symbol = fake_find_symbol,
    .find_function = fake_find_function,
    .find_type = fake_find_type,
    .type_size = fake_type_size,
    .field_offset = fake_field_offset,
    .data_model = fake_data_model,
    .alloc = fake_alloc,
    .free = fake_free,
};

void
fake_init(struct fake *fake, const struct datamodel *model)
{
    memset(fake, 0, sizeof(*fake));
    fake->model = *model;
    fake->has_model = true;
    fake->lowest = UINT64_MAX;
    memset(&fake_memory, 0, sizeof(fake_memory));
}

struct target
fake_target(struct fake *fake)
{
    return (struct target){&fake_ops, fake};
}

void
fake_put(const struct fake *fake, void *bytes, size_t width, uint64_t value)
{
    uint8_t *to = bytes;
    for (size_t i = 0; i < width; i++)
        to[fake->model.big_endian ? width - 1 - i : i] = (uint8_t) (value >> (8 * i));
}

void
fake_put_pointer(const struct fake *fake, taddr addr, taddr value)
{
    const struct fake_segment *segment = &fake->segments[0];
    ck_assert(addr >= segment->addr && addr - segment->addr < segment->size);
    fake_put(fake, segment->bytes + (addr - segment->addr), fake->model.pointer_size, value);
}

void
fake_setup(void)
{
    memset(&fake_memory, 0, sizeof(fake_memory));
}

void
fake_teardown(void)
{
    ck_assert_int_eq(fake_memory.live, 0);
}

// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of a process, sorted.
#include "mqs/op_table.h"

#include "target/sort.h"

#include <string.h>

void
op_table_init(struct op_table *table, struct target target)
{
    memset(table, 0, sizeof(*table));
    arena_init(&table->arena, target);
}

void
op_table_deinit(struct op_table *table)
{
    const struct target target = {.ops = table->arena.ops};

    arena_deinit(&table->arena);
    op_table_init(table, target);
}

static struct op_ref *
ref_number(const struct op_table *table, uint32_t number)
{
    return &table->blocks[number / OP_BLOCK][number % OP_BLOCK];
}

// Makes room for one more block, doubling the list of blocks when it is full.
static enum status
add_block(struct op_table *table)
{
    if (table->n_blocks == table->room) {
        const uint32_t room = table->room == 0 ? 16 : table->room * 2;
        struct op_ref **blocks = arena_alloc(&table->arena, room, sizeof(struct op_ref *));
        if (blocks == NULL)
            return STATUS_NOMEM;
        if (table->n_blocks > 0)
            memcpy(blocks, table->blocks, table->n_blocks * sizeof(struct op_ref *));
        table->blocks = blocks;
        table->room = room;
    }
    struct op_ref *block = arena_alloc(&table->arena, OP_BLOCK, sizeof(*block));
    if (block == NULL)
        return STATUS_NOMEM;
    table->blocks[table->n_blocks++] = block;
    return STATUS_OK;
}

enum status
op_table_add(struct op_table *table, const struct op_ref *ref)
{
    if (table->count == UINT32_MAX)
        return STATUS_NOMEM;
    if (table->count / OP_BLOCK == table->n_blocks)
        TRY(add_block(table));
    *ref_number(table, table->count) = *ref;
    ++table->count;
    return STATUS_OK;
}

static int
less(void *context, uint32_t a, uint32_t b)
{
    const struct op_table *table = context;
    const struct op_ref *x = ref_number(table, a);
    const struct op_ref *y = ref_number(table, b);

    if (x->comm != y->comm)
        return x->comm < y->comm;
    if (x->class != y->class)
        return x->class < y->class;
    if (x->stage != y->stage)
        return x->stage < y->stage;
    if (x->major != y->major)
        return x->major < y->major;
    if (x->order != y->order)
        return x->order < y->order;
    return a < b;
}

enum status
op_table_sort(struct op_table *table)
{
    table->order = arena_alloc(&table->arena, (size_t) table->count + 1, sizeof(*table->order));
    if (table->order == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < table->count; ++i)
        table->order[i] = i;
    sort_numbers(table->order, table->count, less, table);
    return STATUS_OK;
}

// First place whose operation does not come before this communicator and class.
static uint32_t
lower_bound(const struct op_table *table, uint32_t comm, unsigned class)
{
    uint32_t low = 0, high = table->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct op_ref *ref = op_table_at(table, middle);
        if (ref->comm < comm || (ref->comm == comm && ref->class < class))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct op_range
op_table_find(const struct op_table *table, uint32_t comm, enum op_class class)
{
    return (struct op_range){
        .next = lower_bound(table, comm, class),
        .end = lower_bound(table, comm, (unsigned) class + 1),
    };
}

const struct op_ref *
op_table_at(const struct op_table *table, uint32_t place)
{
    return ref_number(table, table->order[place]);
}

// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of a process, sorted: by communicator, class and place in the queue.
#ifndef MQS_OP_TABLE_H
#define MQS_OP_TABLE_H

#include "mqs/adapter.h"

enum { OP_BLOCK = 1024 }; // references in a block

/** A growing table that never moves a reference: at most 60 bytes for each, and one block. */
struct op_table {
    struct arena arena;
    struct op_ref **blocks;
    uint32_t n_blocks;
    uint32_t room; // block pointers allocated
    uint32_t count;
    uint32_t *order; // numbers of the references, sorted; NULL before op_table_sort()
};

/** A range of a sorted table. */
struct op_range {
    uint32_t next;
    uint32_t end;
};

/** Prepares an empty table. */
void op_table_init(struct op_table *table, struct target target);

/** Frees all; the table is then empty and can be used again. */
void op_table_deinit(struct op_table *table);

/** Takes a copy of a reference. @return STATUS_NOMEM */
CHECKED enum status op_table_add(struct op_table *table, const struct op_ref *ref);

/** Sorts what was added. @return STATUS_NOMEM */
CHECKED enum status op_table_sort(struct op_table *table);

/** The operations of one communicator and class; after op_table_sort(). */
struct op_range op_table_find(const struct op_table *table, uint32_t comm, enum op_class class);

/** The reference at a place of a range. */
const struct op_ref *op_table_at(const struct op_table *table, uint32_t place);

#endif

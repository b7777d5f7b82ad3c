// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What a library for tests has beside the product's functions: one block of a built-in table stands
 * in the place of all others of it.
 */
#ifndef MQS_TESTS_RECORDINGS_FORCED_H
#define MQS_TESTS_RECORDINGS_FORCED_H

#include "target/layout.h"

/** A built-in table that was asked for a block. */
struct forced_table {
    const struct needs *needs;
    const struct builtin_row *rows;
    unsigned n_rows;
    struct datamodel model;
    char label[LAYOUT_LABEL]; // of the block that was taken last
};

enum { FORCED_TABLES = 8, FORCED_ROWS = 512 };

/** Puts the block of that label, with rows that come after its own, in the place of every other one
 * of the table, whose labels stay: as if the version of the process were the block's.
 * @param table name of the needs; NULL: all tables are themselves again
 */
void mqs_force_block(const char *table, const char *label, const struct builtin_row *rows,
                     unsigned n_rows);

/** Tables that were asked since the last mqs_force_block(). */
const struct forced_table *mqs_forced_tables(unsigned *ret_count);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// target/layout_block.c for a library of tests, in which another block can be forced on a process.
// The product's own has no place to do it.
#define layout_from_block layout_from_own_block
#include "target/layout_block.c"
#undef layout_from_block

#include "tests/recordings/forced.h"

#define EXPORTED __attribute__((visibility("default")))

CHECKED enum status layout_from_block(struct layout *layout, const struct builtin_row *rows,
                                      unsigned n_rows, unsigned block);

static struct {
    const char *table, *label;
    const struct builtin_row *rows;
    unsigned n_rows;
} forced;
static struct forced_table tables[FORCED_TABLES];
static unsigned n_tables;

EXPORTED void
mqs_force_block(const char *table, const char *label, const struct builtin_row *rows,
                unsigned n_rows)
{
    forced.table = table;
    forced.label = label;
    forced.rows = rows;
    forced.n_rows = n_rows;
    n_tables = 0;
}

EXPORTED const struct forced_table *
mqs_forced_tables(unsigned *ret_count)
{
    *ret_count = n_tables;
    return tables;
}

static void
note(const struct layout *layout, const struct builtin_row *rows, unsigned n_rows,
     const char *label)
{
    unsigned i = 0;

    while (i < n_tables && tables[i].needs != layout->needs)
        i++;
    if (i == FORCED_TABLES)
        return;
    n_tables += i == n_tables;
    tables[i] = (struct forced_table){layout->needs, rows, n_rows, layout->model, ""};
    snprintf(tables[i].label, sizeof(tables[i].label), "%s", label);
}

// A block behind all others with the label of the one that was asked for, like the forced one.
static enum status
take_forced(struct layout *layout, const struct builtin_row *rows, unsigned n_rows,
            const struct block *asked)
{
    static struct builtin_row all[1 << 14];
    unsigned n = n_rows, blocks = 0;

    if (n_rows + 2 + forced.n_rows > sizeof(all) / sizeof(all[0]))
        return STATUS_NOMEM;
    memcpy(all, rows, n_rows * sizeof(*rows));
    for (unsigned i = 0; i < n_rows; i++)
        blocks += rows[i].what == ROW_BLOCK;
    all[n++] = *asked->head;
    all[n++] = (struct builtin_row){ROW_LIKE, 0, 0, forced.label};
    if (forced.n_rows > 0)
        memcpy(all + n, forced.rows, forced.n_rows * sizeof(*all));
    return layout_from_own_block(layout, all, n + forced.n_rows, blocks);
}

enum status
layout_from_block(struct layout *layout, const struct builtin_row *rows, unsigned n_rows,
                  unsigned block)
{
    struct block asked;

    if (!find_block(rows, n_rows, block, &asked))
        return STATUS_END;
    const enum status ret = forced.table && strcmp(forced.table, layout->needs->name) == 0
                                ? take_forced(layout, rows, n_rows, &asked)
                                : layout_from_own_block(layout, rows, n_rows, block);
    if (ret == STATUS_OK)
        note(layout, rows, n_rows, asked.head->label);
    return ret;
}

// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as lines.
#include "mqshow/text/print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/table.h"

#include <inttypes.h>

enum { INDENT = 2, COLUMNS = 3 };

static void
add_handle(struct table *table, const struct handle_record *handle)
{
    table_line(table);
    table_cell(table, 0, alloc_text(handle->kind != NULL ? handle->kind : ""), NULL);
    table_cell(table, 1, alloc_format("%#" PRIx64, handle->value), NULL);
    table_cell(table, 2, alloc_text(handle->text != NULL ? handle->text : ""), NULL);
}

void
print_handles(FILE *out, const struct report *report, struct style style)
{
    struct table *table = table_create(COLUMNS, style.color);
    for (size_t i = 0; i < report->handles.count; i++)
        add_handle(table, &report->handles.items[i]);
    if (report->handles.count == 0 && HAS(report, PROCESS_HANDLES))
        table_free_line(table, alloc_text("no handles of the program's own"));
    table_print(table, out, INDENT);
}

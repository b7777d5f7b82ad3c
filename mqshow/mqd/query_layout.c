// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about the struct layouts that it uses.
#include "mqshow/base/alloc.h"
#include "mqshow/mqd/query.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 100000 };

/** A row in the form of a built-in table, to free(). */
static char *
row_text(const mqs_layout_row *row)
{
    bool usable = row->origin != NULL && strcmp(row->origin, "debug information") == 0;
    const char *begin = usable ? "" : "// ";
    if (row->field_name == NULL)
        return alloc_format("%sSIZE (%s, %ld)\n", begin, row->struct_name, row->size);
    return alloc_format("%sOFFSET (%s, %s, %ld)\n", begin, row->struct_name, row->field_name,
                        row->offset);
}

void
query_layout(struct query *query)
{
    struct report *report = query->report;
    if (query->dll->mqs_get_layout_row == NULL || !report->has_mpi)
        return;
    char *all = alloc_format("BLOCK (\"%s\", %d)\n",
                             report->mpi.version != NULL ? report->mpi.version : "unknown",
                             query->process->image.image.debuggee.pointer_size);
    int rows = 0;
    mqs_layout_row row = {.struct_name = NULL};
    while (rows < ROWS_MAX &&
           query->dll->mqs_get_layout_row(query->process, rows, &row) == mqs_ok &&
           row.struct_name != NULL) {
        char *line = row_text(&row);
        char *longer = alloc_format("%s%s", all, line);
        free(line);
        free(all);
        all = longer;
        rows++;
    }
    if (rows > 0)
        report->layout_rows = all;
    else
        free(all);
}

// SPDX-License-Identifier: BSD-3-Clause
// Struct layouts as rows of a built-in table, and what confirms them.
#include "mqshow/text/print.h"

#include "mqshow/base/escape.h"

#include <inttypes.h>

static bool
is_same_row(const struct layout_row *a, const struct layout_row *b)
{
    return text_equals(a->structure, b->structure) && text_equals(a->member, b->member) &&
           text_equals(a->origin, b->origin) && a->offset == b->offset && a->size == b->size;
}

static bool
has_same_layout(const struct mpi_record *a, const struct mpi_record *b)
{
    bool same = a->layout_rows.count == b->layout_rows.count;
    for (size_t i = 0; same && i < a->layout_rows.count; i++)
        same = is_same_row(&a->layout_rows.items[i], &b->layout_rows.items[i]);
    return same && text_equals(a->version, b->version);
}

/** How much a row tells: confirmed, then not yet, then of no use. */
static int
weight(const struct layout_row *row)
{
    return !HAS(row, LAYOUT_CONFIRMED) || row->confirmed == CONFIRMED_NO_USE ? 0
           : row->confirmed == CONFIRMED_NOT_YET                             ? 1
                                                                             : 2;
}

static void
print_confirmed(FILE *out, const struct layout_row *row)
{
    if (!HAS(row, LAYOUT_CONFIRMED) || row->confirmed == CONFIRMED_BY_DEBUG_INFORMATION)
        return;
    int64_t others = row->tried - row->refused - row->unused;
    if (row->confirmed == CONFIRMED_BY_VALUES)
        fprintf(out, " // confirmed: refused in %" PRId64 " of %" PRId64 " other places",
                row->refused, row->tried);
    else if (row->confirmed == CONFIRMED_NO_USE)
        fputs(" // not used: the same is shown from other places", out);
    else if (row->tried == 0)
        fputs(" // not yet confirmed: there is no other place to try", out);
    else
        fprintf(out,
                " // not yet confirmed: something else is shown from %" PRId64 " of %" PRId64
                " other places",
                others, row->tried);
}

static void
print_row(FILE *out, const struct layout_row *row, const struct layout_row *confirmed)
{
    if (!text_equals(row->origin, "debug information"))
        fputs("// ", out);
    if (row->member == NULL)
        fprintf(out, "SIZE (%s, %" PRId64 ")", row->structure, row->size);
    else
        fprintf(out, "OFFSET (%s, %s, %" PRId64 ")", row->structure, row->member, row->offset);
    print_confirmed(out, confirmed);
    fputc('\n', out);
}

static void
print_rows(FILE *out, const struct report *reports, size_t count)
{
    const struct mpi_record *mpi = &reports->mpi;
    fprintf(out, "BLOCK (\"%s\", %" PRId64 ")\n", mpi->version != NULL ? mpi->version : "unknown",
            mpi->pointer_size);
    for (size_t i = 0; i < mpi->layout_rows.count; i++) {
        const struct layout_row *row = &mpi->layout_rows.items[i], *best = row;
        for (size_t k = 1; k < count; k++)
            if (has_same_layout(mpi, &reports[k].mpi) &&
                weight(&reports[k].mpi.layout_rows.items[i]) > weight(best))
                best = &reports[k].mpi.layout_rows.items[i];
        print_row(out, row, best);
    }
}

void
print_layout(FILE *out, const struct report *reports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool seen = reports[i].mpi.layout_rows.count == 0;
        if (seen)
            print_notes(stderr, &reports[i]);
        for (size_t k = 0; k < i && !seen; k++)
            seen = has_same_layout(&reports[k].mpi, &reports[i].mpi);
        if (!seen)
            print_rows(out, &reports[i], count - i);
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about OpenMP threads and about struct layouts.
#include "tools/alloc.h"
#include "tools/gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1000000, ROWS_MAX = 100000 };

static void
gather_threads(struct gathering *gathering)
{
    struct report *report = gathering->report;
    int code = gathering->dll->mqs_omp_setup_thread_iterator(gathering->process);
    while (code == mqs_ok && report->n_threads < THREADS_MAX) {
        mqs_omp_thread thread = {.known = 0};
        code = gathering->dll->mqs_omp_next_thread(gathering->process, &thread);
        if (code != mqs_ok)
            break;
        report->threads = alloc_grow(report->threads, report->n_threads, &report->threads_capacity,
                                     sizeof thread);
        report->threads[report->n_threads++] = thread;
    }
    if (code != mqs_ok && code != mqs_end_of_list)
        gather_failure(gathering, "OpenMP threads", code);
}

void
gather_openmp(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    struct report *report = gathering->report;
    if (dll->mqs_omp_process_has_openmp == NULL || dll->mqs_omp_setup_thread_iterator == NULL ||
        dll->mqs_omp_next_thread == NULL)
        return;
    char *message = NULL;
    int code = dll->mqs_omp_process_has_openmp(gathering->process, &message);
    gather_message(gathering, message, report->image, code);
    if (code != mqs_ok) {
        if (code != mqs_no_information && message == NULL)
            gather_failure(gathering, "OpenMP", code);
        return;
    }
    report->has_openmp = true;
    if (dll->mqs_omp_get_info != NULL)
        dll->mqs_omp_get_info(gathering->process, &report->omp);
    gather_threads(gathering);
}

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
gather_layout(struct gathering *gathering)
{
    struct report *report = gathering->report;
    if (gathering->dll->mqs_get_layout_row == NULL || !report->has_mpi)
        return;
    char *all =
        alloc_format("BLOCK (\"%s\", %d)\n", report->version != NULL ? report->version : "unknown",
                     gathering->process->image.image.pointer_size);
    int rows = 0;
    mqs_layout_row row = {.struct_name = NULL};
    while (rows < ROWS_MAX &&
           gathering->dll->mqs_get_layout_row(gathering->process, rows, &row) == mqs_ok &&
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

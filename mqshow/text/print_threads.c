// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process for people, out of its document, wherever that was made.
#include "mqshow/text/print_threads.h"

#include "mqshow/base/alloc.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/report/report.h"
#include "mqshow/base/table.h"
#include "mqshow/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_INDENT = 2, STACK_INDENT = 6, COLUMNS = 3 };
enum { ROWS_SHOWN = 6 }; // in brief texts, beside as many of threads that wait for messages

/** Threads that are alike. */
struct alike {
    char *what, *awaits;
    int64_t *tids;
    size_t count, capacity;
    const struct thread_record *first;
};

struct rows {
    struct alike *items;
    size_t count, capacity;
};

/** "MPI_Recv in exchange at ring.c:17", for free(). */
static char *
what_text(const struct thread_record *thread)
{
    char *frame = print_frame_text(&thread->frame);
    const char *call = thread->call;
    char *text = alloc_format("%s%s%s", call != NULL ? call : "",
                              *frame != '\0' ? (call != NULL ? " in " : "in ") : "", frame);
    free(frame);
    return text;
}

/** The row of threads like this one, which may be new; the texts are taken over. */
static struct alike *
find_row(struct rows *rows, char *what, char *awaits, bool apart)
{
    for (size_t i = 0; i < rows->count && !apart; i++) {
        if (strcmp(rows->items[i].what, what) == 0 && strcmp(rows->items[i].awaits, awaits) == 0) {
            free(what);
            free(awaits);
            return &rows->items[i];
        }
    }
    rows->items = alloc_grow(rows->items, rows->count, &rows->capacity, sizeof *rows->items);
    rows->items[rows->count] = (struct alike){.what = what, .awaits = awaits};
    return &rows->items[rows->count++];
}

static void
add_thread(struct rows *rows, const struct report *report, const struct thread_record *thread,
           bool apart)
{
    char *awaits = print_awaits_text(report, &thread->awaits);
    struct alike *row = find_row(rows, what_text(thread), awaits, apart);
    *ALLOC_ADD(row->tids, row->count, row->capacity) = thread->tid;
    row->first = row->first != NULL ? row->first : thread;
}

static char *
who_text(const struct alike *row, bool all)
{
    if (row->count == 1)
        return alloc_format("thread %" PRId64, row->tids[0]);
    char *tids = omp_text_numbers(row->tids, row->count, all);
    char *text = alloc_format("%zu threads %s", row->count, tids);
    free(tids);
    return text;
}

static void
print_rows(FILE *out, const struct rows *rows, struct style style)
{
    struct table *table = table_create(COLUMNS, style.color);
    size_t waiting = 0, left_out = 0;
    for (size_t i = 0; i < rows->count; i++) {
        bool waits = *rows->items[i].awaits != '\0';
        if (style.brief && i >= ROWS_SHOWN && !(waits && waiting < ROWS_SHOWN)) {
            left_out += rows->items[i].count;
            continue;
        }
        waiting += waits;
        table_line(table);
        table_cell(table, 0, who_text(&rows->items[i], style.all), NULL);
        table_cell(table, 1, alloc_text(rows->items[i].what), NULL);
        table_cell(table, 2, alloc_text(rows->items[i].awaits), NULL);
    }
    if (left_out > 0)
        table_free_line(table,
                        alloc_format("... %zu more thread%s", left_out, left_out == 1 ? "" : "s"));
    table_print(table, out, THREADS_INDENT);
}

static void
print_with_stacks(FILE *out, const struct rows *rows, struct style style)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct rows one = {.items = &rows->items[i], .count = 1};
        print_rows(out, &one, style);
        print_stack(out, rows->items[i].first, STACK_INDENT, style.all);
    }
}

static void
free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].what);
        free(rows->items[i].awaits);
        free(rows->items[i].tids);
    }
    free(rows->items);
}

/** Says how many threads run nothing of the user's. */
static void
print_hidden(FILE *out, const char *kind, const char *owner, size_t count)
{
    if (count > 0)
        fprintf(out, "%*s%zu %s%s of the %s\n", THREADS_INDENT, "", count, kind,
                count == 1 ? "" : "s", owner);
}

void
print_threads(FILE *out, const struct report *report, struct style style)
{
    struct rows rows = {.items = NULL};
    size_t n_mpi = 0, n_openmp = 0;
    style.brief &= report->has_mpi;
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        const char *runtime = thread->runtime;
        bool mpi = runtime != NULL && strcmp(runtime, "MPI") == 0;
        n_mpi += mpi;
        n_openmp += runtime != NULL && !mpi;
        if (runtime == NULL || style.all)
            add_thread(&rows, report, thread, style.all || style.stacks);
    }
    if (style.stacks)
        print_with_stacks(out, &rows, style);
    else
        print_rows(out, &rows, style);
    print_hidden(out, "helper thread", "MPI library", style.all ? 0 : n_mpi);
    print_hidden(out, "worker thread", "OpenMP runtime", style.all ? 0 : n_openmp);
    free_rows(&rows);
}

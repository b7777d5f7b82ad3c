// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process for people: where they are, and what they wait for.
#include "mqshow/text/print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/runtime.h"
#include "mqshow/base/table.h"
#include "mqshow/report/device_wait.h"
#include "mqshow/report/place.h"
#include "mqshow/text/omp_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AWAITED_SHOWN = 3 }; // operations

/** Prints a frame of the user's, or any one when all is shown. */
static void
print_frame(FILE *out, const struct frame_record *frame, int indent)
{
    char *text = frame_text(frame), address[32] = "?";
    const char *construct = frame->construct;
    if (HAS(frame, FRAME_ADDRESS))
        snprintf(address, sizeof address, "0x%" PRIx64, frame->address);
    const char *what = *text != '\0' ? text : address;
    bool is_named = !construct || strncmp(what, construct, strlen(construct)) == 0;
    fprintf(out, "%*s%s%s%s%s%s%s\n", indent, "", what, is_named ? "" : " (",
            is_named ? "" : construct, is_named ? "" : ")", frame->module ? "   " : "",
            frame->module ? base_name(frame->module) : "");
    free(text);
}

/** Whether frames of the interpreter are not counted: those of Python are shown. */
static bool
has_python(const struct thread_record *thread)
{
    for (size_t i = 0; i < thread->stack.count; i++)
        if (frame_is_python(&thread->stack.items[i]))
            return true;
    return false;
}

static void
print_stack(FILE *out, const struct thread_record *thread, int indent, bool all)
{
    const struct frame_record *stack = thread->stack.items;
    size_t n, count = thread->stack.count;
    enum runtime hidden = has_python(thread) ? RUNTIME_PYTHON : RUNTIME_NONE;
    for (size_t i = 0; i < count; i += n) {
        enum runtime runtime = frame_runtime(&stack[i]);
        n = 1;
        if (all || runtime == RUNTIME_NONE) {
            print_frame(out, &stack[i], indent);
            continue;
        }
        while (i + n < count && frame_runtime(&stack[i + n]) == runtime)
            n++;
        if (runtime == hidden)
            continue;
        fprintf(out, "%*s(%zu frame%s of %s)\n", indent, "", n, n == 1 ? "" : "s",
                runtime_name(runtime));
    }
}

/** "receive from 3 tag 42 on ring", for free(). */
static char *
operation_text(const struct report *report, uint64_t request)
{
    const struct communicator *comm;
    int op_class;
    const struct operation *op = report_operation(report, request, &comm, &op_class);
    if (!op)
        return alloc_format("request 0x%" PRIx64, request);
    bool receives = op_class == mqs_pending_receives;
    bool probes = HAS(op, OP_KIND) && op->kind == mqs_kind_probe;
    char *text = alloc_text(probes ? "message from" : receives ? "receive from" : "send to");
    text = omp_text_join(text, " ",
                         !HAS(op, OP_PEER)        ? alloc_text("?")
                         : op->peer == REPORT_ANY ? alloc_text("any")
                                                  : alloc_format("%" PRId32, op->peer));
    if (HAS(op, OP_TAG))
        text = omp_text_join(text, " tag ",
                             op->tag == REPORT_ANY ? alloc_text("any")
                                                   : alloc_format("%" PRId32, op->tag));
    return omp_text_join(text, " on ", alloc_text(communicator_label(comm)));
}

static char *
awaits_text(const struct report *report, const struct awaits_record *awaits)
{
    size_t count = awaits->requests.count;
    bool any = awaits->needs == AWAITS_ANY;
    char *text = alloc_text("");
    for (size_t i = 0; i < count && i < AWAITED_SHOWN; i++)
        text = omp_text_join(text, any ? " or " : ", ",
                             operation_text(report, awaits->requests.items[i]));
    if (count > AWAITED_SHOWN)
        text = omp_text_join(text, any ? " or " : ", ",
                             alloc_format("%zu more", count - AWAITED_SHOWN));
    if (!*text)
        return text;
    return omp_text_join(alloc_text(awaits->certain ? "waits for" : "may wait for"), " ", text);
}

// The threads of a process for people, out of its document, wherever that was made.

enum { THREADS_INDENT = 2, STACK_INDENT = 6, COLUMNS = 3 };
enum { ROWS_SHOWN = 6 }; // in brief texts, beside as many of threads that wait for messages

/** Threads that are alike. */
struct thread_row {
    char *what, *awaits;
    int64_t *tids;
    size_t count, capacity;
    const struct thread_record *first;
};

struct rows {
    struct thread_row *items;
    size_t count, capacity;
};

/** "MPI_Recv in exchange at ring.c:17", for free(). @param all whether to show all places */
static char *
what_text(const struct thread_record *thread, bool all)
{
    char *frame = place_text(thread, all);
    const char *call = thread->call;
    const struct system_record *system = &thread->system;
    // One that cannot be stopped: nothing else is known of it.
    if (!call && *frame == '\0' && HAS(thread, THREAD_SYSTEM) && system->call) {
        free(frame);
        return alloc_format("in the system call %s", system->call);
    }
    const char *given = !call ? NULL : thread->file ? base_name(thread->file) : thread->port;
    char *text =
        alloc_format("%s%s%s%s%s", call ? call : "",
                     !given         ? ""
                     : thread->file ? " of "
                                    : " on port ",
                     given ? given : "", *frame != '\0' ? (call ? " in " : "in ") : "", frame);
    free(frame);
    return text;
}

/** The row of threads like this one, which may be new; the texts are taken over. */
static struct thread_row *
find_row(struct rows *rows, char *what, char *awaits, bool apart)
{
    for (size_t i = 0; i < rows->count && !apart; i++) {
        if (strcmp(rows->items[i].what, what) == 0 && strcmp(rows->items[i].awaits, awaits) == 0) {
            free(what);
            free(awaits);
            return &rows->items[i];
        }
    }
    struct thread_row *row = ALLOC_ADD(rows->items, rows->count, rows->capacity);
    *row = (struct thread_row){.what = what, .awaits = awaits};
    return row;
}

/** "waits for the GPU in cudaFree()", for free(). */
static char *
device_text(const struct device_record *device)
{
    const char *name = device->call ? device->call : device->library;
    return alloc_format("%s in %s%s", device_wait_text(device, false), name ? name : "?",
                        device->call ? "()" : "");
}

static void
add_thread(struct rows *rows, const struct report *report, const struct thread_record *thread,
           struct style style)
{
    char *awaits =
        HAS(thread, THREAD_GIL_HOLDER)
            ? alloc_format("waits for Python's GIL, held by thread %" PRId64, thread->gil_holder)
        : HAS(thread, THREAD_DEVICE) ? device_text(&thread->device)
                                     : awaits_text(report, &thread->awaits);
    struct thread_row *row =
        find_row(rows, what_text(thread, style.all), awaits, style.all || style.stacks);
    *ALLOC_ADD(row->tids, row->count, row->capacity) = thread->tid;
    row->first = row->first ? row->first : thread;
}

static char *
who_text(const struct thread_row *row, bool all)
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

enum { LIBRARIES_SHOWN = 4 };

/** Threads that run nothing of the user's, by what they are of. */
struct hidden {
    size_t n_mpi, n_openmp, n_libraries;
    struct {
        const char *path;
        size_t count;
    } libraries[LIBRARIES_SHOWN];
};

/** Counts a thread that is one of these. @return false: it is not */
static bool
hide(struct hidden *hidden, const struct thread_record *thread)
{
    const char *path = thread->runtime ? NULL : report_helper(thread);
    size_t i = 0;
    if (thread->runtime)
        ++*(text_equals(thread->runtime, "MPI") ? &hidden->n_mpi : &hidden->n_openmp);
    if (!path)
        return thread->runtime != NULL;
    while (i < hidden->n_libraries && strcmp(hidden->libraries[i].path, path) != 0)
        i++;
    if (i == LIBRARIES_SHOWN)
        return false;
    hidden->n_libraries += i == hidden->n_libraries;
    hidden->libraries[i].path = path;
    hidden->libraries[i].count++;
    return true;
}

static void
print_count(FILE *out, const char *kind, const char *owner, int length, size_t count)
{
    if (count > 0)
        fprintf(out, "%*s%zu %s%s of %.*s\n", THREADS_INDENT, "", count, kind,
                count == 1 ? "" : "s", length, owner);
}

/** Prints how many they are: "2 helper threads of libcuda". */
static void
print_hidden(FILE *out, const struct hidden *hidden)
{
    static const char helper[] = "helper thread", mpi[] = "the MPI library",
                      openmp[] = "the OpenMP runtime";
    for (size_t i = 0; i < hidden->n_libraries; i++) {
        const char *name = base_name(hidden->libraries[i].path);
        print_count(out, helper, name, (int) strcspn(name, ".-"), hidden->libraries[i].count);
    }
    print_count(out, helper, mpi, (int) strlen(mpi), hidden->n_mpi);
    print_count(out, "worker thread", openmp, (int) strlen(openmp), hidden->n_openmp);
}

void
print_threads(FILE *out, const struct report *report, struct style style)
{
    struct rows rows = {.items = NULL};
    struct hidden hidden = {.n_mpi = 0};
    style.brief &= report->has_mpi;
    for (size_t i = 0; i < report->threads.count; i++)
        if (style.all || !hide(&hidden, &report->threads.items[i]))
            add_thread(&rows, report, &report->threads.items[i], style);
    if (style.stacks)
        print_with_stacks(out, &rows, style);
    else
        print_rows(out, &rows, style);
    print_hidden(out, &hidden);
    free_rows(&rows);
}

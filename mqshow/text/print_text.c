// SPDX-License-Identifier: BSD-3-Clause
// Reports as tables for people.
#include "mqshow/text/print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/table.h"
#include "mqshow/text/omp_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char bold[] = "\033[1m", red[] = "\033[1;31m", plain[] = "\033[0m";

enum { INDENT = 2 };

/** "Open MPI 4.1.4, pml ob1 (layout: built-in 4.1, confirmed on this process)", to free(). What is
 * built in is for a line of releases: without what confirms it, the library does not use it.
 */
static char *
mpi_text(const struct report *report)
{
    static const char builtin[] = "built-in";
    if (!report->mpi.implementation)
        return alloc_text("");
    const char *layout = report->mpi.layout;
    const bool is_builtin = layout && strncmp(layout, builtin, strlen(builtin)) == 0;
    const bool is_untested = is_builtin && HAS(&report->mpi, MPI_TESTED) && !report->mpi.tested;
    return alloc_format(
        "%s%s%s%s%s%s%s%s%s%s", report->mpi.implementation, report->mpi.version ? " " : "",
        report->mpi.version ? report->mpi.version : "", report->mpi.transport ? ", " : "",
        report->mpi.transport ? report->mpi.transport : "", layout ? " (layout: " : "",
        layout ? layout : "", is_builtin ? ", confirmed on this process" : "",
        is_untested ? "; mqshow was never tested with this release" : "", layout ? ")" : "");
}

static void
print_state(FILE *out, const struct report *report, bool color)
{
    const struct state state = report_state(report);
    char *text = state_describe(&state);
    if (text)
        fprintf(out, "   %s%s%s", color ? red : "", text, color ? plain : "");
    fputc('\n', out);
    free(text);
}

void
print_notes(FILE *out, const struct report *report)
{
    for (size_t i = 0; i < report->messages.count; i++)
        fprintf(out, "%*snote: %s\n", INDENT, "", report->messages.items[i]);
}

/** Prints what MPI library a process has, unless the one before has the same. */
static void
print_mpi(FILE *out, const struct report *report, char **last)
{
    char *text = mpi_text(report);
    if (*text != '\0' && (!*last || strcmp(text, *last) != 0))
        fprintf(out, "%s\n", text);
    free(*last);
    *last = text;
}

void
print_process_heading(FILE *out, const struct report *report, size_t place, struct style style,
                      char **last)
{
    const char *name = base_name(report->image ? report->image : "");
    bool unnamed = report->rank < 0 && report->core && !style.numbered;
    if (last)
        print_mpi(out, report, last);
    fputs(style.color ? bold : "", out);
    if (style.numbered)
        fprintf(out, "process %zu   ", place);
    if (report->rank >= 0)
        fprintf(out, "rank %d   ", report->rank);
    if (unnamed)
        fprintf(out, "%s   ", base_name(report->core));
    if (report->world && *report->world != '\0')
        fprintf(out, "of %s   ", report->world);
    fprintf(out, report->pid > 0 ? "pid %d" : "pid ?", (int) report->pid);
    fprintf(out, "%s%s%s", report->host ? " on " : "", report->host ? report->host : "",
            style.color ? plain : "");
    fprintf(out, *name != '\0' ? "   %s" : "", name);
    print_state(out, report, style.color);
    if (report->core)
        fprintf(out, "%*score: %s\n", INDENT, "", report->core);
}

static void
print_unread(FILE *out, const struct report *report)
{
    for (size_t i = 0; i < report->unread.count; i++) {
        const struct unread_record *unread = &report->unread.items[i];
        fprintf(out, "%*s%" PRId64 " B not yet read from ", INDENT, "", unread->bytes);
        if (unread->rank >= 0)
            fprintf(out, "rank %d (TCP)\n", unread->rank);
        else
            fprintf(out, "%s (TCP)\n", unread->from ? unread->from : "?");
    }
}

void
print_process(FILE *out, const struct report *report, size_t place, struct style style, char **last)
{
    print_process_heading(out, report, place, style, last);
    if (report->has_mpi || style.stacks || !report_has_something(report))
        print_threads(out, report, style);
    if (style.brief)
        print_few_communicators(out, report, style);
    for (size_t i = 0; i < report->comms.count && !style.brief; i++)
        if (!report->comms.items[i].left_out)
            print_communicator(out, report, &report->comms.items[i], style);
    print_unread(out, report);
    print_handles(out, report, style);
    if (HAS(report, PROCESS_OPENMP))
        print_openmp(out, report, style);
}

bool
print_is_plain(const struct report *reports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (report_has_something(&reports[i]))
            return false;
    return true;
}

void
print_text(FILE *out, const struct report *reports, size_t count, struct style style)
{
    char *last = NULL;
    bool is_plain = print_is_plain(reports, count);
    for (size_t i = 0; i < count; i++) {
        if (!report_has_something(&reports[i]) && !is_plain)
            continue;
        if (last)
            fputc('\n', out);
        print_process(out, &reports[i], i, style, &last);
        print_notes(out, &reports[i]);
    }
    free(last);
}

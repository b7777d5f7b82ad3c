// SPDX-License-Identifier: BSD-3-Clause
// The forms in which reports are printed.
#ifndef MQSHOW_TEXT_PRINT_H
#define MQSHOW_TEXT_PRINT_H

#include "mqshow/report/report.h"

#include <stdio.h>

/** How tables for people look. */
struct style {
    bool color;
    bool all;     // nothing is folded or left out
    bool brief;   // long queues, quiet communicators and threads beyond a few are folded
    bool stacks;  // with the stacks of threads
    bool no_icvs; // without OpenMP's internal control variables, where they are known
    bool no_control_vars;
    bool folded;   // of communicators there is a line with how much is pending
    bool marks;    // operations that several samples found as before are marked
    bool numbered; // processes are named by their places among all, since ranks do not name them
};

/** Whether none of these processes uses MPI or OpenMP: there are threads to show. */
bool print_is_plain(const struct report *reports, size_t count);

/** Tables for people. */
void print_text(FILE *out, const struct report *reports, size_t count, struct style style);

/** One of these tables, without what could not be shown.
 * @param place of the process among all
 * @param last  the MPI library that was named last, NULL at first, updated; free() it
 */
void print_process(FILE *out, const struct report *report, size_t place, struct style style,
                   char **last);

// Parts of it.

/** Prints in which call each thread is and what it waits for: threads that are alike in one line,
 * threads that runtimes made only counted, unless all is shown.
 */
void print_threads(FILE *out, const struct report *report, struct style style);

/** Prints the MPI objects that were asked for. */
void print_handles(FILE *out, const struct report *report, struct style style);

/** Prints regions with their threads, and the variables that were asked for. */
void print_openmp(FILE *out, const struct report *report, struct style style);

/** Prints which runtime it is; a part of it. */
void print_openmp_heading(FILE *out, const struct openmp *omp);

/** Prints the internal control variables and the display control variables; a part of it. */
void print_openmp_variables(FILE *out, const struct openmp *omp, struct style style);

/** The heading of a table: what the process is.
 * @param last as of print_process(); NULL: its MPI library is not named
 */
void print_process_heading(FILE *out, const struct report *report, size_t place, struct style style,
                           char **last);

/** Prints communicators with pending operations, but not more than a screen; the others are
 * counted. */
void print_few_communicators(FILE *out, const struct report *report, struct style style);

/** A communicator with its operations. */
void print_communicator(FILE *out, const struct report *report, const struct communicator *comm,
                        struct style style);

/** What could not be shown of a process. */
void print_notes(FILE *out, const struct report *report);

/** Struct layouts as rows of a built-in table, equal ones once, and by what the places of their
 * members are confirmed, in one of the processes that have them. */
void print_layout(FILE *out, const struct report *reports, size_t count);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The tree of OpenMP regions with the threads of their teams, as lines of a table.
#ifndef MQSHOW_TEXT_OMP_TREE_H
#define MQSHOW_TEXT_OMP_TREE_H

#include "mqshow/report/report.h"

struct table;

/** The tree that is being drawn, in a table of OMP_TREE_COLUMNS columns. */
struct omp_tree {
    const struct report *report;
    const struct openmp *omp; // the report's
    struct table *table;
    const char *note; // that all threads have and that is shown elsewhere; NULL: none
    bool all;         // nothing is folded or left out
    bool *drawn;      // by place in omp->threads: it is in the tree with its state
    bool *regions;    // by place in omp->regions: it is in the tree; of omp_tree_draw()
};

enum { OMP_TREE_COLUMNS = 4 };

/** Draws the regions; the one around the program only when all is shown. */
void omp_tree_draw(struct omp_tree *tree);

/** Adds a line for a thread, taking `who` over. @param with_note whether its note is shown, too */
void omp_tree_add_thread(struct omp_tree *tree, int indent, char *who, const mqs_omp_thread *thread,
                         bool with_note);

/** "tids 4711-4720", for free(). */
char *omp_tree_tids(const mqs_omp_thread *const *threads, size_t count, bool all);

#endif
